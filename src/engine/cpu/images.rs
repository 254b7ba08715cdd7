//! Candidate pairs in space that repeats: which image of one body a pair is about, and its test.
//!
//! Pairs of which neither body is moved, and which can meet in one image only, are those of an open
//! scene.
//!
//! # The filter in `f32`
//!
//! The others pass through the tests in `f32` of an open scene, with A at the origin and B at the
//! vector to its image, rounded to `f64` and then to `f32`. Those tests allow a relative error of
//! `u = 2^-24` for the difference of two centers, and the rounded vector is no further off:
//! rounding a number to `f32` is off by at most `u / (1 + u)` of it, and the number in `f64` by at
//! most `2^-53 (1 + 2^-51)` of the exact one, so both by less than `u - u² + 2^-51 < u`. Numbers
//! that are subnormal in `f32` are less exact, so pairs with one are undecided. What `f32` does not
//! decide is decided from the exact vector.
//!
//! # Pairs that meet in several images
//!
//! The broad phase finds each image of a pair that collides. A pair is reported for the least of
//! these, in lexicographic order, with the closest relation of all, so that it is reported once.
//! This needs no list of pairs: the other images are tested whenever one is found, if the bodies
//! are large enough for two.

use bytemuck::{Zeroable, cast_slice};
use glam::{DVec3, Vec3};

use crate::base::arrays::Mapped;
use crate::base::config::Precision;
use crate::base::memory::extend;
use crate::broad_phase::hits::BATCH;
use crate::engine::cpu::batch::{Batch, Watch};
use crate::engine::cpu::repeated::Repeated;
use crate::engine::cpu::tested::Tested;
use crate::engine::exact_stage::{Relation, decide};
use crate::geometry::pair::Pair;
use crate::geometry::period::Image;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::images::{PeriodicPair, radius};
use crate::narrow_phase::obb_obb::exact::Tally;
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::bodies::slot::Slot;
use crate::shapes::obb::record::Obb;

/// The nearest image is given, and the pair may be found in others.
const ALL: Image = [i64::MIN; 3];

/// Number of pairs tested at a time: a multiple of any machine's lanes, and few enough to stay in
/// the caches.
const BLOCK: usize = 128;

