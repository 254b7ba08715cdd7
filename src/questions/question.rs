//! The trait of questions.

use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::engine::query::Query;
use crate::outputs::report::Report;

/// A question that a [`Checker`](crate::Checker) answers:
/// [`Checker::check`](crate::Checker::check).
///
/// The questions are those of [`query`](crate::query). Anything that converts into a [`Query`],
/// such as a slice of boxes, is the question for its colliding pairs.
pub trait Question<'a> {
    /// The answer.
    type Answer;

    /// Answers the question.
    #[doc(hidden)]
    fn answer(self, backends: &mut Backends, waiting: Waiting) -> impl Future<Output = Result<Self::Answer>>;
}

impl<'a, Q: Into<Query<'a>>> Question<'a> for Q {
    type Answer = Report;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Report> {
        let mut report = Report::default();
        backends.answer_into(&self.into(), &mut report, waiting).await?;
        Ok(report)
    }
}
