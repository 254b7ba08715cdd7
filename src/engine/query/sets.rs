//! Shapes with their rules: the subject of every query.

use crate::rules::model::Rules;
use crate::shapes::any::Shapes;
use crate::shapes::bodies::set::Bodies;

/// Shapes with their rules.
///
/// Every function that takes a set also takes [`Bodies`], and a slice, an array or a vector of one
/// shape: a set without rules. The rules follow the numbering of the shapes.
///
/// ```
/// use obbligato::{Backend, Checker, Config, Obb, Pair, Rules, Set, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// // Two arms with two links each, all in one place.
/// let links = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 4];
/// let rules = Rules { owners: Some(&[0, 0, 1, 1]), ..Rules::default() };
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let report = checker.check(Set::from(&links).with(rules))?;
/// let between_arms = [(0, 2), (0, 3), (1, 2), (1, 3)].map(|(a, b)| Pair::new(a, b));
/// assert_eq!(report.pairs()?, between_arms);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Set<'a> {
    /// The shapes; a pair names them by their positions.
    pub shapes: Shapes<'a>,
    /// The rules for the shapes.
    pub rules: Rules<'a>,
}

impl<'a> Set<'a> {
    /// Returns the same shapes with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
    }
}

// Without this attribute the compiler would suggest this implementation wherever another type is
// required.
#[diagnostic::do_not_recommend]
impl<'a, S: Into<Shapes<'a>>> From<S> for Set<'a> {
    fn from(shapes: S) -> Self {
        Self {
            shapes: shapes.into(),
            rules: Rules::default(),
        }
    }
}

impl<'a> Bodies<'a> {
    /// Returns a set of the bodies with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Set<'a> {
        Set::from(self).with(rules)
    }
}
