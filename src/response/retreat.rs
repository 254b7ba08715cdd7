//! Back to the last safe placement.

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::checker::Checker;
use crate::engine::query::sets::BoxSet;
use crate::outputs::report::Report;
use crate::rules::model::Rules;
use crate::shapes::obb::record::Obb;

/// What memory is for.
const WHAT: &str = "the boxes that went back";

/// Takes boxes that would collide back to where they were: `wanted` becomes a placement in which boxes collide only if they did so
/// in `safe`, and neither of the two has moved since. Returns which boxes went back.
///
/// Both boxes of a colliding pair go back. Somebody else may have moved into one of their places meanwhile, so all are checked again,
/// until no more go: as often as there are boxes at worst, hardly more than twice as a rule. The checker's margin, if it has one, is
/// kept between them.
///
/// # Errors
/// As [`Checker::check`]; [`Error::Unavailable`] if the two placements have not as many boxes, or the checker does not return pairs.
pub fn retreat(checker: &mut Checker, rules: Rules<'_>, safe: &[Obb], wanted: &mut [Obb]) -> Result<Vec<bool>> {
    if safe.len() != wanted.len() {
        return Err(Error::Unavailable {
            what: "a placement of fewer boxes, or more",
            hint: "give both placements the same boxes",
        });
    }
    let mut back = memory::filled(safe.len(), false, WHAT)?;
    let mut report = Report::default();
    loop {
        checker.check_into(BoxSet::new(wanted).with(rules), &mut report)?;
        let mut more = false;
        for pair in report.pairs()? {
            for id in [pair.a, pair.b].map(|id| id as usize) {
                if wanted[id] != safe[id] {
                    (wanted[id], back[id], more) = (safe[id], true, true);
                }
            }
        }
        if !more {
            return Ok(back);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::config::{Backend, Config};

    fn checker() -> Checker {
        Checker::new(Config {
            backend: Backend::Cpu,
            ..Config::default()
        })
        .expect("the CPU is always there")
    }

    #[test]
    fn who_took_the_place_of_one_that_went_back_goes_back_too() {
        let row = |places: &[f32]| -> Vec<Obb> {
            let at = |x: &f32| Obb::axis_aligned(Vec3::X * *x, Vec3::splat(0.4));
            places.iter().map(at).collect()
        };
        let rules = Rules::default();
        // A queue in which each moves up by one, and the first would walk into a wall; another one is free to go.
        let safe = row(&[0.0, 1.0, 2.0, 3.0, 9.0]);
        let mut wanted = row(&[0.0, 0.0, 1.0, 2.0, 8.0]);
        let back = retreat(&mut checker(), rules, &safe, &mut wanted).expect("valid boxes");
        assert_eq!(
            (wanted, back),
            (row(&[0.0, 1.0, 2.0, 3.0, 8.0]), vec![false, true, true, true, false])
        );
        // Boxes that were in each other and stay where they are have nowhere to go.
        let safe = row(&[0.0, 0.1, 5.0]);
        let mut wanted = row(&[0.0, 0.1, 0.2]);
        let back = retreat(&mut checker(), rules, &safe, &mut wanted).expect("valid boxes");
        assert_eq!((wanted, back), (safe, vec![false, false, true]));
        assert!(retreat(&mut checker(), rules, &row(&[0.0]), &mut []).is_err());
    }
}
