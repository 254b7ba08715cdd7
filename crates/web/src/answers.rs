//! Answers as objects of typed arrays.

use js_sys::{Array, Float64Array, Int8Array, Object, Reflect, Uint8Array, Uint32Array};
use obbligato::contact::{ClosestPoints, ContactPoint, Contacts, Feature, Side};
use obbligato::glam::DVec3;
use obbligato::motion::{ImpactState, Impacts};
use obbligato::report::{Engine, Neighbours, Timings};
use obbligato::{Pair, Report};
use wasm_bindgen::JsValue;

/// The value of a feature if bodies do not collide.
const NO_FEATURE: u8 = u8::MAX;

/// An object that is being made.
pub struct Fields(pub Object);

impl Fields {
    pub fn new() -> Self {
        Self(Object::new())
    }

    pub fn set(&self, name: &str, value: impl Into<JsValue>) {
        // Cannot fail on an object of our own.
        let _ = Reflect::set(&self.0, &name.into(), &value.into());
    }

    pub fn number(&self, name: &str, value: f64) {
        self.set(name, value);
    }

    pub fn text(&self, name: &str, value: &str) {
        self.set(name, value);
    }

    fn pairs(&self, name: &str, pairs: &[Pair]) {
        self.set(name, Uint32Array::from(bytemuck::cast_slice::<Pair, u32>(pairs)));
    }

    fn doubles(&self, name: &str, numbers: impl Iterator<Item = f64>) {
        self.set(name, Float64Array::from(&numbers.collect::<Vec<f64>>()[..]));
    }

    fn points<'a>(&self, name: &str, points: impl Iterator<Item = &'a DVec3>) {
        self.doubles(name, points.flat_map(|point| point.to_array()));
    }

    fn bytes(&self, name: &str, bytes: impl Iterator<Item = u8>) {
        self.set(name, Uint8Array::from(&bytes.collect::<Vec<u8>>()[..]));
    }

    fn engine(&self, engine: &Engine) {
        match engine {
            Engine::Gpu { adapter, kind, .. } => {
                self.text("backend", "gpu");
                self.text("adapter", adapter);
                self.text("adapterKind", &kind.to_string());
            }
            Engine::Cpu { .. } => self.text("backend", "cpu"),
        }
    }

    fn timings(&self, timings: &Timings) {
        let stages = |list: &[(obbligato::report::Stage, f64)]| -> Array {
            let entry = |(stage, time): &(obbligato::report::Stage, f64)| {
                JsValue::from(Array::of2(&stage.name().into(), &(*time).into()))
            };
            list.iter().map(entry).collect()
        };
        self.number("milliseconds", timings.total);
        self.set("stages", stages(&timings.wall));
        self.set("gpuStages", stages(&timings.gpu));
    }
}

impl From<Fields> for JsValue {
    fn from(fields: Fields) -> Self {
        fields.0.into()
    }
}

/// The object of a report. Fields that the check does not compute are absent.
pub fn report(report: &Report) -> Fields {
    let fields = Fields::new();
    fields.number("bodies", report.boxes as f64);
    fields.number("candidatePairs", report.candidate_pairs as f64);
    fields.number("collidingPairs", report.colliding_pairs as f64);
    for (name, count) in [
        ("touchingPairs", report.touching_pairs),
        ("nearPairs", report.near_pairs),
    ] {
        if let Some(count) = count {
            fields.number(name, count as f64);
        }
    }
    fields.number("undecidedPairs", report.undecided_pairs as f64);
    fields.set("complete", report.complete);
    fields.number("deviceBytes", report.device_bytes as f64);
    if let Some(choice) = &report.broad_phase {
        fields.text("broadPhase", choice.used.name());
    }
    fields.engine(&report.engine);
    fields.timings(&report.timings);
    if let Ok(pairs) = report.pairs() {
        fields.pairs("pairs", pairs);
    }
    if let Ok(sum) = report.checksum() {
        fields.text("checksum", &format!("{sum:016x}"));
    }
    if let Ok(touching) = report.touching() {
        fields.pairs("touching", touching);
    }
    if let Ok(degrees) = report.degrees() {
        fields.set("degrees", Uint32Array::from(degrees));
    }
    fields
}

