//! The two sets that listed pairs refer to.

use std::borrow::Cow;

use crate::base::error::{Error, Result};
use crate::geometry::pair::{Pair, validate_pairs_of};
use crate::shapes::any::{BodyList, Shapes};
use crate::shapes::bodies::set::Bodies;
use crate::shapes::bounds::validate;
use crate::shapes::obb64::record::Obb64;

/// Two sets of bodies, or two of boxes with centers in `f64`.
#[derive(Debug)]
pub(crate) enum Partners<'a> {
    Bodies([BodyList<'a>; 2]),
    Boxes64([Cow<'a, [Obb64]>; 2]),
}

impl<'a> Partners<'a> {
    /// # Errors
    /// If contacts between these shapes are not offered, or if memory runs out.
    pub fn new(sets: [Shapes<'a>; 2]) -> Result<Self> {
        let [a, b] = sets.map(|shapes| shapes.0);
        if let [Some(a), Some(b)] = [a.to_bodies()?, b.to_bodies()?] {
            return Ok(Self::Bodies([a, b]));
        }
        match [a.to_boxes64()?, b.to_boxes64()?] {
            [Some(a), Some(b)] => Ok(Self::Boxes64([a, b])),
            _ => Err(Error::Unavailable {
                what: "contacts or distances of these shapes",
                hint: "pass two sets of boxes, capsules and spheres, or two sets of boxes of which some have centers \
                       in f64",
            }),
        }
    }

    /// Returns an error if a pair names a shape missing from its set.
    pub fn expect_pairs(&self, pairs: &[Pair]) -> Result<()> {
        let counts = match self {
            Self::Bodies([a, b]) => [a.all().len(), b.all().len()],
            Self::Boxes64([a, b]) => [a.len(), b.len()],
        };
        validate_pairs_of(counts, pairs)
    }

    /// Returns an error if a pair names a shape missing from its set, or if a shape is invalid.
    pub fn validate(&self, pairs: &[Pair]) -> Result<()> {
        self.expect_pairs(pairs)?;
        match self {
            Self::Bodies([a, b]) => {
                let (a, b) = (a.all(), b.all());
                a.validate()?;
                if is_same(a, b) { Ok(()) } else { b.validate() }
            }
            Self::Boxes64([a, b]) => {
                validate(a, Obb64::problem)?;
                if std::ptr::eq(&**a, &**b) {
                    return Ok(());
                }
                validate(b, Obb64::problem)
            }
        }
    }
}

/// Returns `true` if both are the same lists.
fn is_same(a: Bodies<'_>, b: Bodies<'_>) -> bool {
    std::ptr::eq(a.boxes, b.boxes) && std::ptr::eq(a.capsules, b.capsules) && std::ptr::eq(a.spheres, b.spheres)
}
