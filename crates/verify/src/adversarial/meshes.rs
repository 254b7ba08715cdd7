//! Pairs of meshes that are hard to judge: unions of cells, with faces, edges and corners in
//! common.

use glam::Vec3;

use crate::reference::PieceSolid;
use obbligato::shape::Triangle;
use obbligato_support::split_mix::SplitMix;

/// The number of cells of a solid along an axis.
const CELLS: usize = 3;

/// A kind of pairs of solids, each the union of some cells of a grid of 3 x 3 x 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFamily {
    /// Both on one grid of unit cells: common faces, edges and corners, flush overlaps, holes.
    Grid,
    /// One has cells of half or a quarter of the size: solids in one another, and on faces.
    Nested,
    /// A solid twice, or once with one cell more or less.
    Duplicate,
    /// On one grid, one of them moved by a unit in the last place along some axes.
    Nudged,
    /// On one grid of oblique cells, so that faces are in planes of any direction.
    Oblique,
    /// On one grid of small cells, 2^20 away from the origin.
    FarAway,
    /// Grids of random numbers, most of which both have.
    Uneven,
}

/// All families.
pub const MESH_FAMILIES: [MeshFamily; 7] = [
    MeshFamily::Grid,
    MeshFamily::Nested,
    MeshFamily::Duplicate,
    MeshFamily::Nudged,
    MeshFamily::Oblique,
    MeshFamily::FarAway,
    MeshFamily::Uneven,
];

/// The planes of a grid along each axis.
type Planes = [[f32; CELLS + 1]; 3];

/// The cells that are part of a solid.
type Cells = [[[bool; CELLS]; CELLS]; CELLS];

impl MeshFamily {
    /// Returns a pair of this kind. The same seed gives the same one.
    pub fn pair(self, seed: u64) -> [PieceSolid; 2] {
        let mut random = SplitMix(seed ^ (self as u64) << 56);
        let filling = 1 + random.next() % 3;
        let mut first = cells(&mut random, filling);
        let mut second = cells(&mut random, filling);
        if self == Self::Duplicate {
            second = first;
            if random.next().is_multiple_of(2) {
                let [x, y, z] = [0; 3].map(|_| below(&mut random, CELLS));
                second[x][y][z] = !second[x][y][z];
            }
        }
        let mut planes = self.planes(&mut random);
        if self == Self::Nested && seed.is_multiple_of(2) {
            // The second is in a cell of the first, which is solid or a hole.
            first = [[[true; CELLS]; CELLS]; CELLS];
            first[1][1][1] = seed.is_multiple_of(4);
            planes[1] = [[0, 1, 2, 3].map(|k| 1.125 + 0.25 * k as f32); 3];
        }
        let flip = random.next();
        let mut pair = [
            solid(&first, &planes[0], self, flip),
            solid(&second, &planes[1], self, !flip),
        ];
        if seed % 8 >= 4 {
            pair.reverse();
        }
        pair
    }

    /// Returns the planes of both grids.
    fn planes(self, random: &mut SplitMix) -> [Planes; 2] {
        let unit = |shift: [f32; 3], size: f32| shift.map(|shift| [0, 1, 2, 3].map(|k| shift + size * k as f32));
        let shift = [0; 3].map(|_| below(random, 9) as f32 - 4.0);
        let own = unit([0.0; 3], 1.0);
        let other = match self {
            Self::Nested => {
                let size = [0.5, 0.25][below(random, 2)];
                unit([0; 3].map(|_| below(random, 12) as f32 * 0.25), size)
            }
            Self::Duplicate => own,
            Self::Nudged => unit(shift, 1.0).map(|planes| {
                let way = below(random, 3);
                planes.map(|number: f32| [number, number.next_up(), number.next_down()][way])
            }),
            Self::Uneven => {
                let numbers = [0; 3].map(|_| ascending([0; 5].map(|_| random.unit() as f32)));
                let part = |first: usize| numbers.map(|all| [0, 1, 2, 3].map(|k| all[first + k]));
                return [part(0), part(below(random, 2))];
            }
            _ => unit(shift, 1.0),
        };
        match self {
            Self::FarAway => [own, other].map(|planes| planes.map(|all| all.map(|k| 1_048_576.0 + 0.25 * k))),
            _ => [own, other],
        }
    }

    /// Returns a corner of the grid in space.
    fn placed(self, [x, y, z]: [f32; 3]) -> Vec3 {
        match self {
            Self::Oblique => Vec3::new(2.0 * x + y, 3.0 * y - z, 2.0 * z + x - y),
            _ => Vec3::new(x, y, z),
        }
    }
}

fn below(random: &mut SplitMix, most: usize) -> usize {
    (random.next() % most as u64) as usize
}

/// Returns numbers in ascending order, each greater than the one before.
fn ascending(mut numbers: [f32; 5]) -> [f32; 5] {
    numbers.sort_by(f32::total_cmp);
    for k in 1..numbers.len() {
        numbers[k] = numbers[k].max(numbers[k - 1].next_up());
    }
    numbers
}

/// Returns random cells, more of them the higher the filling is, of 4.
fn cells(random: &mut SplitMix, filling: u64) -> Cells {
    let mut cells = [[[false; CELLS]; CELLS]; CELLS];
    cells
        .iter_mut()
        .flatten()
        .flatten()
        .for_each(|cell| *cell = random.next() % 4 < filling);
    // Never empty.
    cells[below(random, CELLS)][below(random, CELLS)][below(random, CELLS)] = true;
    cells
}

/// Returns the union of some cells. A bit of `flip` says which diagonal divides a face.
fn solid(cells: &Cells, planes: &Planes, family: MeshFamily, flip: u64) -> PieceSolid {
    let is_full =
        |cell: [usize; 3]| cell.iter().all(|k| (1..=CELLS).contains(k)) && cells[cell[0] - 1][cell[1] - 1][cell[2] - 1];
    let corner = |at: [usize; 3]| family.placed([0, 1, 2].map(|k| planes[k][at[k]]));
    let mut solid = PieceSolid::default();
    for number in 0..(CELLS + 1).pow(3) {
        let cell = [
            number % (CELLS + 1),
            number / (CELLS + 1) % (CELLS + 1),
            number / (CELLS + 1).pow(2),
        ];
        // Cells are counted from 1, so that each has a cell or nothing before it.
        if is_full(cell) {
            let corners = (0..8).map(|bits| corner([0, 1, 2].map(|k| cell[k] - 1 + (bits >> k & 1))));
            solid.pieces.push(corners.collect());
        }
        for axis in 0..3 {
            let mut next = cell;
            next[axis] += 1;
            if is_full(cell) == is_full(next) || (0..3).any(|k| k != axis && cell[k] == 0) {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut square = [cell; 4];
            square
                .iter_mut()
                .for_each(|corner| (corner[u], corner[v]) = (cell[u] - 1, cell[v] - 1));
            (square[1][u], square[2][u]) = (cell[u], cell[u]);
            (square[2][v], square[3][v]) = (cell[v], cell[v]);
            if is_full(next) {
                square.reverse();
            }
            square.rotate_left((flip >> ((number + axis) % 64) & 1) as usize);
            let [a, b, c, d] = square.map(corner);
            solid.triangles.extend([Triangle::new(a, b, c), Triangle::new(a, c, d)]);
        }
    }
    solid
}
