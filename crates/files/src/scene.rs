//! The bodies of a file, and their ids, rules and motions.

use std::borrow::Cow;

use glam::{DVec3, Vec3};

use crate::error::Result;
use crate::ids::{Id, IdOrder, Ids, id_of};
use crate::scene_rows::form::{COLUMNS, fields_of};
use crate::scene_rows::plane::{PLANE_COLUMNS, PLANE_MOTION, fields_in_plane};
use crate::texts::Texts;
use obbligato::{
    Bodies, Capsule, Obb, Obb64, Pair, Rules, Set, Sphere,
    motion::{Motion, MovingSet},
    shape::BodyRef,
};
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the pairs by their ids";

/// The bodies of a file and their ids.
///
/// They are numbered as [`Bodies`] are: boxes first, then capsules, then spheres, whatever the
/// order of their rows. All lists have an entry for each body, in that order; [`SceneFile::rows`]
/// maps back to the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneFile {
    /// Set if the scene is in the plane: its table has neither `cz` nor `hz`. All bodies are then
    /// made by [`Obb::in_plane`], [`Capsule::in_plane`] or as spheres around points of the plane,
    /// and questions are asked with [`Query::in_plane`](obbligato::Query::in_plane).
    pub in_plane: bool,
    /// The boxes, in the file's order.
    pub boxes: Vec<Obb>,
    /// The center of each box in `f64`, to which that of the box is the nearest in `f32`; `None`
    /// unless [`ReadOptions::f64`](crate::ReadOptions::f64) is set. [`SceneFile::boxes64`]
    /// combines both.
    pub centers: Option<Vec<DVec3>>,
    /// The capsules, in the file's order.
    pub capsules: Vec<Capsule>,
    /// The spheres, in the file's order.
    pub spheres: Vec<Sphere>,
    /// The row of each body among those of the scene, from 0. `None` if that is its position here,
    /// as in all files in which capsules follow all boxes, and spheres come last.
    pub rows: Option<Vec<u32>>,
    /// The id of each box, if the file has an `id` column; else a box's id is its row in the file,
    /// from 0. `None` if that is its position here, as in all files except those of which one frame
    /// was picked or which have [`rows`](SceneFile::rows).
    pub ids: Option<Ids>,
    /// The groups of each body, `memberships` and `filter`, if the file has such columns and
    /// spheres; see [`Rules::groups`]. Boxes and capsules also have them in their records.
    pub groups: Option<Vec<[u32; 2]>>,
    /// The owner of each box, if the file has an `owner` column; an empty field is
    /// [`NO_OWNER`](obbligato::query::NO_OWNER).
    pub owners: Option<Vec<u32>>,
    /// The world of each box, if the file has a `world` column.
    pub worlds: Option<Vec<u32>>,
    /// `true` for each static box, if the file has a `static` column of 0 and 1.
    pub statics: Option<Vec<bool>>,
    /// The columns that [`ReadOptions::columns`](crate::ReadOptions::columns) names, in its
    /// order.
    pub columns: Vec<Column>,
    /// The motion of each box, at rest if the file specifies none; `None` unless
    /// [`ReadOptions::motions`](crate::ReadOptions::motions) is set.
    pub motions: Option<Vec<Motion>>,
}

/// A column of a scene file in its original text, one text for each box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in the header.
    pub name: String,
    /// Its fields, without blanks around them.
    pub values: Texts,
}

