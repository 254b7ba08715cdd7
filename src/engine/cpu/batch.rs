//! A batch of candidate pairs. Its pairs pass through the rules, the narrow phase and the exact
//! stage while they are in the caches, so they need almost no memory.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use bytemuck::cast_slice;

use crate::base::clock::Instant;
use crate::base::config::Output;
use crate::base::memory::extend;
use crate::broad_phase::hits::{BATCH, Found};
use crate::engine::cpu::tested::Tested;
use crate::engine::cpu::worker::{Shared, Worker, reserve_batch};
use crate::engine::exact_stage::{Relation, decide, decide_each};
use crate::geometry::pair::Pair;
use crate::geometry::period::Image;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::moving_moving::moving_sat_cpu::moving_sat;
use crate::narrow_phase::obb_obb::obb_distance_cpu::{Nearness, nearness};
use crate::narrow_phase::obb_obb::obb_sat_cpu::obb_sat;
use crate::narrow_phase::obb_obb::obb64_pairs::obb64_pairs;
use crate::narrow_phase::round::answers::{Answers, Question};
use crate::narrow_phase::round::box_round_cpu::box_round;
use crate::narrow_phase::round::round_round_cpu::round_round;
use crate::narrow_phase::round::sphere_sphere_cpu::sphere_sphere;
use crate::narrow_phase::table::meet_on_cpu;
use crate::narrow_phase::triangle_triangle::triangle_pairs_cpu::triangle_pairs;
use crate::shapes::bodies::set::{Bodies, BodyRef, Kind};
use crate::shapes::bodies::slot::Slot;
use crate::shapes::kind::Shape;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;
use crate::shapes::triangle::set::Triangles;

/// The tests of the narrow phase.
#[derive(Clone, Copy)]
enum Test {
    Boxes,
    Balls,
    Rounds,
    BoxRound,
}

/// Maximum number of pairs whose steps are not timed: reading the clock would take a good part of
/// the time of a small scene.
const FEW: usize = 16;

/// The number of tests.
const TESTS: usize = 4;

impl Test {
    fn of(a: Kind, b: Kind) -> Self {
        match (a, b) {
            (Kind::Box, Kind::Box) => Self::Boxes,
            (Kind::Ball, Kind::Ball) => Self::Balls,
            (Kind::Box, Kind::Capsule | Kind::Ball) | (Kind::Capsule | Kind::Ball, Kind::Box) => Self::BoxRound,
            (Kind::Capsule, Kind::Capsule | Kind::Ball) | (Kind::Ball, Kind::Capsule) => Self::Rounds,
        }
    }
}

/// Sorts the pairs of a batch by their tests. Returns the start of each test's pairs, followed by
/// the end of the last.
fn sort_by_test(pairs: &[Pair], test_of: impl Fn(&Pair) -> Test, sorted: &mut [Pair]) -> [usize; TESTS + 1] {
    let mut tests = [0u8; BATCH];
    let mut starts = [0; TESTS + 1];
    for (place, pair) in tests.iter_mut().zip(pairs) {
        let test = test_of(pair) as usize;
        *place = test as u8;
        starts[test + 1] += 1;
    }
    for test in 0..TESTS {
        starts[test + 1] += starts[test];
    }
    let mut next = starts;
    for (test, pair) in tests.iter().zip(pairs) {
        let place = &mut next[usize::from(*test)];
        sorted[*place] = *pair;
        *place += 1;
    }
    starts
}

/// Appends the pairs whose bits are set.
fn keep_those(pairs: &[Pair], bits: u32, list: &mut Vec<Pair>) {
    let mut rest = bits;
    while rest != 0 {
        list.push(pairs[rest.trailing_zeros() as usize]);
        rest &= rest - 1;
    }
}

/// Measures consecutive steps of a batch, unless it has few pairs.
pub(super) struct Watch(Option<Instant>);

impl Watch {
    pub fn of<T>(pairs: &[T]) -> Self {
        Self((pairs.len() > FEW).then(Instant::now))
    }

    /// Returns the time since the last call, or since the start.
    pub fn lap(&mut self) -> Duration {
        self.0.as_mut().map_or(Duration::ZERO, |last| {
            let now = Instant::now();
            now - std::mem::replace(last, now)
        })
    }
}

/// Candidate pairs that pass through the narrow phase.
pub(super) struct Batch<'a> {
    pub shared: &'a Shared<'a>,
    pub worker: &'a mut Worker,
}

