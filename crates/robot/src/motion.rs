//! Straight motions between configurations, certified by clearance.
//!
//! No point of a link moves faster than the sum, over the joints above it, of the joint's speed
//! times the greatest distance of the point from its axis. If two bodies are further apart at some
//! moment than both can move towards each other within a time, they do not meet within that time
//! (conservative advancement: B. Mirtich, "Impulse-based Dynamic Simulation", 1996, bounds
//! distances in this way). Intervals of the motion are halved until each is certified.

use obbligato::contact::closest_points;
use obbligato::{PreparedScene, Query, Rules};

use crate::check::{Labels, all_pairs};
use crate::error::{Error, Result};
use crate::robot::Robot;

/// Bound on the rounding of bodies to `f32`, relative to how far they reach from the root.
const ROUNDING: f64 = 4.0 * f32::EPSILON as f64;
/// The most halvings of an interval: beyond, its ends are numbers next to each other.
const MOST_HALVINGS: u32 = 50;

/// The answer for a straight motion between two configurations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotionState {
    /// Certified: nothing collides, neither at the ends nor anywhere between them.
    Free,
    /// The configuration at this fraction of the motion collides. It need not be the first.
    Colliding {
        /// From 0 to 1.
        at: f64,
    },
    /// Neither certified nor refuted: around this fraction two bodies come as near to each other as
    /// the tolerance, and the configurations tried do not collide.
    Undecided {
        /// From 0 to 1.
        at: f64,
    },
}

/// An interval of a motion.
#[derive(Clone, Copy)]
struct Interval {
    motion: usize,
    middle: f64,
    half: f64,
}

/// Bounds on the movement of bodies during a motion, per unit of its fraction.
struct Speeds {
    /// Of each body, by each joint of the tree.
    by_joint: Vec<Vec<f64>>,
    /// Of each body, at most.
    total: Vec<f64>,
    /// Of each body: how much its place may be rounded.
    rounding: Vec<f64>,
}

impl Speeds {
    /// Returns how fast two bodies approach each other at most. Joints above both move them as one.
    fn between(&self, a: usize, b: usize) -> f64 {
        let [a, b] = [&self.by_joint[a], &self.by_joint[b]];
        let apart = |(one, other): (&f64, &f64)| if *one > 0.0 && *other > 0.0 { 0.0 } else { one + other };
        a.iter().zip(b).map(apart).sum()
    }
}

impl Robot {
    /// Decides for straight motions, in which all joints move evenly from one configuration to
    /// another, whether they are free of collisions with the scene and between links.
    ///
    /// An answer [`MotionState::Free`] is not by samples: it holds for all configurations between
    /// the two, in real numbers, up to the rounding of the numbers in the file to `f32`. The time
    /// grows as the clearance shrinks. Motions during which everything keeps apart by more than
    /// `tolerance`, in the unit of the file, and that rounding are always certified.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the tolerance is above 0, and as [`Robot::check`]; position k
    /// of a configuration is that of the ends of motion k / 2.
    pub fn check_motions<C: AsRef<[f64]> + Sync>(
        &mut self,
        motions: &[[C; 2]],
        scene: Option<&PreparedScene>,
        tolerance: f64,
    ) -> Result<Vec<MotionState>> {
        if !(tolerance.is_finite() && tolerance > 0.0) {
            return Err(Error::OutOfRange {
                name: "tolerance",
                value: tolerance,
                range: "above 0",
            });
        }
        let ends: Vec<&[f64]> = motions.iter().flatten().map(AsRef::as_ref).collect();
        self.expect_valid(&ends)?;
        let layout = self.layout();
        let speeds: Vec<Speeds> = ends.chunks(2).map(|ends| self.speeds(ends[0], ends[1])).collect();
        let mut states = vec![MotionState::Free; motions.len()];
        let mut intervals: Vec<Interval> = (0..motions.len())
            .map(|motion| Interval {
                motion,
                middle: 0.5,
                half: 0.5,
            })
            .collect();
        for halvings in 0..=MOST_HALVINGS {
            intervals.retain(|one| !matches!(states[one.motion], MotionState::Colliding { .. }));
            let mut next = Vec::new();
            for some in intervals.chunks(layout.batch()) {
                let findings = self.find(some, &ends, &speeds, scene)?;
                for (&interval, finding) in some.iter().zip(findings) {
                    let Interval { motion, middle, half } = interval;
                    let (state, is_last) = (&mut states[motion], halvings == MOST_HALVINGS);
                    match finding {
                        Finding::Free => {}
                        Finding::Colliding => *state = stronger(*state, MotionState::Colliding { at: middle }),
                        Finding::Near(moves) if moves <= tolerance || is_last => {
                            *state = stronger(*state, MotionState::Undecided { at: middle });
                        }
                        Finding::Near(_) => next.extend([-0.5, 0.5].map(|side| Interval {
                            motion,
                            middle: middle + side * half,
                            half: 0.5 * half,
                        })),
                    }
                }
            }
            intervals = next;
        }
        Ok(states)
    }