impl SceneFile {
    /// Returns all bodies.
    pub fn bodies(&self) -> Bodies<'_> {
        Bodies {
            boxes: &self.boxes,
            capsules: &self.capsules,
            spheres: &self.spheres,
        }
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.bodies().len()
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies().is_empty()
    }

    /// Returns the bodies with the file's rules.
    pub fn set(&self) -> Set<'_> {
        self.bodies().with(self.rules())
    }

    /// Returns the boxes with their centers in `f64`: those of [`SceneFile::centers`], or else
    /// those of the boxes. O(n).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn boxes64(&self) -> Result<Vec<Obb64>> {
        let centers = self.centers.as_deref().unwrap_or_default();
        Ok(memory::collect(
            self.boxes.iter().enumerate().map(|(k, obb)| {
                let own = Obb64::from(*obb);
                Obb64 {
                    center: centers.get(k).copied().unwrap_or(own.center),
                    ..own
                }
            }),
            "the boxes with centers in f64",
        )?)
    }

    /// Returns the bodies with their motions, the file's rules, and the ranks of their ids, which
    /// [`SceneFile::order`] returns. Without [`SceneFile::motions`], a sweep reports that they are
    /// missing, unless there are no bodies.
    pub fn moving_set<'a>(&'a self, order: &'a IdOrder<'_>) -> MovingSet<'a> {
        let motions = self.motions.as_deref().unwrap_or_default();
        MovingSet {
            rules: self.rules(),
            ranks: order.ranks(),
            ..MovingSet::new(self.bodies(), motions)
        }
    }

    /// Returns the file's rules.
    pub fn rules(&self) -> Rules<'_> {
        Rules {
            owners: self.owners.as_deref(),
            worlds: self.worlds.as_deref(),
            statics: self.statics.as_deref(),
            groups: self.groups.as_deref(),
            ..Rules::default()
        }
    }

    /// Returns the bodies in the order of their rows; `None` if that is their order.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn by_rows(&self) -> Result<Option<Vec<u32>>> {
        let Some(rows) = &self.rows else { return Ok(None) };
        let mut bodies = memory::zeroed(rows.len(), "the order of rows")?;
        for (body, &row) in (0..).zip(rows) {
            if let Some(place) = bodies.get_mut(row as usize) {
                *place = body;
            }
        }
        Ok(Some(bodies))
    }

    /// Returns `true` if the scene has content that NPY cannot hold: a plane, capsules, spheres,
    /// ids, groups, rules, accelerations, or motions together with centers in `f64`.
    pub fn needs_csv(&self) -> bool {
        self.content(None).needs_csv()
    }

    /// Returns the content to write, given the bodies in the order of their rows.
    pub(super) fn content<'a>(&'a self, by_rows: Option<&'a [u32]>) -> Content<'a> {
        Content {
            in_plane: self.in_plane,
            bodies: self.bodies(),
            rules: self.rules(),
            centers: self.centers.as_deref(),
            motions: self.motions.as_deref().unwrap_or_default(),
            ids: self.ids.as_ref(),
            by_rows,
        }
    }

    /// Returns the first list whose length differs from the number of boxes, and its length.
    pub(super) fn wrong_length(&self) -> Option<(&'static str, usize)> {
        let lengths = [
            ("ids", self.ids.as_ref().map(Ids::len)),
            ("rows", self.rows.as_ref().map(Vec::len)),
            ("groups", self.groups.as_ref().map(Vec::len)),
            ("owners", self.owners.as_ref().map(Vec::len)),
            ("worlds", self.worlds.as_ref().map(Vec::len)),
            ("statics", self.statics.as_ref().map(Vec::len)),
            ("motions", self.motions.as_ref().map(Vec::len)),
            ("centers", self.centers.as_ref().map(Vec::len)),
        ];
        let mut lengths = lengths.into_iter().filter_map(|(list, length)| Some((list, length?)));
        lengths.find(|(_, length)| *length != self.len())
    }

    /// Returns the id of the box at a position of [`SceneFile::boxes`].
    ///
    /// # Panics
    /// If there is no box at `index`.
    pub fn id_of(&self, index: usize) -> Id<'_> {
        assert!(index < self.len(), "box {index} of {}", self.len());
        id_of(self.ids.as_ref(), index as u32)
    }

    /// Returns the column of that name among [`SceneFile::columns`].
    pub fn column(&self, name: &str) -> Option<&Texts> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        Some(&column.values)
    }

    /// Returns the boxes in the order of their ids. O(n log n), or O(n) if they are sorted.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn order(&self) -> Result<IdOrder<'_>> {
        IdOrder::new(self.ids.as_ref(), self.len())
    }

    /// Returns a number for each box that sorts as its id does: the id itself or, if ids are texts,
    /// its rank among the sorted ids, from 0. `None` if that is the position.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn keys(&self) -> Result<Option<Cow<'_, [u32]>>> {
        match &self.ids {
            Some(Ids::Numbers(numbers)) => Ok(Some(Cow::Borrowed(numbers))),
            _ => Ok(self.order()?.into_keys()),
        }
    }

    /// Converts pairs of positions, such as [`Report::pairs`](obbligato::Report::pairs), to sorted
    /// pairs of [keys](SceneFile::keys), the smaller one first. Keys are the ids if these are
    /// numbers. O(p log p) if the file has ids.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    ///
    /// # Panics
    /// If a pair names a box that does not exist.
    pub fn pairs_of_ids(&self, pairs: &[Pair]) -> Result<Vec<Pair>> {
        let keys = self.keys()?;
        let id_pair = |pair: &Pair| Pair::new(key(&keys, pair.a), key(&keys, pair.b));
        let mut pairs = memory::collect(pairs.iter().map(id_pair), WHAT)?;
        pairs.sort_unstable();
        Ok(pairs)
    }
}