impl Batch<'_> {
    /// Tests pairs of bodies in their places, of which `b` is moved by an image.
    pub fn test_images(&mut self, repeated: &Repeated<'_>, candidates: &[Pair], image: Image) {
        let mut plain = std::mem::take(&mut self.worker.plain);
        let mut moved = std::mem::take(&mut self.worker.moved);
        plain.clear();
        moved.clear();
        self.worker.colliding.clear();
        for &pair in candidates {
            let ids = [pair.a, pair.b].mapped(|place| self.shared.tested.id(place));
            let between = repeated.between(ids[0], ids[1], image);
            let may_repeat = || self.with_pair(repeated, pair, |pair, margin| may_repeat(&pair, margin));
            match repeated.several && may_repeat() {
                true => self.test_image(repeated, pair, between),
                false if between != Image::default() => moved.push(self.in_order(pair, between)),
                false if self.shared.tested.are_movers() => plain.push(pair),
                // Given bodies are named by their positions, and image 0 is the same either way.
                false => plain.push(Pair::new(pair.a, pair.b)),
            }
        }
        moved.chunks(BLOCK).for_each(|pairs| self.test_moved(repeated, pairs));
        self.worker.moved = moved;
        self.keep_images();
        if !plain.is_empty() {
            self.with_allowed(&plain, Self::test_allowed);
        }
        self.worker.plain = plain;
    }

    /// Tests given pairs, in all images.
    pub fn test_all_images(&mut self, repeated: &Repeated<'_>, pairs: &[Pair]) {
        self.worker.colliding.clear();
        for &pair in pairs {
            self.test_image(repeated, pair, ALL);
        }
        self.keep_images();
    }

    /// Tests pairs, each in the given image and in no other, first in `f32`.
    fn test_moved(&mut self, repeated: &Repeated<'_>, pairs: &[(Pair, Image)]) {
        let shared = self.shared;
        if shared.have_own_margins() {
            let test = |&(pair, image): &(Pair, Image)| self.test_image(repeated, pair, image);
            return pairs.iter().for_each(test);
        }
        let mut slots = [[Slot::zeroed(); BLOCK]; 2];
        let mut own = [Pair { a: 0, b: 0 }; BLOCK];
        let mut watch = Watch::of(pairs);
        // Pairs are named by their numbers in the block until they are decided.
        let found = std::mem::take(&mut self.worker.colliding);
        let count = self.fill_block(repeated, pairs, &mut slots, &mut own);
        let (own, sets) = (&own[..count], slots.each_ref().map(|slots| &slots[..]));
        let boxes = sets.map(cast_slice::<Slot, Obb>);
        match shared.tested.are_boxes() {
            true if shared.has_margin() => self.test_distances(boxes, own),
            true => self.test_in_f32(boxes, own),
            false => {
                let slot = sets.map(|set| |k: u32| set[k as usize]);
                let kind = sets.map(|set| |k: u32| set[k as usize].kind());
                self.test_by_kind(own, boxes, slot, kind);
            }
        }
        self.worker.totals.narrow += watch.lap();
        let colliding = std::mem::replace(&mut self.worker.colliding, found);
        for own in colliding {
            self.keep_pair(pairs[own.a as usize].0);
        }
        self.decide_block(repeated, pairs, boxes);
        self.worker.totals.exact += watch.lap();
    }

    /// Fills the slots with the bodies of pairs, each with A at the origin, and `own` with the
    /// numbers of those pairs that `f32` can test. Returns the number of these.
    fn fill_block(
        &mut self,
        repeated: &Repeated<'_>,
        pairs: &[(Pair, Image)],
        [first, second]: &mut [[Slot; BLOCK]; 2],
        own: &mut [Pair; BLOCK],
    ) -> usize {
        let mut count = 0;
        for (k, &(pair, image)) in pairs.iter().enumerate() {
            if !self.is_asked(pair) {
                continue;
            }
            self.worker.totals.candidates += 1;
            let way = self.with_pair(repeated, pair, |pair, _| {
                let (way, [a, b]) = (pair.apart(image).rounded(), pair.bodies.map(Slot::from));
                (first[k], second[k]) = (a.centered_at(Vec3::ZERO), b.centered_at(way.as_vec3()));
                way
            });
            own[count] = Pair::new(k as u32, k as u32);
            match is_normal(way) {
                true => count += 1,
                false => self.worker.undecided.push(own[count]),
            }
        }
        count
    }

    /// Decides the pairs of a block that are undecided. Two boxes whose vector fits in `f32` are
    /// boxes of an open scene, which are decided in lanes.
    fn decide_block(&mut self, repeated: &Repeated<'_>, pairs: &[(Pair, Image)], boxes: [&[Obb]; 2]) {
        let (shared, mut undecided) = (self.shared, std::mem::take(&mut self.worker.undecided));
        self.worker.totals.undecided += undecided.len() as u64;
        let of = |own: &Pair| pairs[own.a as usize];
        undecided.retain(|own| {
            let (pair, image) = of(own);
            let is_short = || self.with_pair(repeated, pair, |pair, _| pair.apart(image).is_short());
            let as_boxes = shared.tested.are_boxes() && is_short();
            if !as_boxes {
                self.decide_image(repeated, pair, image);
            }
            as_boxes
        });
        let (bodies, margin) = (boxes.map(Bodies::from), shared.margin);
        let keep = |own: Pair, relation| self.keep_image(of(&own).0, relation);
        let tally = decide(bodies, &undecided, |own| own, |_| margin, keep);
        self.worker.totals.tally += tally;
        undecided.clear();
        self.worker.undecided = undecided;
    }

    /// Returns `true` if a pair counts, and if its answer is still of use.
    fn is_asked(&self, pair: Pair) -> bool {
        let shared = self.shared;
        let is_pair = shared.tested.are_movers() || pair.a != pair.b;
        let is_allowed = || shared.rules.is_none_or(|rules| rules.allow(shared.tested.named(pair)));
        is_pair && is_allowed() && !shared.is_over()
    }

    /// Tests an image of a pair.
    fn test_image(&mut self, repeated: &Repeated<'_>, pair: Pair, image: Image) {
        if self.is_asked(pair) {
            self.worker.totals.candidates += 1;
            self.decide_image(repeated, pair, image);
        }
    }

    /// Returns a pair of one set with the body of the smaller number first, so that its images are
    /// in one order.
    fn in_order(&self, pair: Pair, image: Image) -> (Pair, Image) {
        let tested = self.shared.tested;
        match !tested.are_movers() && tested.id(pair.a) > tested.id(pair.b) {
            true => (Pair { a: pair.b, b: pair.a }, image.map(i64::wrapping_neg)),
            false => (pair, image),
        }
    }

    /// Decides an image of a pair without rounding.
    fn decide_image(&mut self, repeated: &Repeated<'_>, pair: Pair, image: Image) {
        let (pair, image) = self.in_order(pair, image);
        let mut tally = Tally::default();
        let relation = self.with_pair(repeated, pair, |pair, margin| {
            let [a, b] = pair.bodies;
            match a.groups_meet(b) {
                true => relation(&pair, image, margin, &mut tally),
                false => Relation::Apart,
            }
        });
        self.worker.totals.tally += tally;
        self.keep_image(pair, relation);
    }

    fn keep_image(&mut self, pair: Pair, relation: Relation) {
        if relation == Relation::Apart {
            return;
        }
        let shared = self.shared;
        self.worker.totals.near += u64::from(relation == Relation::Near);
        if relation == Relation::Touching && shared.precision == Precision::Exact {
            self.worker.totals.touching += 1;
            if shared.list_touching {
                let named = shared.tested.named(pair);
                let noted = extend(&mut self.worker.touching_pairs, &[named], "the touching pairs");
                shared.note(noted.map_err(Into::into));
            }
        }
        self.keep_pair(pair);
    }

    fn keep_pair(&mut self, pair: Pair) {
        self.worker.colliding.push(pair);
        if self.worker.colliding.len() == BATCH {
            self.keep_images();
        }
    }

    fn keep_images(&mut self) {
        if !self.worker.colliding.is_empty() {
            self.keep();
            self.worker.colliding.clear();
        }
    }

    /// Calls a function with the bodies of a pair and its margin.
    fn with_pair<T>(&self, repeated: &Repeated<'_>, pair: Pair, work: impl FnOnce(PeriodicPair<'_>, f64) -> T) -> T {
        let (shared, places) = (self.shared, [pair.a, pair.b]);
        let (margin, period) = (shared.margin_of(pair), &repeated.period);
        if let Tested::Boxes64 { boxes, .. } = shared.tested {
            let boxes = places.map(|place| boxes[shared.tested.id(place) as usize]);
            let own = boxes.map(|obb| obb.centered_at(Vec3::ZERO));
            let bodies = own.each_ref().map(BodyRef::from);
            let centers = boxes.map(|obb| obb.center);
            return work(
                PeriodicPair {
                    bodies,
                    centers,
                    period,
                    in_plane: false,
                },
                margin,
            );
        }
        let [of_a, of_b] = shared.tested.bodies().unwrap_or_default();
        let [a, b] = places.map(|place| shared.tested.placed(Pair { a: place, b: place }).a);
        let bodies = [of_a.at(a), of_b.at(b)];
        let centers = bodies.map(|body| body.center().as_dvec3());
        work(
            PeriodicPair {
                bodies,
                centers,
                period,
                in_plane: false,
            },
            margin,
        )
    }
}

