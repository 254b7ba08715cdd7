//! Boxes and bodies with their rules: the subject of every query.

use crate::rules::model::Rules;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::obb::record::Obb;
#[cfg(doc)]
use crate::shapes::round::capsule::Capsule;
#[cfg(doc)]
use crate::shapes::round::sphere::Sphere;
#[cfg(doc)]
use crate::shapes::upright::record::Upright;

/// Boxes with their rules.
///
/// Every function that takes a set also takes a slice, an array or a vector of boxes: a set without
/// rules. Sets of [`Upright`] cuboids are for [`Checker::check`](crate::Checker::check); other
/// calls take their boxes, which [`Upright::to_boxes`] creates.
///
/// ```
/// use obbligato::{Backend, BoxSet, Checker, Config, Obb, Pair, Rules, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// // Two arms with two links each, all in one place.
/// let links = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 4];
/// let rules = Rules { owners: Some(&[0, 0, 1, 1]), ..Rules::default() };
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let report = checker.check(BoxSet::new(&links).with(rules))?;
/// let between_arms = [(0, 2), (0, 3), (1, 2), (1, 3)].map(|(a, b)| Pair::new(a, b));
/// assert_eq!(report.pairs()?, between_arms);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct BoxSet<'a, T = Obb> {
    /// The boxes; a pair names them by their positions.
    pub boxes: &'a [T],
    /// The rules for the boxes.
    pub rules: Rules<'a>,
}

impl<'a, T> BoxSet<'a, T> {
    /// Creates a set of boxes without rules.
    pub fn new(boxes: &'a [T]) -> Self {
        Self {
            boxes,
            rules: Rules::default(),
        }
    }

    /// Returns the same boxes with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
    }
}

impl<T> Clone for BoxSet<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for BoxSet<'_, T> {}

// Without this attribute the compiler would suggest these implementations for records of any type
// where boxes are required.
#[diagnostic::do_not_recommend]
impl<'a, T> From<&'a [T]> for BoxSet<'a, T> {
    fn from(boxes: &'a [T]) -> Self {
        Self::new(boxes)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T> From<&'a Vec<T>> for BoxSet<'a, T> {
    fn from(boxes: &'a Vec<T>) -> Self {
        Self::new(boxes)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T, const N: usize> From<&'a [T; N]> for BoxSet<'a, T> {
    fn from(boxes: &'a [T; N]) -> Self {
        Self::new(boxes)
    }
}

/// Bodies with their rules: a [`BoxSet`] of several shapes.
///
/// Every function that takes such a set also takes [`Bodies`], a [`BoxSet`] of [`Obb`]s,
/// [`Capsule`]s or [`Sphere`]s, and a slice, an array or a vector of one of these. The rules follow
/// the numbering of [`Bodies`].
#[derive(Clone, Copy, Debug, Default)]
pub struct BodySet<'a> {
    /// The bodies; a pair names them by their positions.
    pub bodies: Bodies<'a>,
    /// The rules for the bodies.
    pub rules: Rules<'a>,
}

impl<'a> BodySet<'a> {
    /// Returns the same bodies with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
    }
}

impl<'a> From<Bodies<'a>> for BodySet<'a> {
    fn from(bodies: Bodies<'a>) -> Self {
        Self {
            bodies,
            rules: Rules::default(),
        }
    }
}

impl<'a> Bodies<'a> {
    /// Returns a set of the bodies with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> BodySet<'a> {
        BodySet { bodies: self, rules }
    }
}
