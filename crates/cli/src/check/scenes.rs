//! The bodies of FILE and, if present, of FILE_B, frame by frame.

use std::{collections::BTreeMap, path::Path};

use obbligato::{
    Bodies, Checker, Error, Obb64, Pair, Period, Query, Report, Set,
    contact::{ClosestPoints, Contacts, Overlap, closest_points, overlaps},
    glam::DVec3,
    query::{ContactQuery, DistanceQuery, OverlapQuery},
    report::{Adjacency, Direction, checksum},
    shape::{Image, Shapes},
};
use obbligato_files as files;
use obbligato_files::{Column, IdOrder, Ids, ReadOptions, SceneFile, Sides, Texts};
use obbligato_support::memory;

use super::{clash_rules::ClashRules, groups::Grouping, kinds::Rounded};
use crate::contacts::{self, on_host};
use crate::failure::Failure;
use crate::period;
use crate::{args::check::CheckArguments, args::choices::FrameChoice};

/// The bodies that are checked together.
pub struct Scenes {
    /// The frame, if the results distinguish several.
    pub frame: Option<i64>,
    pub scene: SceneFile,
    pub against: Option<SceneFile>,
    /// The origin of the bodies' coordinates, for pictures: not 0 if centers are `f64`.
    pub origin: DVec3,
    /// The boxes of both with centers in `f64`, if requested.
    boxes64: Option<[Vec<Obb64>; 2]>,
    /// The lengths after which space repeats.
    period: Option<Period>,
}

impl Scenes {
    fn new(frame: Option<i64>, mut scene: SceneFile, mut against: Option<SceneFile>) -> Result<Self, Failure> {
        if let Some(against) = against.as_ref().filter(|against| against.in_plane != scene.in_plane) {
            let [plane, space] = match against.in_plane {
                true => ["--against", "FILE"],
                false => ["FILE", "--against"],
            };
            return Err(Failure::Input(format!(
                "{plane} is a scene in the plane, without columns cz and hz, and {space} is one in space: give both in \
                 the plane, or both in space"
            )));
        }
        let mut origin = DVec3::ZERO;
        let mut boxes64 = None;
        if scene.centers.is_some() {
            let others = against.as_ref().map_or(Ok(Vec::new()), SceneFile::boxes64)?;
            let both = [scene.boxes64()?, others];
            origin = middle(&both);
            // From here on, the `f32` boxes are only drawn, and far from the origin they could not
            // be.
            let own = [&mut scene].into_iter().chain(&mut against);
            for (file, boxes) in own.zip(&both) {
                for (obb, placed) in file.boxes.iter_mut().zip(boxes) {
                    obb.center = (placed.center - origin).as_vec3();
                }
            }
            boxes64 = Some(both);
        }
        Ok(Self {
            frame,
            scene,
            against,
            origin,
            boxes64,
            period: None,
        })
    }