/// Returns `true` if no component is subnormal in `f32`, unless it is 0.
fn is_normal(way: DVec3) -> bool {
    way.to_array()
        .iter()
        .all(|x| *x == 0.0 || x.abs() >= f64::from(f32::MIN_POSITIVE))
}

/// Returns `true` if two images of B may be within the margin of A.
fn may_repeat(pair: &PeriodicPair<'_>, margin: f64) -> bool {
    let [a, b] = pair.bodies.map(radius);
    2.0 * (a + b + margin) >= pair.period.shortest()
}

/// Returns the closest relation of A and the images of B, if `image` is the least that is not
/// apart; otherwise that they are apart. If it is [`ALL`], the least is any.
fn relation(pair: &PeriodicPair<'_>, image: Image, margin: f64, tally: &mut Tally) -> Relation {
    let mut of_image = |image: Image| {
        let apart = pair.apart(image);
        match pair.contact(&apart, tally) {
            Contact::Overlapping => Relation::Overlapping,
            Contact::Touching => Relation::Touching,
            Contact::Separated if pair.within(&apart, margin) => Relation::Near,
            Contact::Separated => Relation::Apart,
        }
    };
    let is_given = image == ALL;
    let start = if is_given { pair.nearest() } else { image };
    let found = of_image(start);
    if !is_given && (found == Relation::Apart || !may_repeat(pair, margin)) {
        return found;
    }
    let [a, b] = pair.bodies.map(radius);
    let mut closest = found;
    for other in pair
        .in_reach(start, a + b + margin)
        .each()
        .filter(|other| *other != start)
    {
        let relation = of_image(other);
        if !is_given && other < start && relation != Relation::Apart {
            return Relation::Apart;
        }
        closest = closest.max(relation);
        if closest == Relation::Overlapping && (is_given || other > start) {
            break;
        }
    }
    closest
}
