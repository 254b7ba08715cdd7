//! The neighbours of many bodies or points: lists of positions and distances.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use bytemuck::{Pod, Zeroable};

use crate::base::error::Result;
use crate::base::{memory, parallel, prefetch};

/// Label for out-of-memory errors.
const WHAT: &str = "the neighbours of bodies";

/// Number of rows that one task gathers.
const GRAIN: usize = 4096;

/// The neighbours of each body or point, the nearest first: offsets and lists.
///
/// The neighbours of row i are those from `offsets()[i]` to `offsets()[i + 1]`. Neighbours at the
/// same distance ascend by position. A row takes 9 bytes, a neighbour 12.
///
/// ```
/// use obbligato::query::NeighbourQuery;
/// use obbligato::{Backend, Checker, Config, Sphere, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let balls = [0.0, 1.0, 3.0, 9.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 0.5));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let near = checker.check(NeighbourQuery::of(&balls).within(3.0))?;
/// assert_eq!((near.row(1), near.distances_of(1)), (&[0, 2][..], &[1.0, 2.0][..]));
/// assert_eq!((near.offsets(), near.neighbours()), (&[0, 2, 4, 6, 6][..], &[1, 2, 0, 2, 1, 0][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbours {
    offsets: Vec<u64>,
    neighbours: Vec<u32>,
    distances: Vec<f64>,
    cut: Vec<bool>,
}

/// The neighbours of each body or point in rows of the same width, for arrays of fixed size. Made
/// by [`Neighbours::to_rows`].
#[derive(Clone, Debug, PartialEq)]
pub struct NeighbourRows {
    /// The number of places in a row.
    pub width: usize,
    /// The neighbours of all rows, one row after the other. Places without a neighbour are
    /// [`u32::MAX`].
    pub neighbours: Vec<u32>,
    /// Their distances, in the caller's unit; infinite where there is no neighbour.
    pub distances: Vec<f64>,
    /// The number of neighbours in each row.
    pub counts: Vec<u32>,
    /// `true` for each row whose body has more neighbours than the row holds.
    pub cut: Vec<bool>,
}

impl Neighbours {
    /// Returns the number of rows: one for each body or point.
    pub fn len(&self) -> usize {
        self.cut.len()
    }

    /// Returns `true` if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.cut.is_empty()
    }

    /// Returns the start of each row in the lists, followed by the total number of neighbours.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Returns the positions of the neighbours of all rows, one row after the other.
    pub fn neighbours(&self) -> &[u32] {
        &self.neighbours
    }

    /// Returns the distances of the neighbours of all rows, in the caller's unit.
    pub fn distances(&self) -> &[f64] {
        &self.distances
    }

    /// Returns the neighbours in a row, the nearest first.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.neighbours[self.range(row)]
    }

    /// Returns the distances of the neighbours in a row, in the caller's unit.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn distances_of(&self, row: usize) -> &[f64] {
        &self.distances[self.range(row)]
    }

    /// Returns `true` for each row whose radius holds more neighbours than the requested number.
    /// Always `false` if no radius or no number was given.
    pub fn cut(&self) -> &[bool] {
        &self.cut
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// Returns the same neighbours in rows of a fixed width. Neighbours that do not fit are the
    /// farthest, and their rows are marked as cut. Takes 12 bytes for each place.
    ///
    /// ```
    /// use obbligato::query::NeighbourQuery;
    /// use obbligato::{Backend, Checker, Config, Sphere, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let balls = [0.0, 1.0, 3.0, 9.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 0.5));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let rows = checker.check(NeighbourQuery::of(&balls).within(2.5))?.to_rows(1)?;
    /// assert_eq!(rows.neighbours, [1, 0, 1, u32::MAX]);
    /// assert_eq!(rows.counts, [1, 1, 1, 0]);
    /// assert_eq!(rows.cut, [false, true, false, false]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn to_rows(&self, width: usize) -> Result<NeighbourRows> {
        let places = self.len().saturating_mul(width);
        let mut neighbours = memory::filled(places, u32::MAX, WHAT)?;
        let mut distances = memory::filled(places, f64::INFINITY, WHAT)?;
        for row in 0..if width > 0 { self.len() } else { 0 } {
            let (from, fits) = (row * width, self.row(row).len().min(width));
            neighbours[from..from + fits].copy_from_slice(&self.row(row)[..fits]);
            distances[from..from + fits].copy_from_slice(&self.distances_of(row)[..fits]);
        }
        let count = |row| self.row(row).len();
        Ok(NeighbourRows {
            width,
            neighbours,
            distances,
            counts: parallel::collect(self.len(), WHAT, |row| count(row).min(width) as u32)?,
            cut: parallel::collect(self.len(), WHAT, |row| self.cut[row] || count(row) > width)?,
        })
    }

    /// Gathers rows that were found in another order: each part has some rows, and the neighbours
    /// of these. Together they have each row once.
    pub(crate) fn gather(rows: usize, parts: &[Part]) -> Result<Self> {
        let places = parallel::collect(rows, WHAT, |_| Place::default())?;
        parallel::map_ranges_of(1, parts.len(), |numbers| {
            numbers.for_each(|number| parts[number].note_places(number, &places));
        });
        let mut offsets = memory::filled(rows + 1, 0, WHAT)?;
        for (row, place) in places.iter().enumerate() {
            offsets[row + 1] = offsets[row] + place.len() as u64;
        }
        let total = offsets[rows] as usize;
        let (mut neighbours, mut distances) = (memory::zeroed(total, WHAT)?, memory::zeroed(total, WHAT)?);
        let all = Room {
            first: 0,
            neighbours: &mut neighbours,
            distances: &mut distances,
        };
        let start = |task: usize| offsets[rows.min(task * GRAIN)] as usize;
        parallel::divide(
            0..rows.div_ceil(GRAIN),
            all,
            &|room, task| room.split(start(task)),
            &|task, room| room.fill(&places[task * GRAIN..rows.min((task + 1) * GRAIN)], parts),
        );
        Ok(Self {
            offsets,
            neighbours,
            distances,
            cut: parallel::collect(rows, WHAT, |row| places[row].is_cut())?,
        })
    }
}