    /// Returns the scenes that a pair's `a` and `b` refer to.
    pub fn sides(&self) -> Sides<'_> {
        [&self.scene, self.against.as_ref().unwrap_or(&self.scene)]
    }

    pub fn bodies(&self) -> [Bodies<'_>; 2] {
        self.sides().map(SceneFile::bodies)
    }

    /// Checks a query of these bodies.
    pub fn check(&self, checker: &mut Checker, query: &Query<'_>) -> Result<Report, Failure> {
        let report = match self.scene.in_plane {
            true => checker.check((*query).in_plane()),
            false => checker.check(*query),
        };
        report.map_err(|error| self.named(error))
    }

    /// Returns the query for the pairs.
    pub fn query(&self) -> Query<'_> {
        let query = self.open_query();
        match self.period {
            Some(period) => query.periodic(period),
            None => query,
        }
    }

    fn open_query(&self) -> Query<'_> {
        let Some([boxes, others]) = &self.boxes64 else {
            return match &self.against {
                Some(against) => Query::between(self.scene.set(), against.set()),
                None => self.scene.set().into(),
            };
        };
        let set = Set::from(boxes).with(self.scene.rules());
        match &self.against {
            Some(against) => Query::between(set, Set::from(others).with(against.rules())),
            None => set.into(),
        }
    }

    /// Returns the boxes with centers in `f64` that a pair's `a` and `b` refer to, if they are in
    /// use.
    fn sides64(&self) -> Option<[&[Obb64]; 2]> {
        let [boxes, others] = self.boxes64.as_ref()?;
        Some([boxes, if self.against.is_some() { others } else { boxes }])
    }

    /// Returns the shapes that a pair's `a` and `b` refer to.
    fn shapes(&self) -> [Shapes<'_>; 2] {
        match self.sides64() {
            Some(boxes) => boxes.map(Shapes::from),
            None => self.bodies().map(Shapes::from),
        }
    }

    /// Returns the ids of a pair if they are texts, in ascending order.
    pub fn texts_of(&self, pair: Pair) -> [&str; 2] {
        let [a, b] = self.sides();
        let mut both = [(a, pair.a), (b, pair.b)].map(|(scene, body)| match &scene.ids {
            Some(Ids::Texts(texts)) => texts.get(body as usize),
            _ => "",
        });
        both.sort_unstable();
        both
    }

    /// Returns the bodies of a pair, the second one in this image.
    pub fn rounded(&self, pair: Pair, image: Image) -> [Rounded; 2] {
        let [a, b] = match self.sides64() {
            Some([a, b]) => [&a[pair.a as usize], &b[pair.b as usize]].map(Rounded::from),
            None => {
                let [a, b] = self.bodies();
                [a.at(pair.a), b.at(pair.b)].map(Rounded::from)
            }
        };
        [a, b.moved(self.shift(image))]
    }

    /// Returns the vector by which an image of a body is moved.
    pub fn shift(&self, image: Image) -> DVec3 {
        let lengths = self.period.map_or([None; 3], |period| period.lengths);
        DVec3::from_array([0, 1, 2].map(|k| lengths[k].map_or(0.0, |length| length * image[k] as f64)))
    }

    /// Returns the lengths after which space repeats.
    pub fn period(&self) -> Option<Period> {
        self.period
    }

    /// Returns `true` if a pair, which may only be near, collides in an open scene.
    pub fn collide(&self, pair: Pair) -> bool {
        match self.sides64() {
            Some([a, b]) => a[pair.a as usize].contact(&b[pair.b as usize]).collides(),
            None => {
                let [a, b] = self.bodies();
                a.at(pair.a).contact(b.at(pair.b)).collides()
            }
        }
    }

    /// Returns the number of pairs that are only near.
    pub fn count_near(&self, pairs: &[Pair]) -> Result<u64, Failure> {
        let collide = self.which_collide(pairs)?;
        Ok(collide.iter().filter(|collides| !**collides).count() as u64)
    }

    /// Returns for each pair `true` if it collides, `false` if it is only near.
    pub fn which_collide(&self, pairs: &[Pair]) -> Result<Vec<bool>, Failure> {
        const WHAT: &str = "the collisions of pairs";
        let Some(period) = self.period else {
            return Ok(memory::collect(pairs.iter().map(|pair| self.collide(*pair)), WHAT)?);
        };
        let (contacts, _) = self.contacts_of_images(pairs, period)?;
        Ok(memory::collect(
            contacts.penetrations().iter().map(Option::is_some),
            WHAT,
        )?)
    }

    /// Returns the overlaps of pairs of boxes, and the images of the second boxes if space repeats.
    pub fn overlaps(&self, pairs: &[Pair]) -> Result<(Vec<Overlap>, Vec<Image>), Failure> {
        let query = OverlapQuery::new(self.shapes(), pairs);
        let Some(period) = self.period else {
            let found = match self.scene.in_plane {
                true => on_host()?.check(query.in_plane())?,
                false => overlaps(self.shapes(), pairs)?,
            };
            return Ok((found, Vec::new()));
        };
        let (mut checker, query) = (on_host()?, query.periodic(period));
        let answer = match self.scene.in_plane {
            true => checker.check(query.in_plane()),
            false => checker.check(query),
        };
        let answer = answer.map_err(|error| self.named(error))?;
        Ok((answer.found, answer.images))
    }

    /// Returns the distances and closest points of pairs, and the images of the second bodies if
    /// space repeats.
    pub fn closest_points(&self, pairs: &[Pair]) -> Result<(Vec<ClosestPoints>, Vec<Image>), Failure> {
        let Some(period) = self.period else {
            let query = DistanceQuery::new(self.shapes(), pairs).in_plane();
            let found = match self.scene.in_plane {
                true => on_host()?.check(query)?,
                false => closest_points(self.shapes(), pairs)?,
            };
            return Ok((found, Vec::new()));
        };
        let query = DistanceQuery::new(self.shapes(), pairs).periodic(period);
        let mut checker = on_host()?;
        let answer = match self.scene.in_plane {
            true => checker.check(query.in_plane()),
            false => checker.check(query),
        };
        let answer = answer.map_err(|error| self.named(error))?;
        Ok((answer.found, answer.images))
    }

    /// Replaces `contacts` with those of pairs, and returns the images of the second bodies if
    /// space repeats.
    pub fn find_contacts(&self, pairs: &[Pair], contacts: &mut Contacts) -> Result<Vec<Image>, Failure> {
        let Some(period) = self.period else {
            contacts::update(contacts, self.scene.in_plane, self.shapes(), pairs)?;
            return Ok(Vec::new());
        };
        let (found, images) = self.contacts_of_images(pairs, period)?;
        *contacts = found;
        Ok(images)
    }

    fn contacts_of_images(&self, pairs: &[Pair], period: Period) -> Result<(Contacts, Vec<Image>), Failure> {
        let query = ContactQuery::new(self.shapes(), pairs);
        let answer = contacts::of_images(&mut on_host()?, self.scene.in_plane, query, period);
        let answer = answer.map_err(|error| self.named(error))?;
        Ok((answer.found, answer.images))
    }

    /// Returns an error that, for a body that does not fit the period, has its id.
    pub fn named(&self, error: Error) -> Failure {
        match error {
            Error::OutOfPeriod { index, problem, count } => {
                let first = self.scene.len();
                let id = match &self.against {
                    Some(against) if index >= first => against.id_of(index - first).to_string(),
                    _ => self.scene.id_of(index).to_string(),
                };
                period::out_of_period(&id, &problem, count)
            }
            error => error.into(),
        }
    }

    /// Returns a pair as in a report, which does not use ids.
    pub fn as_reported(&self, pair: Pair) -> Pair {
        match self.against {
            Some(_) => pair,
            None => Pair::new(pair.a, pair.b),
        }
    }

    /// The partners of each row of FILE, by their rows.
    pub fn adjacency(&self, pairs: &[Pair]) -> Result<Adjacency, Failure> {
        let direction = match self.against {
            Some(_) => Direction::AToB,
            None => Direction::Both,
        };
        let count = self.scene.len();
        let rows = self.sides().map(|scene| scene.rows.as_deref());
        if rows == [None; 2] {
            return Ok(Adjacency::new(count, pairs, direction)?);
        }
        let row = |side: usize, position: u32| rows[side].map_or(position, |rows| rows[position as usize]);
        let by_rows = pairs.iter().map(|pair| Pair {
            a: row(0, pair.a),
            b: row(1, pair.b),
        });
        Ok(Adjacency::new(
            count,
            &memory::collect(by_rows, "the pairs by rows")?,
            direction,
        )?)
    }

    pub fn orders(&self) -> Result<Orders<'_>, Failure> {
        Ok(Orders {
            first: self.scene.order()?,
            second: self.against.as_ref().map(SceneFile::order).transpose()?,
        })
    }

    /// Returns the checksum of pairs in the order of results: over their ids if these are numbers,
    /// otherwise over their ranks.
    pub fn checksum(&self, pairs: &[Pair]) -> Result<u64, Failure> {
        let [first, second] = self.sides();
        let keys = [first.keys()?, second.keys()?];
        if keys.iter().all(Option::is_none) {
            return Ok(checksum(pairs));
        }
        let key = |side: usize, position: u32| match &keys[side] {
            Some(keys) => keys[position as usize],
            None => position,
        };
        Ok(pairs.iter().fold(0, |sum, pair| {
            let keyed = Pair {
                a: key(0, pair.a),
                b: key(1, pair.b),
            };
            sum.wrapping_add(checksum(&[keyed]))
        }))
    }
}