/// Returns the key of the box at a position.
fn key(keys: &Option<Cow<'_, [u32]>>, position: u32) -> u32 {
    match keys {
        Some(keys) => keys[position as usize],
        None => position,
    }
}

/// The content of a scene to be written.
#[derive(Clone, Copy)]
pub(super) struct Content<'a> {
    /// `true` if the bodies are those of a scene in the plane.
    pub in_plane: bool,
    pub bodies: Bodies<'a>,
    pub rules: Rules<'a>,
    /// The centers of all bodies, which are boxes, if they are `f64`.
    pub centers: Option<&'a [DVec3]>,
    /// A motion for each body, or none at all.
    pub motions: &'a [Motion],
    pub ids: Option<&'a Ids>,
    /// The bodies in the order of their rows, unless that is their order.
    pub by_rows: Option<&'a [u32]>,
}

impl Content<'_> {
    /// Implements [`SceneFile::needs_csv`].
    pub fn needs_csv(&self) -> bool {
        let Self { bodies, rules, .. } = self;
        let ruled = rules.owners.is_some() || rules.worlds.is_some() || rules.statics.is_some();
        let moving64 = self.centers.is_some() && !self.motions.is_empty();
        bodies.only_boxes().is_none()
            || self.in_plane
            || self.ids.is_some()
            || ruled
            || self.has_groups()
            || self.has_accelerations()
            || moving64
    }

    /// Returns the names of the columns of a body.
    pub fn columns(&self) -> &'static [&'static str] {
        if self.in_plane { &PLANE_COLUMNS } else { &COLUMNS }
    }

    /// Returns the fields of a body in [`columns`](Self::columns), and its radius.
    pub fn fields(&self, body: BodyRef<'_>) -> ([Option<f32>; 10], Option<f32>) {
        match self.in_plane {
            true => {
                let (numbers, radius) = fields_in_plane(body);
                let mut fields = [None; 10];
                fields[..numbers.len()].copy_from_slice(&numbers);
                (fields, radius)
            }
            false => fields_of(body),
        }
    }

    /// Returns the positions of the columns of motions that are written, among those of
    /// [`MOTION_COLUMNS`](crate::scene_rows::form::MOTION_COLUMNS).
    pub fn motion_columns(&self) -> &'static [usize] {
        const IN_SPACE: [usize; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        let (all, without): (&[usize], _) = match self.in_plane {
            true => (&PLANE_MOTION, 3),
            false => (&IN_SPACE, 6),
        };
        match (self.motions.is_empty(), self.has_accelerations()) {
            (true, _) => &[],
            (false, false) => &all[..without],
            (false, true) => all,
        }
    }

    /// Returns `true` if some body accelerates.
    pub fn has_accelerations(&self) -> bool {
        self.motions.iter().any(|motion| motion.acceleration != Vec3::ZERO)
    }

    /// Returns `true` if some body is not in all groups.
    pub fn has_groups(&self) -> bool {
        let Self { bodies, rules, .. } = self;
        let mut listed = rules.groups.unwrap_or_default().iter();
        bodies.boxes.iter().any(|obb| obb.memberships & obb.filter != u32::MAX)
            || (bodies.capsules.iter()).any(|capsule| capsule.memberships & capsule.filter != u32::MAX)
            || listed.any(|[memberships, filter]| memberships & filter != u32::MAX)
    }
}