/// A row before its neighbours are in their place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub id: u32,
    pub count: u32,
    pub cut: bool,
}

/// A neighbour, and the bits of its distance, the lower half first.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Found {
    id: u32,
    distance: [u32; 2],
}

/// Some rows, and their neighbours in the order of these rows.
#[derive(Debug, Default)]
pub(crate) struct Part {
    rows: Vec<Row>,
    found: Vec<Found>,
}

impl Part {
    /// Appends a row, given its neighbours and their distances.
    pub fn push(&mut self, id: u32, cut: bool, found: impl ExactSizeIterator<Item = (u32, f64)>) -> Result<()> {
        let count = found.len() as u32;
        memory::push(&mut self.rows, Row { id, count, cut }, WHAT)?;
        memory::reserve(&mut self.found, found.len(), WHAT)?;
        self.found.extend(found.map(|(id, distance)| {
            let bits = distance.to_bits();
            Found {
                id,
                distance: [bits as u32, (bits >> u32::BITS) as u32],
            }
        }));
        Ok(())
    }

    /// Notes where the rows are, given the number of this part.
    fn note_places(&self, number: usize, places: &[Place]) {
        let mut first = 0;
        for row in &self.rows {
            places[row.id as usize].set(number, first, row);
            first += row.count as usize;
        }
    }
}

/// The place of a row in its part. Different threads note different rows.
#[derive(Debug, Default)]
struct Place {
    first: AtomicU64,
    len: AtomicU32,
    /// The number of the part, twice, plus 1 if the row is cut.
    part_and_cut: AtomicU32,
}

impl Place {
    fn set(&self, part: usize, first: usize, row: &Row) {
        self.first.store(first as u64, Relaxed);
        self.len.store(row.count, Relaxed);
        self.part_and_cut
            .store((part as u32) << 1 | u32::from(row.cut), Relaxed);
    }

    fn len(&self) -> usize {
        self.len.load(Relaxed) as usize
    }

    fn is_cut(&self) -> bool {
        self.part_and_cut.load(Relaxed) & 1 == 1
    }

    fn found<'a>(&self, parts: &'a [Part]) -> &'a [Found] {
        let first = self.first.load(Relaxed) as usize;
        &parts[(self.part_and_cut.load(Relaxed) >> 1) as usize].found[first..first + self.len()]
    }
}

/// The places of consecutive rows.
struct Room<'a> {
    /// The number of places before these.
    first: usize,
    neighbours: &'a mut [u32],
    distances: &'a mut [f64],
}

impl<'a> Room<'a> {
    fn split(self, place: usize) -> (Self, Self) {
        let (neighbours, more_neighbours) = self.neighbours.split_at_mut(place - self.first);
        let (distances, more_distances) = self.distances.split_at_mut(place - self.first);
        let before = Self {
            first: self.first,
            neighbours,
            distances,
        };
        let rest = Self {
            first: place,
            neighbours: more_neighbours,
            distances: more_distances,
        };
        (before, rest)
    }

    /// Copies rows into the places. They may be anywhere, so a block of rows is requested before it
    /// is copied.
    fn fill(self, rows: &[Place], parts: &[Part]) {
        const BLOCK: usize = 64;
        let mut to = self.neighbours.iter_mut().zip(self.distances);
        for rows in rows.chunks(BLOCK) {
            for row in rows {
                row.found(parts).first().into_iter().for_each(prefetch);
            }
            let found = rows.iter().flat_map(|row| row.found(parts));
            for (found, (neighbour, distance)) in found.zip(&mut to) {
                let [low, high] = found.distance;
                (*neighbour, *distance) = (found.id, f64::from_bits(u64::from(high) << u32::BITS | u64::from(low)));
            }
        }
    }
}