/// Returns the midpoint of the bounds of all centers.
fn middle(boxes: &[Vec<Obb64>; 2]) -> DVec3 {
    let mut centers = boxes.iter().flatten().map(|obb| obb.center);
    let first = centers.next().unwrap_or_default();
    let (low, high) = centers.fold((first, first), |(low, high), center| {
        (low.min(center), high.max(center))
    });
    low.midpoint(high)
}

/// The orders of the boxes by their ids.
pub struct Orders<'a> {
    first: IdOrder<'a>,
    second: Option<IdOrder<'a>>,
}

impl Orders<'_> {
    /// Sorts pairs of positions in the order of results: by ids and, within one scene, with the
    /// smaller id first.
    pub fn sort(&self, pairs: &mut [Pair]) -> files::Result<()> {
        match &self.second {
            Some(second) => self.first.sort_with(second, pairs),
            None => self.first.sort(pairs),
        }
    }

    /// Returns the ranks of a sorted pair's boxes among the ids, by which pairs sort.
    pub fn ranks(&self, pair: Pair) -> Pair {
        let second = self.second.as_ref().unwrap_or(&self.first);
        Pair {
            a: self.first.rank(pair.a),
            b: second.rank(pair.b),
        }
    }

    /// Returns the ranks of the boxes with two ids, in the order of results.
    pub fn find(&self, a: &str, b: &str) -> Option<Pair> {
        let second = self.second.as_ref().unwrap_or(&self.first);
        let ranks = self.ranks(Pair {
            a: self.first.find(a)?,
            b: second.find(b)?,
        });
        Some(match self.second {
            Some(_) => ranks,
            None => Pair::new(ranks.a, ranks.b),
        })
    }
}