impl Batch<'_> {
    /// Adds a candidate pair.
    #[inline]
    pub fn push(&mut self, pair: Pair) {
        self.worker.candidates.push(pair);
        if self.worker.candidates.len() == BATCH {
            self.test_gathered();
        }
    }

    pub fn test_gathered(&mut self) {
        let candidates = std::mem::take(&mut self.worker.candidates);
        self.test(&candidates);
        self.worker.candidates = candidates;
        self.worker.candidates.clear();
    }

    /// Processes the pairs that a walk has found.
    pub fn take(&mut self, pairs: &[Pair], found: Found) {
        match found {
            // With a margin, pairs may collide by their margins only.
            Found::Colliding if !self.shared.has_margin() && self.shared.repeated.is_none() => {
                self.with_allowed(pairs, Self::keep_all)
            }
            _ => self.test(pairs),
        }
    }

    /// Runs the rules, the narrow phase and the exact stage on some candidate pairs.
    pub fn test(&mut self, candidates: &[Pair]) {
        match self.shared.repeated {
            Some(repeated) => self.test_images(repeated, candidates, Image::default()),
            None => self.with_allowed(candidates, Self::test_allowed),
        }
    }

    /// Applies the rules to some candidate pairs, and passes those allowed to `step`.
    pub fn with_allowed(&mut self, candidates: &[Pair], step: fn(&mut Self, &[Pair])) {
        if candidates.is_empty() {
            return;
        }
        let Some(rules) = self.shared.rules else {
            return step(self, candidates);
        };
        let tested = self.shared.tested;
        let mut allowed = std::mem::take(&mut self.worker.allowed);
        allowed.clear();
        reserve_batch(&mut allowed);
        allowed.extend(candidates.iter().filter(|pair| rules.allow(tested.named(**pair))));
        step(self, &allowed);
        self.worker.allowed = allowed;
    }

    /// Keeps pairs that collide.
    fn keep_all(&mut self, pairs: &[Pair]) {
        if self.shared.is_over() {
            return;
        }
        self.worker.totals.candidates += pairs.len() as u64;
        self.worker.colliding.clear();
        reserve_batch(&mut self.worker.colliding);
        self.worker.colliding.extend_from_slice(pairs);
        self.keep();
    }

    pub fn test_allowed(&mut self, candidates: &[Pair]) {
        let shared = self.shared;
        if shared.is_over() {
            return;
        }
        self.worker.totals.candidates += candidates.len() as u64;
        self.worker.colliding.clear();
        match (shared.tested.sets(), shared.tested) {
            (Some(sets), _) => {
                let mut watch = Watch::of(candidates);
                match shared.has_margin() {
                    true => self.test_distances(sets, candidates),
                    false => self.test_in_f32(sets, candidates),
                }
                self.worker.totals.narrow += watch.lap();
                if !self.worker.undecided.is_empty() {
                    self.decide(sets.map(Bodies::from));
                    self.worker.totals.exact += watch.lap();
                }
            }
            (None, tested) if let Some(sets) = tested.bodies() => {
                let mut watch = Watch::of(candidates);
                self.test_bodies(candidates);
                self.worker.totals.narrow += watch.lap();
                if !self.worker.undecided.is_empty() {
                    self.decide(sets);
                    self.worker.totals.exact += watch.lap();
                }
            }
            (None, Tested::Moving { boxes, .. }) => {
                let start = Instant::now();
                moving_sat(boxes, candidates, &mut self.worker.colliding);
                self.worker.totals.narrow += start.elapsed();
            }
            (None, Tested::Triangles { triangles, .. }) => self.test_triangles(triangles, candidates),
            (None, Tested::Boxes64 { boxes, .. }) => self.test_boxes64(boxes, candidates),
            (None, Tested::Others { set, .. }) if set.shape() != Shape::Aabb || shared.has_margin() => {
                let start = Instant::now();
                let meet = |pair: &&Pair| meet_on_cpu(set, shared.tested.named(**pair), shared.margin_of(**pair));
                self.worker.colliding.extend(candidates.iter().filter(meet));
                self.worker.totals.narrow += start.elapsed();
            }
            // Plain bounds need no narrow phase: the broad phase is exact.
            (None, _) => self.worker.colliding.extend_from_slice(candidates),
        }
        self.keep();
    }

    /// Runs the narrow phase. Hits are kept without a branch, because they are practically random.
    pub fn test_in_f32(&mut self, sets: [&[Obb]; 2], candidates: &[Pair]) {
        let (colliding, undecided) = (&mut self.worker.colliding, &mut self.worker.undecided);
        [&mut *colliding, &mut *undecided].into_iter().for_each(reserve_batch);
        // Every pair is written to the next free place, and overwritten if it is not kept.
        let mut count = colliding.len();
        colliding.resize(count + candidates.len(), Pair { a: 0, b: 0 });
        obb_sat(sets, candidates, self.shared.precision, |pairs, verdicts| {
            for (bit, pair) in pairs.iter().enumerate() {
                colliding[count] = *pair;
                count += (verdicts.overlapping >> bit & 1) as usize;
            }
            if verdicts.undecided != 0 {
                let those = |(bit, _): &(usize, &Pair)| verdicts.undecided >> bit & 1 == 1;
                undecided.extend(pairs.iter().enumerate().filter(those).map(|(_, pair)| *pair));
            }
        });
        colliding.truncate(count);
    }

    /// Runs the narrow phase and the exact stage for triangles.
    fn test_triangles(&mut self, triangles: Triangles<'_>, candidates: &[Pair]) {
        let start = Instant::now();
        let Worker {
            totals,
            colliding,
            undecided,
            ..
        } = &mut *self.worker;
        [&mut *colliding, &mut *undecided].into_iter().for_each(reserve_batch);
        triangle_pairs(triangles, candidates, |pairs, verdicts| {
            keep_those(pairs, verdicts.meeting, colliding);
            keep_those(pairs, verdicts.undecided, undecided);
        });
        let tested = Instant::now();
        totals.narrow += tested - start;
        totals.undecided += undecided.len() as u64;
        let meet = |pair: &Pair| triangles.meet(pair.a as usize, pair.b as usize);
        colliding.extend(undecided.drain(..).filter(meet));
        totals.exact += tested.elapsed();
    }

    /// Runs the narrow phase and the exact stage for boxes with centers in `f64`.
    fn test_boxes64(&mut self, boxes: &[Obb64], candidates: &[Pair]) {
        let (start, shared) = (Instant::now(), self.shared);
        let Worker {
            totals,
            colliding,
            undecided: named,
            touching_pairs,
            ..
        } = &mut *self.worker;
        [&mut *colliding, &mut *named].into_iter().for_each(reserve_batch);
        named.extend(candidates.iter().map(|pair| shared.tested.named(*pair)));
        let margin = |k: usize| shared.margin_of(candidates[k]);
        let margin: Option<&dyn Fn(usize) -> f64> = shared.has_margin().then_some(&margin);
        let counts = obb64_pairs(boxes, named, shared.precision, margin, |k, contact| {
            colliding.push(candidates[k]);
            totals.near += u64::from(contact == Contact::Separated);
            if contact == Contact::Touching {
                totals.touching += 1;
                if shared.list_touching {
                    shared.note(extend(touching_pairs, &[named[k]], "the touching pairs").map_err(Into::into));
                }
            }
        });
        named.clear();
        totals.undecided += counts.undecided;
        totals.tally += counts.tally;
        totals.narrow += start.elapsed();
    }

    /// Runs the narrow phase of checks with a margin.
    pub fn test_distances(&mut self, [a, b]: [&[Obb]; 2], candidates: &[Pair]) {
        let precision = self.shared.precision;
        for pair in candidates {
            let margin = self.shared.margin_of(*pair);
            let (a, b) = (&a[pair.a as usize], &b[pair.b as usize]);
            if !a.groups_meet(b) {
                continue;
            }
            match nearness(a, b, margin as f32, precision) {
                Nearness::Beyond => {}
                Nearness::Near => {
                    self.worker.totals.near += 1;
                    self.worker.colliding.push(*pair);
                }
                Nearness::Colliding => self.worker.colliding.push(*pair),
                Nearness::Undecided => self.worker.undecided.push(*pair),
            }
        }
    }

    /// Runs the narrow phase for bodies that are not all boxes. The pairs are sorted by the tests
    /// that they need.
    fn test_bodies(&mut self, candidates: &[Pair]) {
        let tested = self.shared.tested;
        match tested {
            Tested::Balls { sorted, .. } => {
                let ball = |place: u32| sorted[place as usize];
                self.test_in_lanes(candidates, |pairs, question, found| {
                    sphere_sphere(|pair| [ball(pair.a), ball(pair.b)], pairs, question, found);
                });
            }
            Tested::Bodies { slots, .. } => {
                let boxes = cast_slice::<Slot, Obb>(slots);
                let slot = |id: u32| slots[id as usize];
                self.test_by_kind(candidates, [boxes; 2], [slot; 2], [|id| slots[id as usize].kind(); 2]);
            }
            _ => {
                let Some(sets) = tested.bodies() else { return };
                let boxes = sets.map(|set| set.boxes);
                let slots = sets.map(|set| move |id| Slot::from(set.at(id)));
                self.test_by_kind(candidates, boxes, slots, sets.map(|set| move |id| set.kind(id)));
            }
        }
    }

    /// Sorts pairs of bodies by the tests that they need, given the slots and the kinds of both
    /// sets. Positions of boxes refer to `boxes`.
    pub fn test_by_kind(
        &mut self,
        candidates: &[Pair],
        boxes: [&[Obb]; 2],
        slots: [impl Fn(u32) -> Slot + Copy; 2],
        kinds: [impl Fn(u32) -> Kind; 2],
    ) {
        let mut sorted = [Pair { a: 0, b: 0 }; BATCH];
        for candidates in candidates.chunks(BATCH) {
            let test_of = |pair: &Pair| Test::of(kinds[0](pair.a), kinds[1](pair.b));
            let ends = sort_by_test(candidates, test_of, &mut sorted);
            let queue = |test: Test| &sorted[ends[test as usize]..ends[test as usize + 1]];
            let both = |pair: Pair| [slots[0](pair.a), slots[1](pair.b)];
            match self.shared.has_margin() {
                true => self.test_distances(boxes, queue(Test::Boxes)),
                false => self.test_in_f32(boxes, queue(Test::Boxes)),
            }
            self.test_in_lanes(queue(Test::Balls), |pairs, question, found| {
                sphere_sphere(|pair| both(pair).map(|slot| slot.ball()), pairs, question, found);
            });
            self.test_in_lanes(queue(Test::Rounds), |pairs, question, found| {
                round_round(both, pairs, question, found);
            });
            self.test_in_lanes(queue(Test::BoxRound), |pairs, question, found| {
                box_round(both, pairs, question, found);
            });
        }
    }

    /// Runs a test of round bodies.
    fn test_in_lanes(
        &mut self,
        pairs: &[Pair],
        test: impl FnOnce(&[Pair], Question<&dyn Fn(Pair) -> f32>, &mut dyn FnMut(&[Pair], Answers)),
    ) {
        let shared = self.shared;
        let Worker {
            totals,
            colliding,
            undecided,
            ..
        } = &mut *self.worker;
        [&mut *colliding, &mut *undecided].into_iter().for_each(reserve_batch);
        let margin = |pair| shared.margin_of(pair) as f32;
        let question = Question {
            precision: shared.precision,
            margin: shared.has_margin().then_some(&margin as &dyn Fn(Pair) -> f32),
        };
        test(pairs, question, &mut |pairs, answers| {
            totals.near += u64::from(answers.near.count_ones());
            keep_those(pairs, answers.colliding | answers.near, colliding);
            keep_those(pairs, answers.undecided, undecided);
        });
    }

    /// Runs the exact stage.
    fn decide(&mut self, sets: [Bodies<'_>; 2]) {
        let shared = self.shared;
        let Worker {
            totals,
            undecided,
            colliding,
            touching_pairs,
            ..
        } = &mut *self.worker;
        totals.undecided += undecided.len() as u64;
        let margin = |pair| shared.margin_of(pair);
        let placed = |pair| shared.tested.placed(pair);
        let found = |pair, relation| {
            if relation != Relation::Apart {
                colliding.push(pair);
            }
            totals.near += u64::from(relation == Relation::Near);
            if relation == Relation::Touching {
                totals.touching += 1;
                if shared.list_touching {
                    let pair = shared.tested.named(pair);
                    shared.note(extend(touching_pairs, &[pair], "the touching pairs").map_err(Into::into));
                }
            }
        };
        totals.tally += match shared.tested {
            Tested::Balls { sorted, .. } => {
                let ball = |place: u32| BodyRef::Sphere(&sorted[place as usize]);
                decide_each(undecided, |pair| [ball(pair.a), ball(pair.b)], margin, found)
            }
            _ => decide(sets, undecided, placed, margin, found),
        };
        undecided.clear();
    }

    /// Collects the colliding pairs. Sorting them counts towards the exact stage.
    pub fn keep(&mut self) {
        let shared = self.shared;
        let Worker {
            totals,
            pairs,
            colliding,
            ..
        } = &mut *self.worker;
        totals.colliding += colliding.len() as u64;
        let mut watch = Watch::of(colliding);
        let named = |pair: &Pair| shared.tested.named(*pair);
        if let Some(visit) = &shared.visit {
            colliding.iter_mut().for_each(|pair| *pair = named(pair));
            return visit.pairs(colliding);
        }
        match shared.output {
            Output::Pairs => {
                let taken = shared.take(colliding.len());
                shared.note(pairs.extend(&colliding[..taken], shared.buckets, named));
            }
            Output::Degrees => colliding
                .iter()
                .flat_map(|pair| shared.tested.counted(named(pair)))
                .for_each(|id| {
                    shared.degrees[id].fetch_add(1, Relaxed);
                }),
            Output::Count => {}
        }
        totals.exact += watch.lap();
    }
}
