//! Bodies that turn, accelerate, or are uncertain: conservative advancement.
//!
//! # Method
//!
//! Time advances by steps that certainly contain no contact, until the step is over or the boxes
//! are within the tolerance (B. Mirtich, "Impulse-based dynamic simulation of rigid body systems",
//! 1996, section 2.3). A step is certified by one axis, along which the boxes have a gap
//! throughout; [`clearance`] bounds the gap from below, up to third order in time. The axis stays
//! fixed in the world or turns with a box, whichever lasts longer. So a box may rest just above
//! another for a whole step, or turn with it, and the search takes a single step.
//!
//! 1. Most pairs never meet. Bounding spheres in their own motion rule out most of them
//!    ([`Drift::keeps_apart`]). A single axis, tested over the whole step in both directions from
//!    the time at which the centers are closest, rules out others.
//! 2. At a time t up to which there is no contact, the gaps along the fifteen axes of the
//!    separating-axis test are computed. If the widest is above half of the tolerance, the search
//!    follows, of all such axes, the one whose gap seems to last longest, with every carrier, and
//!    time advances by the longest step. While steps are about equally long, boxes turn within
//!    reach of each other, and gaps come and go. The search then tests the gaps that exist half a
//!    step later and may have existed since: such a gap lasts longer than one that exists now.
//! 3. Otherwise the boxes' closest points are computed. If their distance is within the tolerance,
//!    that is the answer. If not, their direction is one more axis.
//!
//! # Termination
//!
//! For boxes at a distance D, the widest of the fifteen gaps is at least `D / sqrt(3)`. Proof: D is
//! attained in a direction w that is a combination `w = Σ λ_k n_k`, `λ_k >= 0`, of at most three of
//! the axes, the normals of the faces around the nearest point of the boxes' Minkowski difference.
//! This cone of normals is the intersection of those of a corner, edge or face of each box, all
//! within an octant, so `n_j·n_k >= 0`. With `|w| = 1`, `Σ λ_k² <= 1` and thus `Σ λ_k <= sqrt(3)`;
//! and `D = Σ λ_k (n_k · D w) <= sqrt(3) max_k (n_k · D w)`.
//!
//! So if all gaps are below half of the tolerance, the boxes are within seven eighths of it. The
//! exception is edges so nearly parallel that rounding spoils their axis; the direction of the
//! closest points covers these. Thus either an axis has a gap of half of the tolerance, or there is
//! an answer. A step leaves a quarter of that gap, and at the greatest speed of approach this takes
//! a time that has a lower bound.
//!
//! The bound may be small: a rod that turns a thousand times within reach of another takes at least
//! one step per radian. After [`MOST_STEPS`] the time reached is the answer, marked as not
//! resolved.
//!
//! # Capsules and spheres
//!
//! Their cores are boxes of no width: a rod and a point. Along any axis, the gap of the bodies is
//! that of their cores less the sum of the radii, so all bounds of a gap apply, less that sum. But
//! the fifteen axes of the cores give poor bounds. So the direction of the closest points of the
//! cores comes first: its gap is the distance of the bodies. The other axes are used if rounding
//! spoils it.
//!
//! # Error bounds
//!
//! All computations are in `f64`; [`course`] derives the error of a gap. A step is taken only along
//! a gap wider than the error. An answer is given only if the distance of the closest points plus
//! the error is within the tolerance. A tolerance below 16 times the error, about 2^-41 of the
//! boxes' sizes and paths, counts as that value; two points have no other. No function of the
//! platform is called, so the answers are the same on every machine.

mod axes;
mod clearance;
pub(super) mod course;
mod least_distance;

use glam::DVec3;

use crate::base::lanes::{self, Simd, dispatch};
use crate::narrow_phase::moving_moving::advancement::axes::{Axis, Carrier};
use crate::narrow_phase::moving_moving::advancement::clearance::Clearance;
use crate::narrow_phase::moving_moving::advancement::clearance::extend::CLOSE;
use crate::narrow_phase::moving_moving::advancement::course::{Course, Drift, Moment};
use crate::narrow_phase::moving_moving::start::{are_close, at_start};
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::shapes::moving::body::Body;
use crate::shapes::moving::step::Step;

/// The maximum number of steps; after these, the time reached is the answer. More steps settle
/// rarer cases, at a microsecond each.
const MOST_STEPS: usize = 1 << 14;