/// Reads what is to be checked: one frame, or all of them in ascending order.
pub fn read(arguments: &CheckArguments, rules: Option<&ClashRules>) -> Result<Vec<Scenes>, Failure> {
    let mut all = read_open(arguments, rules)?;
    all.iter_mut().for_each(|scenes| scenes.period = arguments.period);
    Ok(all)
}

fn read_open(arguments: &CheckArguments, rules: Option<&ClashRules>) -> Result<Vec<Scenes>, Failure> {
    let file = &arguments.file;
    let options = options(arguments, rules);
    let failed = |error: files::Error| match rules {
        Some(rules) => rules.named(error),
        None => error.into(),
    };
    if arguments.frame != Some(FrameChoice::All) {
        let read = |file: &Path, options| files::read_scene_with(file, options).map_err(failed);
        let scene = read(file, &options[0])?;
        let against = read_against(arguments, |against| read(against, &options[1]))?;
        return Ok(vec![Scenes::new(None, scene, against)?]);
    }
    let read = |file: &Path, options| files::read_frames(file, options).map_err(failed);
    let frames = read(file, &options[0])?;
    let Some(others) = read_against(arguments, |against| read(against, &options[1]))? else {
        let alone = |(frame, scene)| Scenes::new(Some(frame), scene, None);
        return frames.into_iter().map(alone).collect();
    };
    together(frames, others, &options)
}

fn read_against<T>(
    arguments: &CheckArguments,
    read: impl FnOnce(&Path) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    arguments.against.as_deref().map(read).transpose()
}

/// Returns the options for reading FILE and FILE_B.
fn options(arguments: &CheckArguments, rules: Option<&ClashRules>) -> [ReadOptions; 2] {
    let one_file = arguments.against.is_none();
    [0, 1].map(|side| {
        let mut columns = arguments.keep.clone();
        for name in arguments.group.iter().flat_map(Grouping::columns) {
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
        let by_condition = arguments.condition.iter().flat_map(|condition| condition.columns());
        let by_rules = rules.into_iter().flat_map(ClashRules::columns);
        for (of, name) in by_condition.chain(by_rules) {
            if (one_file || of == side) && !columns.iter().any(|column| column == name) {
                columns.push(name.to_owned());
            }
        }
        ReadOptions {
            frame: match arguments.frame {
                Some(FrameChoice::One(frame)) => Some(frame),
                _ => None,
            },
            id_column: arguments.id_column.clone(),
            columns,
            f64: arguments.f64,
            ..ReadOptions::default()
        }
    })
}

/// Combines the frames of two files: a frame that one of them lacks has no boxes there.
fn together(
    frames: Vec<(i64, SceneFile)>,
    others: Vec<(i64, SceneFile)>,
    options: &[ReadOptions; 2],
) -> Result<Vec<Scenes>, Failure> {
    let mut all: BTreeMap<i64, [Option<SceneFile>; 2]> = BTreeMap::new();
    for (frame, scene) in frames {
        all.entry(frame).or_default()[0] = Some(scene);
    }
    for (frame, scene) in others {
        all.entry(frame).or_default()[1] = Some(scene);
    }
    let both = |(frame, [scene, against]): (i64, [Option<SceneFile>; 2])| {
        let in_plane = [&scene, &against].into_iter().flatten().any(|scene| scene.in_plane);
        let scene = scene.unwrap_or_else(|| empty(&options[0], in_plane));
        let against = against.unwrap_or_else(|| empty(&options[1], in_plane));
        Scenes::new(Some(frame), scene, Some(against))
    };
    all.into_iter().map(both).collect()
}

/// Returns a scene without boxes that has the columns which were read.
fn empty(options: &ReadOptions, in_plane: bool) -> SceneFile {
    let column = |name: &String| Column {
        name: name.clone(),
        values: Texts::default(),
    };
    SceneFile {
        in_plane,
        centers: options.f64.then(Vec::new),
        columns: options.columns.iter().map(column).collect(),
        ..SceneFile::default()
    }
}
