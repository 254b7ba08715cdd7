//! Groups of clashes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use obbligato::{Backend, Checker, Config, Pair, Query, glam::Vec3, shape::Aabb};
use obbligato_files::Clash;
use obbligato_support::memory;

use super::{close_up::bounds, scenes::Scenes};
use crate::failure::Failure;

/// Label for out-of-memory errors.
const GROUPS: &str = "the groups of clashes";

/// The clashes that are one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Those whose bodies have the same texts in these columns.
    Columns(Vec<String>),
    /// Those within the margin of one another, and of others that are.
    Near,
}

impl std::str::FromStr for Grouping {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        match &*names {
            [near] if near == "near" => Ok(Self::Near),
            _ if names.iter().any(String::is_empty) => Err("expected column names separated by commas, or near".into()),
            _ => Ok(Self::Columns(names)),
        }
    }
}

impl Grouping {
    /// Returns the columns that it needs.
    pub fn columns(&self) -> &[String] {
        match self {
            Self::Columns(names) => names,
            Self::Near => &[],
        }
    }

    /// Returns texts that identify the group of some clashes: those in the columns, or the ids of
    /// the pair that comes first.
    pub fn key<'a>(&self, scenes: &'a Scenes, clashes: &[&Clash]) -> Vec<&'a str> {
        match (self, clashes) {
            (Self::Columns(names), [first, ..]) => {
                let [a, b] = texts(names, scenes, first.pair);
                [&["columns"][..], &a, &["with"], &b].concat()
            }
            _ => {
                let first = clashes.iter().map(|clash| scenes.texts_of(clash.pair)).min();
                [&["near"][..], &first.unwrap_or_default()].concat()
            }
        }
    }

    /// Numbers the groups of clashes, which are sorted, by the first clash of each. Returns their
    /// number.
    pub fn number(&self, scenes: &Scenes, margin: f64, clashes: &mut [Clash]) -> Result<u64, Failure> {
        match self {
            Self::Columns(names) => Ok(by_columns(names, scenes, clashes)),
            Self::Near => by_place(scenes, margin, clashes),
        }
    }
}

/// Numbers the clashes whose bodies have the same texts, within one scene in either order.
fn by_columns(names: &[String], scenes: &Scenes, clashes: &mut [Clash]) -> u64 {
    let mut numbers: HashMap<[Vec<&str>; 2], u32> = HashMap::new();
    for clash in clashes {
        let key = texts(names, scenes, clash.pair);
        let next = numbers.len() as u32;
        clash.group = Some(*numbers.entry(key).or_insert(next));
    }
    numbers.len() as u64
}

/// Returns the texts of both bodies in some columns, within one scene in either order.
pub fn texts<'a>(names: &[String], scenes: &'a Scenes, pair: Pair) -> [Vec<&'a str>; 2] {
    let [a, b] = scenes.sides();
    let mut both = [(a, pair.a), (b, pair.b)].map(|(scene, body)| {
        let columns = names.iter().filter_map(|name| scene.column(name));
        columns.map(|column| column.get(body as usize)).collect::<Vec<&str>>()
    });
    if scenes.against.is_none() {
        both.sort_unstable();
    }
    both
}

/// Numbers the clashes that are connected: those whose places, where the bounds of both bodies
/// overlap, are within the margin of one another.
fn by_place(scenes: &Scenes, margin: f64, clashes: &mut [Clash]) -> Result<u64, Failure> {
    let places = memory::collect(clashes.iter().map(|clash| place(scenes, clash)), GROUPS)?;
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        margin,
        ..Config::default()
    })?;
    let sets = Mutex::new(Sets::new(places.len())?);
    let join = |pairs: &[Pair]| {
        let mut sets = sets.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.iter().for_each(|pair| sets.join(pair));
    };
    let query = Query::from(&places).visit(&join);
    checker.check(match scenes.period() {
        Some(period) => query.periodic(period),
        None => query,
    })?;
    let mut sets = sets.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    for (k, clash) in (0..).zip(clashes) {
        let next = numbers.len() as u32;
        clash.group = Some(*numbers.entry(sets.root(k)).or_insert(next));
    }
    Ok(numbers.len() as u64)
}

/// Returns the box in which the bounds of both bodies overlap.
fn place(scenes: &Scenes, clash: &Clash) -> Aabb {
    let [a, b] = scenes.bodies();
    let [a, b] = [bounds(a.at(clash.pair.a)), bounds(b.at(clash.pair.b))];
    let moved = scenes.shift(clash.image).as_vec3();
    let [min, max] = [a.min.max(b.min + moved), a.max.min(b.max + moved)];
    // Rounding of the sums may leave bounds that only touch without a common point.
    Aabb::new(Vec3::min(min, max), Vec3::max(min, max))
}

/// Disjoint sets of numbers: a forest, in which each number has a parent in its set or is a root.
struct Sets(Vec<u32>);

impl Sets {
    fn new(count: usize) -> Result<Self, Failure> {
        Ok(Self(memory::collect((0..count).map(|number| number as u32), GROUPS)?))
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.0[number as usize] != number {
            let parent = self.0[number as usize];
            // Halves the path, so that later searches are short.
            self.0[number as usize] = self.0[parent as usize];
            number = parent;
        }
        number
    }

    fn join(&mut self, pair: &Pair) {
        let [a, b] = [self.root(pair.a), self.root(pair.b)];
        self.0[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_join_whatever_the_order() {
        let mut sets = Sets::new(6).expect("memory");
        for pair in [Pair::new(4, 5), Pair::new(0, 2), Pair::new(2, 4), Pair::new(0, 5)] {
            sets.join(&pair);
        }
        assert_eq!([0, 1, 2, 3, 4, 5].map(|number| sets.root(number)), [0, 1, 0, 3, 0, 0]);
    }

    #[test]
    fn groupings_are_read() {
        assert_eq!("near".parse(), Ok(Grouping::Near));
        assert_eq!(
            "type, name".parse(),
            Ok(Grouping::Columns(vec!["type".into(), "name".into()]))
        );
        assert!("type,".parse::<Grouping>().is_err());
        assert!("".parse::<Grouping>().is_err());
    }
}