/// The object of contacts.
pub fn contacts(found: &Contacts) -> Fields {
    let (fields, pairs, points) = (Fields::new(), found.penetrations(), found.points());
    let offsets: Vec<u32> = found.offsets().iter().map(|&offset| offset as u32).collect();
    fields.set("offsets", Uint32Array::from(&offsets[..]));
    let normals = pairs
        .iter()
        .map(|one| one.map_or(DVec3::NAN, |one| one.normal))
        .flat_map(|normal| normal.to_array());
    fields.doubles("normals", normals);
    fields.doubles("depths", pairs.iter().map(|one| one.map_or(f64::NAN, |one| one.depth)));
    let references: Vec<i8> = pairs
        .iter()
        .map(|one| match one.and_then(|one| one.reference) {
            Some(Side::A) => 0,
            Some(Side::B) => 1,
            None => -1,
        })
        .collect();
    fields.set("references", Int8Array::from(&references[..]));
    let features = pairs
        .iter()
        .flat_map(|one| one.map_or([NO_FEATURE; 2], |one| [one.feature_a, one.feature_b].map(feature)));
    fields.bytes("features", features);
    fields.points("onA", points.iter().map(|point| &point.on_a));
    fields.points("onB", points.iter().map(|point| &point.on_b));
    fields.doubles("pointDepths", points.iter().map(|point| point.depth));
    let of_point = |point: &ContactPoint| [point.feature_a, point.feature_b].map(feature);
    fields.bytes("pointFeatures", points.iter().flat_map(of_point));
    fields
}

/// The number of a feature: 0x0n is corner n, 0x1n edge n, 0x2n face n, 0x3n a part of a round
/// body.
fn feature(feature: Feature) -> u8 {
    match feature {
        Feature::Corner(number) => number,
        Feature::Edge(number) => 0x10 | number,
        Feature::Face(number) => 0x20 | number,
        Feature::Round(number) => 0x30 | number,
    }
}

/// The object of closest points.
pub fn distances(found: &[ClosestPoints]) -> Fields {
    let fields = Fields::new();
    fields.doubles("distances", found.iter().map(|one| one.distance));
    fields.points("onA", found.iter().map(|one| &one.on_a));
    fields.points("onB", found.iter().map(|one| &one.on_b));
    fields
}

/// The object of a sweep.
pub fn impacts(found: &Impacts) -> Fields {
    let (fields, all) = (Fields::new(), &found.impacts);
    fields.number("bodies", found.boxes as f64);
    fields.number("candidatePairs", found.candidate_pairs as f64);
    let pairs: Vec<Pair> = all.iter().map(|one| one.pair).collect();
    fields.pairs("pairs", &pairs);
    fields.text("checksum", &format!("{:016x}", found.checksum()));
    fields.doubles("times", all.iter().map(|one| one.first.time));
    fields.points("normals", all.iter().map(|one| &one.first.normal));
    fields.points("points", all.iter().map(|one| &one.first.point));
    let is_start = |state| matches!(state, ImpactState::Start);
    fields.bytes("starting", all.iter().map(|one| u8::from(is_start(one.first.state))));
    fields.bytes("resolved", all.iter().map(|one| u8::from(one.first.is_resolved)));
    fields.engine(&found.engine);
    fields.timings(&found.timings);
    fields
}

/// The object of neighbours.
pub fn neighbours(found: &Neighbours) -> Fields {
    let fields = Fields::new();
    let offsets: Vec<u32> = found.offsets().iter().map(|&offset| offset as u32).collect();
    fields.set("offsets", Uint32Array::from(&offsets[..]));
    fields.set("neighbours", Uint32Array::from(found.neighbours()));
    fields.set("distances", Float64Array::from(found.distances()));
    fields.bytes("cut", found.cut().iter().map(|&cut| u8::from(cut)));
    fields
}
