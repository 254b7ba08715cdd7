//! Candidate pairs in space that repeats: which image of one body a pair is about, and its test.
//!
//! Pairs of which neither body is moved, and which can meet in one image only, are those of an open
//! scene. The others are tested one by one, without a filter in `f32`.
//!
//! # Pairs that meet in several images
//!
//! The broad phase finds each image of a pair that collides. A pair is reported for the least of
//! these, in lexicographic order, with the closest relation of all, so that it is reported once.
//! This needs no list of pairs: the other images are tested whenever one is found, if the bodies
//! are large enough for two.

use glam::Vec3;

use crate::base::config::Precision;
use crate::base::memory::extend;
use crate::broad_phase::hits::BATCH;
use crate::engine::cpu::batch::Batch;
use crate::engine::cpu::repeated::Repeated;
use crate::engine::cpu::tested::Tested;
use crate::engine::exact_stage::Relation;
use crate::geometry::pair::Pair;
use crate::geometry::period::Image;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::images::{PeriodicPair, radius};
use crate::narrow_phase::obb_obb::exact::Tally;
use crate::shapes::bodies::set::BodyRef;

/// The nearest image is given, and the pair may be found in others.
const ALL: Image = [i64::MIN; 3];

impl Batch<'_> {
    /// Tests pairs of bodies in their places, of which `b` is moved by an image.
    pub fn test_images(&mut self, repeated: &Repeated<'_>, candidates: &[Pair], image: Image) {
        let mut plain = std::mem::take(&mut self.worker.plain);
        plain.clear();
        self.worker.colliding.clear();
        for &pair in candidates {
            let ids = [pair.a, pair.b].map(|place| self.shared.tested.id(place));
            let between = repeated.between(ids[0], ids[1], image);
            let is_plain = between == Image::default()
                && !(repeated.several && self.with_pair(repeated, pair, |pair, margin| may_repeat(&pair, margin)));
            match is_plain {
                true if self.shared.tested.are_movers() => plain.push(pair),
                // Given bodies are named by their positions, and image 0 is the same either way.
                true => plain.push(Pair::new(pair.a, pair.b)),
                false => self.test_image(repeated, pair, between),
            }
        }
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

    /// Tests an image of a pair.
    fn test_image(&mut self, repeated: &Repeated<'_>, pair: Pair, image: Image) {
        let shared = self.shared;
        let named = shared.tested.named(pair);
        let are_two_sets = shared.tested.are_movers();
        let is_pair = are_two_sets || pair.a != pair.b;
        let is_allowed = is_pair && shared.rules.is_none_or(|rules| rules.allow(named));
        if !is_allowed || shared.is_over() {
            return;
        }
        // The images of a pair of one set are in one order, whichever body comes first.
        let is_swapped = !are_two_sets && shared.tested.id(pair.a) > shared.tested.id(pair.b);
        let (pair, image) = match is_swapped {
            true => (Pair { a: pair.b, b: pair.a }, image.map(i64::wrapping_neg)),
            false => (pair, image),
        };
        let mut tally = Tally::default();
        let relation = self.with_pair(repeated, pair, |pair, margin| {
            let [a, b] = pair.bodies;
            match a.groups_meet(b) {
                true => relation(&pair, image, margin, &mut tally),
                false => Relation::Apart,
            }
        });
        let totals = &mut self.worker.totals;
        totals.candidates += 1;
        totals.tally += tally;
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