/// The number of axes tested to prove that bodies never meet. Within a step, more than one does not
/// pay: they save only a tenth of the steps.
const MOST_AXES: usize = 3;

/// If a step is longer than `STEADY` times the previous one, the next search looks ahead by `LEAD`
/// times the last step.
const STEADY: f64 = 0.5;
const LEAD: f64 = 0.5;

/// Marks a time for which no gap is known.
const NOTHING: f64 = -1.0;

/// The maximum number of tangents followed. When a body just grazes another, each halves the
/// remaining distance.
const MOST_TANGENTS: usize = 48;

/// The distance of points, in units of the error, above which their direction is known: to 2^-20.
pub(super) const KNOWN: f64 = (1u32 << 20) as f64;

/// The smallest tolerance, in units of the error of a gap.
pub(super) const LEAST_TOLERANCE: f64 = 16.0;

/// Returns when the two come within the tolerance of each other during a step.
pub(crate) fn impact(a: &Body, b: &Body, step: &Step) -> Option<TimeOfImpact> {
    // The search would find this too, after it has placed the boxes and looked for an axis.
    if are_close([a, b], [0.0; 2])
        && let Some(start) = at_start(a, b)
    {
        return Some(start);
    }
    let search = Search::new([a, b], [0.0; 2], step.dt, step.tolerance_of(a.obb, b.obb))?;
    dispatch!(lanes::level(), simd => search.run(simd))
}

/// Two bodies in motion and the parameters of the search.
pub(super) struct Search<'a> {
    bodies: [&'a Body<'a>; 2],
    /// The radii: all points within this distance of a box belong to its body.
    radii: [f64; 2],
    dt: f64,
    pub tolerance: f64,
    course: Course,
}

impl<'a> Search<'a> {
    /// Returns `None` if spheres around both prove that they never meet.
    #[inline(always)]
    pub fn new(bodies: [&'a Body<'a>; 2], radii: [f64; 2], dt: f64, tolerance: f64) -> Option<Self> {
        let [a, b] = bodies;
        let (drift, reach) = (Drift::new(a, b), radii[0] + radii[1]);
        let radius = |body: &Body| body.obb.half_extents.as_dvec3().length();
        if drift.keeps_apart(radius(a) + radius(b) + reach, dt) {
            return None;
        }
        Some(Self::along(drift, bodies, radii, dt, tolerance))
    }

    /// Returns the search for bodies that may stay apart.
    pub fn of(bodies: [&'a Body<'a>; 2], radii: [f64; 2], dt: f64, tolerance: f64) -> Self {
        Self::along(Drift::new(bodies[0], bodies[1]), bodies, radii, dt, tolerance)
    }

    #[inline(always)]
    fn along(drift: Drift, bodies: [&'a Body<'a>; 2], radii: [f64; 2], dt: f64, tolerance: f64) -> Self {
        let course = Course::new(drift, bodies[0], bodies[1], radii[0] + radii[1], dt);
        Self {
            bodies,
            radii,
            dt,
            tolerance: tolerance.max(LEAST_TOLERANCE * course.error),
            course,
        }
    }
}

