//! Collects the rows of one scene.

use glam::DVec3;

use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::scene::{Column, SceneFile};
use crate::scene_rows::body::{Body, ShapeName};
use crate::scene_rows::columns::Columns;
use crate::table::Record;
use crate::texts::Texts;
use crate::unique_ids::UniqueIds;
use obbligato::{Capsule, Obb, Sphere, motion::Motion};
use obbligato_support::memory::{self, OutOfMemory};

/// Label for out-of-memory errors.
const WHAT: &str = "the rows of a table";

/// The reason why a row was not added to the bodies.
pub(crate) enum Unread {
    /// The row is invalid, with a description of the problem.
    Bad(String),
    /// Memory ran out.
    Failed(Error),
}

impl From<String> for Unread {
    fn from(words: String) -> Self {
        Self::Bad(words)
    }
}

impl From<OutOfMemory> for Unread {
    fn from(refused: OutOfMemory) -> Self {
        Error::from(refused).into()
    }
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The bodies of a scene so far. All lists except those of bodies have one entry per row.
pub(super) struct SceneRows {
    boxes: Vec<Obb>,
    /// Empty unless centers are read in `f64`.
    centers: Vec<DVec3>,
    capsules: Vec<Capsule>,
    spheres: Vec<Sphere>,
    /// Empty if all rows are boxes, as are groups, which boxes hold themselves.
    shapes: Vec<ShapeName>,
    groups: Vec<[u32; 2]>,
    owners: Vec<u32>,
    worlds: Vec<u32>,
    statics: Vec<bool>,
    motions: Vec<Motion>,
    ids: UniqueIds,
    kept: Vec<Texts>,
}

impl SceneRows {
    pub fn new(columns: &Columns) -> Self {
        Self {
            boxes: Vec::new(),
            centers: Vec::new(),
            capsules: Vec::new(),
            spheres: Vec::new(),
            shapes: Vec::new(),
            groups: Vec::new(),
            owners: Vec::new(),
            worlds: Vec::new(),
            statics: Vec::new(),
            motions: Vec::new(),
            ids: UniqueIds::default(),
            kept: columns.kept.iter().map(|_| Texts::default()).collect(),
        }
    }

    /// Adds a row, or returns a description of its problem. `number` is the row's id if it needs
    /// one and has none.
    pub fn add(&mut self, columns: &Columns, record: &impl Record, number: Option<u64>) -> Result<(), Unread> {
        let shape = columns.body.parse_shape(record)?;
        let groups = columns.body.parse_groups(record)?;
        let body = columns.body.parse(record, shape, groups)?;
        let rules = columns.parse_rules(record)?;
        let motion = columns.parse_motion(record, shape)?;
        if let Some(problem) = body.problem() {
            return Err(problem.to_string().into());
        }
        columns.parse_kept(record).try_for_each(|text| text.map(drop))?;
        if !self.add_id(columns, record, number)? {
            return Err("repeats the id of an earlier row".to_owned().into());
        }
        for (texts, text) in self.kept.iter_mut().zip(columns.parse_kept(record)) {
            texts.push(&text?)?;
        }
        if columns.owner.is_some() {
            memory::push(&mut self.owners, rules.owner, WHAT)?;
        }
        if columns.world.is_some() {
            memory::push(&mut self.worlds, rules.world, WHAT)?;
        }
        if columns.is_static.is_some() {
            memory::push(&mut self.statics, rules.is_static, WHAT)?;
        }
        if let Some(motion) = motion {
            memory::push(&mut self.motions, motion, WHAT)?;
        }
        if columns.body.have_shapes() {
            memory::push(&mut self.shapes, shape, WHAT)?;
            if columns.body.have_groups() {
                memory::push(&mut self.groups, groups, WHAT)?;
            }
        }
        match body {
            Body::Box(obb) => memory::push(&mut self.boxes, obb, WHAT)?,
            Body::Box64(obb) => {
                memory::push(&mut self.centers, obb.center, WHAT)?;
                memory::push(&mut self.boxes, obb.centered_at(obb.center.as_vec3()), WHAT)?;
            }
            Body::Capsule(capsule) => memory::push(&mut self.capsules, capsule, WHAT)?,
            Body::Sphere(sphere) => memory::push(&mut self.spheres, sphere, WHAT)?,
        }
        Ok(())
    }