    /// Bounds the speeds of all bodies on the way from one configuration to another.
    fn speeds(&self, from: &[f64], to: &[f64]) -> Speeds {
        let model = &self.model;
        let extents = self.parts.extents();
        let mut speeds = Speeds {
            by_joint: vec![vec![0.0; model.tree.len()]; extents.len()],
            total: Vec::with_capacity(extents.len()),
            rounding: Vec::with_capacity(extents.len()),
        };
        for (extent, by_joint) in extents.iter().zip(&mut speeds.by_joint) {
            // How far a point of the body is at most from the origin of the link at hand.
            let mut reach = extent.offset + extent.radius;
            for k in model.chain(extent.link) {
                let joint = &model.tree[k];
                if let Some(drive) = joint.drive {
                    let values = [from, to].map(|configuration| drive.value(configuration));
                    let rate = (values[1] - values[0]).abs();
                    if joint.slides {
                        by_joint[k] = rate;
                        reach += values[0].abs().max(values[1].abs());
                    } else {
                        by_joint[k] = rate * reach;
                    }
                }
                reach += joint.origin.translation.length();
            }
            speeds.total.push(by_joint.iter().sum());
            speeds.rounding.push(ROUNDING * reach);
        }
        speeds
    }

    /// Examines intervals by the configurations in their middles.
    fn find(
        &mut self,
        intervals: &[Interval],
        ends: &[&[f64]],
        speeds: &[Speeds],
        scene: Option<&PreparedScene>,
    ) -> Result<Vec<Finding>> {
        let between = |interval: &Interval| -> Vec<f64> {
            let [from, to] = [ends[2 * interval.motion], ends[2 * interval.motion + 1]];
            let t = interval.middle;
            from.iter().zip(to).map(|(a, b)| (1.0 - t) * a + t * b).collect()
        };
        let middles: Vec<Vec<f64>> = intervals.iter().map(between).collect();
        let (layout, bodies) = (self.layout(), self.placed(&middles));
        let mut labels = Labels::default();
        labels.fill(&layout, self, middles.len());
        let margins = layout.each(middles.len(), |k, body| {
            let speeds = &speeds[intervals[k].motion];
            let moves = speeds.total[body] * intervals[k].half + speeds.rounding[body];
            // Sums of two margins are rounded to the nearest f32: this is more than that loses.
            ((moves * (1.0 + ROUNDING)) as f32).next_up()
        });
        let rules = Rules {
            margins: Some(&margins),
            ..labels.rules()
        };
        let all = bodies.all();
        let mut near = all_pairs(&mut self.checker, &Query::from(all.with(rules)))?;
        let body_of = |id| layout.place(id, middles.len()).1;
        near.retain(|pair| {
            let [a, b] = [pair.a, pair.b].map(|id| layout.extents[body_of(id)].link);
            self.pairs.may_collide(a, b)
        });
        let mut findings = vec![Finding::Free; middles.len()];
        for (pair, closest) in near.iter().zip(closest_points([all, all], &near)?) {
            let (k, a) = layout.place(pair.a, middles.len());
            let (b, speeds) = (body_of(pair.b), &speeds[intervals[k].motion]);
            let moves = speeds.between(a, b) * intervals[k].half;
            let rounding = speeds.rounding[a] + speeds.rounding[b];
            findings[k].add(closest.distance - self.margin, moves, rounding);
        }
        if let Some(scene) = scene {
            let rules = Rules {
                margins: Some(&margins),
                ..Rules::default()
            };
            let near = all_pairs(&mut self.checker, &Query::against(scene, all.with(rules)))?;
            for (pair, closest) in near.iter().zip(closest_points([scene.bodies(), all], &near)?) {
                let (k, body) = layout.place(pair.b, middles.len());
                let speeds = &speeds[intervals[k].motion];
                let moves = speeds.total[body] * intervals[k].half;
                findings[k].add(closest.distance - self.margin, moves, speeds.rounding[body]);
            }
        }
        Ok(findings)
    }
}

/// The conclusion from the configuration in the middle of an interval about the whole of it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Finding {
    /// Nothing collides anywhere in the interval.
    Free,
    /// Some bodies are so near that they may meet; the longest way that two of them can move
    /// towards each other.
    Near(f64),
    /// The configuration collides.
    Colliding,
}

impl Finding {
    /// Adds a pair with this gap, which closes by `moves` at most.
    fn add(&mut self, gap: f64, moves: f64, rounding: f64) {
        *self = match *self {
            Self::Colliding => Self::Colliding,
            _ if gap <= 0.0 => Self::Colliding,
            other if gap > moves + rounding => other,
            Self::Near(most) => Self::Near(most.max(moves)),
            Self::Free => Self::Near(moves),
        };
    }
}

/// Returns the stronger of two states: a collision, then a doubt, and the earlier of two equals.
fn stronger(a: MotionState, b: MotionState) -> MotionState {
    use MotionState::{Colliding, Free, Undecided};
    match (a, b) {
        (Colliding { at }, Colliding { at: other }) => Colliding { at: at.min(other) },
        (Undecided { at }, Undecided { at: other }) => Undecided { at: at.min(other) },
        (Colliding { .. }, _) | (_, Free) => a,
        (_, Colliding { .. }) | (Free, _) => b,
    }
}