impl Search<'_> {
    /// Runs the whole search, compiled for each set of vector instructions so that the sums take
    /// fewer of them.
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S) -> Option<TimeOfImpact> {
        match self.never_meets(simd) {
            true => None,
            false => self.first(simd),
        }
    }

    fn is_round(&self) -> bool {
        self.course.reach > 0.0
    }

    /// Returns `true` if an axis at the time when the centers are closest proves that the bodies
    /// never meet.
    #[inline(always)]
    pub fn never_meets<S: Simd>(&self, simd: S) -> bool {
        let nearest = self.course.drift.nearest(self.dt);
        let moment = self.course.at(nearest);
        let lasts = |axis: &Axis| {
            // Gaps along axes of edges last for only a fraction of a turn.
            let mut carriers = moment
                .carriers(axis)
                .filter(|carrier| !matches!(carrier, Carrier::Edges(_)));
            carriers.any(|carrier| {
                let clearance = Clearance::new(&moment, axis, carrier);
                clearance.least(nearest, self.dt - nearest) > self.course.error
            })
        };
        if self.is_round() {
            let direct = moment.between(moment.closest_on_line(simd));
            return direct.gap > self.course.error && lasts(&direct);
        }
        let axes = moment.gaps::<S, MOST_AXES>(simd, true, self.course.error);
        axes.wide && axes.lasting().iter().any(lasts)
    }

    /// Returns how long after the moment a gap along one of the axes stays as wide as `floor`, if
    /// that is longer than `known`; else `known`. Returns `None` if one lasts for the rest of the
    /// step. `guess` is tried first. Only gaps that were also as wide for a time of `lead` before
    /// the moment count.
    #[inline(always)]
    fn follow(
        &self,
        moment: &Moment,
        axes: &[Axis],
        floor: f64,
        mut known: f64,
        [lead, guess]: [f64; 2],
    ) -> Option<f64> {
        let rest = self.dt - moment.time;
        let widths = [floor, self.course.error];
        for axis in axes {
            for carrier in moment.carriers(axis) {
                let wanted = f64::max(lead, (1.0 + CLOSE) * known);
                if moment.holds_for(carrier) < wanted || !moment.pays(axis, carrier, wanted) {
                    continue;
                }
                let clearance = Clearance::new(moment, axis, carrier);
                if lead == 0.0 || clearance.was_wide(lead, widths) {
                    known = clearance.extend(known, guess, rest, widths)?;
                }
            }
        }
        Some(known)
    }

    /// Returns how far ahead of a time the next gaps are tested, if the last one lasted for
    /// `ahead`, and those before for about `guess`.
    #[inline(always)]
    fn lead(&self, time: f64, ahead: f64, guess: f64) -> f64 {
        match ahead > STEADY * guess && !self.is_round() {
            true => f64::min(LEAD * ahead, 0.5 * (self.dt - time)),
            false => 0.0,
        }
    }

    /// Returns when they come within the tolerance of each other. Round bodies must be apart at the
    /// start.
    #[inline(always)]
    pub fn first<S: Simd>(&self, simd: S) -> Option<TimeOfImpact> {
        let stop = 0.5 * self.tolerance;
        let (mut time, mut guess, mut lead) = (0.0, self.dt, 0.0);
        for _ in 0..MOST_STEPS {
            if lead > 0.0 {
                let moment = self.course.at(time + lead);
                let axes = moment.gaps::<S, 1>(simd, true, stop);
                let floor = self.floor(!axes.wide);
                let ahead = self.follow(&moment, axes.lasting(), floor, NOTHING, [lead, guess])?;
                if ahead != NOTHING {
                    time = f64::min(moment.time + ahead, self.dt);
                    lead = self.lead(time, ahead, guess);
                    guess = f64::max(ahead, lead);
                    continue;
                }
            }
            let moment = self.course.at(time);
            let mut ahead = match self.is_round() {
                true => self.follow_direct(&moment, moment.closest_on_line(simd), 0.0, guess)?,
                false => 0.0,
            };
            if time + ahead == time {
                let axes = moment.gaps::<S, 1>(simd, false, stop);
                if time == 0.0 && !axes.wide && !self.is_round() {
                    let [a, b] = self.bodies;
                    if let Some(start) = at_start(a, b) {
                        return Some(start);
                    }
                }
                let floor = self.floor(!axes.wide);
                ahead = self.follow(&moment, axes.lasting(), floor, 0.0, [0.0, guess])?;
            }
            if time + ahead == time {
                let closest = match self.is_round() {
                    true => moment.closest_on_line(simd),
                    false => moment.closest_points(),
                };
                ahead = self.follow_direct(&moment, closest, ahead, guess)?;
                if time + ahead == time {
                    let is_near = self.is_near(&moment.between(closest));
                    return Some(self.answer(&moment, closest, is_near));
                }
            }
            time = f64::min(time + ahead, self.dt);
            lead = self.lead(time, ahead, guess);
            guess = ahead;
        }
        let moment = self.course.at(time);
        Some(self.answer(&moment, moment.closest_points(), false))
    }

    /// Returns the width that a gap must keep. Bodies that are close advance no further, but may
    /// still be clear of each other for the rest of the step.
    fn floor(&self, close: bool) -> f64 {
        if close { f64::INFINITY } else { 0.125 * self.tolerance }
    }

    /// Returns `true` if bodies with this gap between their closest points have met.
    fn is_near(&self, direct: &Axis) -> bool {
        direct.gap + self.course.error <= self.tolerance
    }

    /// Calls [`follow`](Self::follow) along the direction of closest points.
    #[inline(always)]
    fn follow_direct(&self, moment: &Moment, closest: [DVec3; 2], known: f64, guess: f64) -> Option<f64> {
        let direct = moment.between(closest);
        self.follow(
            moment,
            &[direct],
            self.floor(self.is_near(&direct)),
            known,
            [0.0, guess],
        )
    }

    /// Returns a time until which bodies that move straight certainly do not meet; if they do meet,
    /// it is about the time of contact. Their distance is a convex function of time, so a tangent
    /// of it reaches zero no later (Newton's method).
    pub fn tangents(&self) -> f64 {
        let mut time = 0.0;
        for _ in 0..MOST_TANGENTS {
            let moment = self.course.at(time);
            let direct = moment.between(moment.closest_points());
            let gap = Clearance::new(&moment, &direct, Carrier::World).least(0.0, 0.0);
            let closing = -direct.normal.dot(moment.velocity);
            // The gap is known within the error now, and so is the rest of it then.
            let ahead = (gap - 2.0 * self.course.error) / closing;
            // NaN also ends the loop.
            if !(ahead > 0.0 && closing > 0.0 && time + ahead > time) {
                break;
            }
            time = f64::min(time + ahead, self.dt);
        }
        time
    }

    /// Returns their distance at a time.
    pub fn distance(&self, time: f64) -> f64 {
        let moment = self.course.at(time);
        moment.between(moment.closest_points()).gap
    }

    /// Returns the impact of bodies that meet at a time.
    pub fn meeting_at(&self, time: f64) -> TimeOfImpact {
        let moment = self.course.at(time);
        self.answer(&moment, moment.closest_points(), true)
    }

    /// Returns the overlap at time 0 of round bodies whose cores share no point.
    pub fn start(&self) -> TimeOfImpact {
        let moment = self.course.at(0.0);
        let closest = moment.closest_points();
        let normal = self.normal(&moment, closest);
        // The middle of the intersection, on the line through the closest points, of the spheres
        // around these.
        let ((towards, distance), [r_a, r_b]) = (way(closest, normal), self.radii);
        let common = f64::max(distance - r_b, -r_a) + f64::min(r_a, distance + r_b);
        TimeOfImpact {
            time: 0.0,
            state: ImpactState::Start,
            normal: (moment.axes * normal).normalize(),
            point: self.bodies[0].center(0.0) + moment.axes * (closest[0] + towards * (0.5 * common)),
            is_resolved: true,
        }
    }

    /// Returns the direction along which they are apart, or overlap least.
    fn normal(&self, moment: &Moment, closest: [DVec3; 2]) -> DVec3 {
        let direct = moment.between(closest);
        // No other gap is wider than that between the closest points. Boxes take the normals of
        // their faces and edges.
        if self.is_round() && direct.gap + moment.margin > KNOWN * self.course.error {
            return direct.normal;
        }
        // If the points nearly coincide, rounding determines their direction: the gap along it
        // decides.
        let widest = moment.widest();
        match Clearance::new(moment, &direct, Carrier::World).least(0.0, 0.0) > widest.gap {
            true => direct.normal,
            false => widest.normal,
        }
    }

    fn answer(&self, moment: &Moment, closest: [DVec3; 2], is_resolved: bool) -> TimeOfImpact {
        let normal = self.normal(moment, closest);
        // Each box may be displaced in proportion to its uncertainty.
        let [a, b] = self.bodies.map(|body| f64::from(body.motion.uncertainty));
        let part = if a + b > 0.0 { a / (a + b) } else { 0.5 };
        let (towards, _) = way(closest, normal);
        let [on_a, on_b] = [
            closest[0] + towards * self.radii[0],
            closest[1] - towards * self.radii[1],
        ];
        // If boxes meet face to face, any point there is a closest one.
        let middle = if a + b > 0.0 || self.is_round() {
            None
        } else {
            moment.middle(normal, 0.5 * self.tolerance)
        };
        let point = middle.unwrap_or(on_a + part * (on_b - on_a));
        TimeOfImpact {
            time: moment.time,
            state: ImpactState::Impact,
            normal: (moment.axes * normal).normalize(),
            point: self.bodies[0].center(moment.time) + moment.axes * point,
            is_resolved,
        }
    }
}

/// Returns the direction from one point to the other, or `other` if they coincide, and their
/// distance. Another normal that separates as well may miss the point by 1e-8 of the distance,
/// which is much if a radius is large.
fn way([from, to]: [DVec3; 2], other: DVec3) -> (DVec3, f64) {
    let apart = to - from;
    let distance = apart.length();
    let direction = apart / distance;
    (if direction.is_finite() { direction } else { other }, distance)
}
