//! The checker, and the questions that it answers.

use obbligato::glam::{DVec3, Vec3};
use obbligato::motion::Step;
use obbligato::query::{ContactQuery, DistanceQuery, NeighbourQuery, Points, Sweep};
use obbligato::{Query, Report};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answers;
use crate::arrays;
use crate::bodies::Held;
use crate::errors::{Result, invalid, raise};
use crate::options::Options;
use crate::settings;

/// A checker with memory for the bodies of a call, which it keeps for the next one.
#[wasm_bindgen]
pub struct Checker {
    pub(crate) checker: obbligato::Checker,
    pub(crate) sets: [Held; 2],
    report: Report,
    pub(crate) last: Last,
}

/// The subject of the last call.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Last {
    #[default]
    Bodies,
    TwoSets,
    Mesh,
}

#[wasm_bindgen]
impl Checker {
    /// Makes a checker with these settings.
    pub async fn create(settings: JsValue) -> Result<Self> {
        let config = settings::config(&settings)?;
        let checker = obbligato::Checker::new_async(config).await.map_err(raise)?;
        Ok(Self {
            checker,
            sets: Default::default(),
            report: Report::default(),
            last: Last::default(),
        })
    }

    /// Failures that do not affect answers, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        self.checker.warnings().to_vec()
    }

    /// Finds the colliding pairs within `bodies`, or between `bodies` and `against`.
    pub async fn check(&mut self, bodies: JsValue, against: JsValue) -> Result<JsValue> {
        let two = self.read(&bodies, &against)?;
        let [first, second] = &self.sets;
        let query = match two {
            true => Query::between(first.set(), second.set()),
            false => first.set().into(),
        };
        let found = self.checker.check_into_async(query, &mut self.report).await;
        found.map_err(raise)?;
        Ok(answers::report(&self.report).into())
    }

    /// Finds the colliding pairs among `pairs`.
    #[wasm_bindgen(js_name = checkPairs)]
    pub async fn check_pairs(&mut self, bodies: JsValue, pairs: JsValue) -> Result<JsValue> {
        self.read(&bodies, &JsValue::UNDEFINED)?;
        let pairs = arrays::pairs("pairs", &pairs)?;
        let query = Query::pairs(self.sets[0].set(), &pairs);
        let found = self.checker.check_into_async(query, &mut self.report).await;
        found.map_err(raise)?;
        Ok(answers::report(&self.report).into())
    }

    /// Finds the self-intersections of a mesh: the pairs of triangles that share a point other than
    /// their common corner or edge.
    #[wasm_bindgen(js_name = checkMesh)]
    pub async fn check_mesh(&mut self, triangles: JsValue) -> Result<JsValue> {
        let triangles = arrays::triangles("triangles", &triangles)?;
        self.last = Last::Mesh;
        let query = Query::mesh(&triangles);
        let found = self.checker.check_into_async(query, &mut self.report).await;
        found.map_err(raise)?;
        Ok(answers::report(&self.report).into())
    }

    /// The contact manifolds of pairs.
    pub async fn contacts(&mut self, bodies: JsValue, pairs: JsValue, against: JsValue) -> Result<JsValue> {
        let second = usize::from(self.read(&bodies, &against)?);
        let pairs = arrays::pairs("pairs", &pairs)?;
        let sets = [self.sets[0].bodies(), self.sets[second].bodies()];
        let query = ContactQuery::new(sets, &pairs);
        let found = self.checker.check_async(query).await.map_err(raise)?;
        Ok(answers::contacts(&found).into())
    }

    /// The distances and closest points of pairs.
    pub async fn distances(&mut self, bodies: JsValue, pairs: JsValue, against: JsValue) -> Result<JsValue> {
        let second = usize::from(self.read(&bodies, &against)?);
        let pairs = arrays::pairs("pairs", &pairs)?;
        let sets = [self.sets[0].bodies(), self.sets[second].bodies()];
        let query = DistanceQuery::new(sets, &pairs);
        let found = self.checker.check_async(query).await.map_err(raise)?;
        Ok(answers::distances(&found).into())
    }

    /// Finds the pairs that share a point at any time during a step of `dt` seconds.
    pub async fn sweep(&mut self, bodies: JsValue, motions: JsValue, dt: f64, options: JsValue) -> Result<JsValue> {
        let options = Options::new(&options, &["tolerance", "against", "againstMotions"])?;
        let step = Step {
            dt,
            tolerance: options.number("tolerance")?,
        };
        let [others, moves] = ["against", "againstMotions"].map(|name| options.get(name));
        if others.is_some() != moves.is_some() {
            return Err(invalid("against and againstMotions go together: give both or none"));
        }
        let two = self.read(&bodies, &others.unwrap_or_default())?;
        let [first, second] = &self.sets;
        let motions = first.motions("motions", &motions)?;
        let moves = match &moves {
            Some(moves) => second.motions("againstMotions", moves)?,
            None => Vec::new(),
        };
        let sweep = match two {
            true => Sweep::between(first.moving(&motions), second.moving(&moves), &step),
            false => Sweep::new(first.moving(&motions), &step),
        };
        let found = self.checker.check_async(sweep).await.map_err(raise)?;
        Ok(answers::impacts(&found).into())
    }

    /// Finds the nearest neighbours of each body, or of each point.
    pub async fn neighbours(&mut self, bodies: JsValue, options: JsValue) -> Result<JsValue> {
        let options = Options::new(&options, &["around", "nearest", "within", "bySurface"])?;
        self.read(&bodies, &JsValue::UNDEFINED)?;
        let set = self.sets[0].set();
        let around = options.get("around").map(|around| Around::new(&around)).transpose()?;
        let query = match &around {
            Some(around) => NeighbourQuery::around(around.points(), set),
            None => NeighbourQuery::of(set),
        };
        let query = match (options.count("nearest")?, options.number("within")?) {
            (Some(count), Some(radius)) => query.nearest_within(count, radius),
            (None, Some(radius)) => query.within(radius),
            (count, None) => query.nearest(count.unwrap_or(1)),
        };
        let query = match options.flag("bySurface")? {
            true => query.by_surface(),
            false => query,
        };
        let found = self.checker.check_async(query).await.map_err(raise)?;
        Ok(answers::neighbours(&found).into())
    }

    /// Reads the bodies of a call, and returns `true` if there are two sets.
    pub(crate) fn read(&mut self, bodies: &JsValue, against: &JsValue) -> Result<bool> {
        let two = !against.is_undefined() && !against.is_null();
        self.last = if two { Last::TwoSets } else { Last::Bodies };
        self.sets[0].read(bodies)?;
        match two {
            true => self.sets[1].read(against)?,
            false => self.sets[1] = Held::default(),
        }
        Ok(two)
    }
}

/// The points whose neighbours are wanted.
enum Around {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Around {
    fn new(value: &JsValue) -> Result<Self> {
        let around = match arrays::doubles("around", value)? {
            Some(list) => Self::Double(list),
            None => Self::Single(arrays::singles("around", value)?),
        };
        let length = match &around {
            Self::Single(list) => list.len(),
            Self::Double(list) => list.len(),
        };
        match length.is_multiple_of(3) {
            true => Ok(around),
            false => Err(invalid(&format!("around has {length} numbers: give 3 for each point"))),
        }
    }

    fn points(&self) -> Points<'_> {
        match self {
            Self::Single(list) => bytemuck::cast_slice::<f32, Vec3>(list).into(),
            Self::Double(list) => bytemuck::cast_slice::<f64, DVec3>(list).into(),
        }
    }
}