    /// Adds the id of a row. Returns `false` if it is a duplicate.
    fn add_id(&mut self, columns: &Columns, record: &impl Record, number: Option<u64>) -> Result<bool, Unread> {
        if let Some(id) = columns.parse_id(record)? {
            return Ok(self.ids.add(&id)?);
        }
        match number.map(|number| (number, u32::try_from(number))) {
            None => Ok(true),
            Some((_, Ok(number))) => Ok(self.ids.add_number(number)?),
            Some((row, Err(_))) => Err(format!("is row {row}, which needs an id of its own: add a column id").into()),
        }
    }

    pub fn ids_are_texts(&self) -> bool {
        self.ids.are_texts()
    }

    /// Returns the scene. Its bodies have ids if `named` is set, and these are texts if `texts` is
    /// set.
    pub fn finish(mut self, columns: &Columns, named: bool, texts: bool) -> Result<SceneFile> {
        if texts {
            self.ids.turn_to_texts()?;
        }
        let order = Order::of(&self.shapes)?;
        let names = columns.kept.iter().map(|(name, _)| name.clone());
        let kept = names.zip(self.kept).map(|(name, values)| {
            let values = order.texts(values)?;
            Ok(Column { name, values })
        });
        let kept = kept.collect::<Result<_>>()?;
        let grouped = columns.body.have_groups() && !self.spheres.is_empty();
        Ok(SceneFile {
            in_plane: columns.body.are_in_plane(),
            boxes: self.boxes,
            centers: columns.body.f64.then_some(self.centers),
            capsules: self.capsules,
            spheres: self.spheres,
            ids: match named {
                true => Some(order.ids(self.ids.into_ids())?),
                // Without ids, bodies are named by their rows.
                false => order.rows()?.map(Ids::Numbers),
            },
            groups: grouped.then(|| order.list(self.groups)).transpose()?,
            owners: columns.owner.map(|_| order.list(self.owners)).transpose()?,
            worlds: columns.world.map(|_| order.list(self.worlds)).transpose()?,
            statics: columns.is_static.map(|_| order.list(self.statics)).transpose()?,
            motions: columns.motion.map(|_| order.list(self.motions)).transpose()?,
            columns: kept,
            rows: order.rows,
        })
    }
}

/// The row of each body in the numbering of [`Bodies`](obbligato::Bodies): boxes, then capsules,
/// then spheres.
struct Order {
    /// `None` if rows are in that order.
    rows: Option<Vec<u32>>,
}

impl Order {
    fn of(shapes: &[ShapeName]) -> Result<Self> {
        if shapes.is_sorted() {
            return Ok(Self { rows: None });
        }
        let mut rows = Vec::new();
        memory::reserve(&mut rows, shapes.len(), WHAT)?;
        for wanted in ShapeName::ALL {
            let of_shape = (0..).zip(shapes).filter(|(_, shape)| **shape == wanted);
            rows.extend(of_shape.map(|(row, _)| row));
        }
        Ok(Self { rows: Some(rows) })
    }

    /// Returns the rows, if they are not in order.
    fn rows(&self) -> Result<Option<Vec<u32>>> {
        let copy = |rows: &Vec<u32>| memory::collect(rows.iter().copied(), WHAT);
        Ok(self.rows.as_ref().map(copy).transpose()?)
    }

    /// Reorders a list with one entry per row into the order of the bodies.
    fn list<T: Copy>(&self, list: Vec<T>) -> Result<Vec<T>> {
        match &self.rows {
            Some(rows) => Ok(memory::collect(rows.iter().map(|&row| list[row as usize]), WHAT)?),
            None => Ok(list),
        }
    }

    fn texts(&self, texts: Texts) -> Result<Texts> {
        let Some(rows) = &self.rows else { return Ok(texts) };
        let mut ordered = Texts::default();
        rows.iter().try_for_each(|&row| ordered.push(texts.get(row as usize)))?;
        Ok(ordered)
    }

    fn ids(&self, ids: Ids) -> Result<Ids> {
        Ok(match ids {
            Ids::Numbers(numbers) => Ids::Numbers(self.list(numbers)?),
            Ids::Texts(texts) => Ids::Texts(self.texts(texts)?),
        })
    }
}
