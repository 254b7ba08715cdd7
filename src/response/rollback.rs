//! Return to the last safe placement.

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::checker::Checker;
use crate::geometry::kinds::{KINDS, of_first_kind};
use crate::outputs::report::Report;
use crate::rules::model::Rules;
use crate::shapes::bodies::set::{Bodies, OwnedBodies};
use crate::shapes::obb::record::Obb;

/// Label for out-of-memory errors.
const WHAT: &str = "the bodies that went back";

/// Takes boxes that would collide back to where they were: `wanted` becomes a placement in which
/// boxes collide only if they did so in `safe`, and neither of the two has moved since. Returns
/// `true` for each box that went back.
///
/// Both boxes of a colliding pair go back. Other boxes may have moved into their places in the
/// meantime, so all are checked again until no further box goes back: in the worst case as often as
/// there are boxes, usually at most about twice. The checker's margin, if it has one, is kept
/// between boxes.
///
/// # Errors
/// As [`Checker::check`]; [`Error::Unavailable`] if the two placements have different numbers of
/// boxes, or the checker does not return pairs.
pub fn roll_back(checker: &mut Checker, rules: Rules<'_>, safe: &[Obb], wanted: &mut [Obb]) -> Result<Vec<bool>> {
    let counts = |boxes: &[Obb]| of_first_kind(boxes.len());
    let counts = [counts(safe), counts(wanted)];
    go_back(
        checker,
        rules,
        counts,
        wanted,
        |wanted| wanted.into(),
        |wanted, id| put_back(safe, wanted, id),
    )
}

/// [`roll_back`] for bodies of several kinds. Both placements must have the same number of each
/// kind.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::response::roll_back_bodies;
/// use obbligato::shape::OwnedBodies;
/// use obbligato::{Checker, Config, Rules, Sphere};
/// # fn main() -> obbligato::Result<()> {
/// let row = |places: [f32; 3]| OwnedBodies {
///     spheres: places.map(|x| Sphere::new(Vec3::X * x, 0.5)).to_vec(),
///     ..OwnedBodies::default()
/// };
/// let (safe, mut wanted) = (row([0.0, 2.0, 9.0]), row([1.5, 2.0, 5.0]));
/// let mut checker = Checker::new(Config::default())?;
/// let back = roll_back_bodies(&mut checker, Rules::default(), safe.all(), &mut wanted)?;
/// assert_eq!((back, wanted.spheres), (vec![true, false, false], row([0.0, 2.0, 5.0]).spheres));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`roll_back`].
pub fn roll_back_bodies(
    checker: &mut Checker,
    rules: Rules<'_>,
    safe: Bodies<'_>,
    wanted: &mut OwnedBodies,
) -> Result<Vec<bool>> {
    let (boxes, rounded) = (safe.boxes.len(), safe.boxes.len() + safe.capsules.len());
    let counts = [safe.counts(), wanted.all().counts()];
    go_back(
        checker,
        rules,
        counts,
        wanted,
        |wanted| wanted.all(),
        |wanted, id| {
            if id < boxes {
                put_back(safe.boxes, &mut wanted.boxes, id)
            } else if id < rounded {
                put_back(safe.capsules, &mut wanted.capsules, id - boxes)
            } else {
                put_back(safe.spheres, &mut wanted.spheres, id - rounded)
            }
        },
    )
}

/// Puts one body back, and returns `true` if it was elsewhere.
fn put_back<T: Copy + PartialEq>(safe: &[T], wanted: &mut [T], id: usize) -> bool {
    let was_elsewhere = wanted[id] != safe[id];
    wanted[id] = safe[id];
    was_elsewhere
}

/// Puts colliding bodies back until no further body moves. `counts` are those of both placements,
/// by kind.
fn go_back<W: ?Sized>(
    checker: &mut Checker,
    rules: Rules<'_>,
    counts: [[usize; KINDS]; 2],
    wanted: &mut W,
    bodies: impl Fn(&W) -> Bodies<'_>,
    put_back: impl Fn(&mut W, usize) -> bool,
) -> Result<Vec<bool>> {
    if counts[0] != counts[1] {
        return Err(Error::Unavailable {
            what: "a placement of fewer bodies, or more",
            hint: "give both placements the same bodies",
        });
    }
    let mut back = memory::filled(bodies(wanted).len(), false, WHAT)?;
    let mut report = Report::default();
    loop {
        checker.check_into(bodies(wanted).with(rules), &mut report)?;
        let mut more = false;
        for pair in report.pairs()? {
            for id in [pair.a, pair.b].map(|id| id as usize) {
                if put_back(wanted, id) {
                    (back[id], more) = (true, true);
                }
            }
        }
        if !more {
            return Ok(back);
        }
    }
}
