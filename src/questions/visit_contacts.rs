//! Colliding pairs passed to the caller's function with their contacts, without a list of them.

use std::fmt::{Debug, Formatter};
use std::sync::{Mutex, PoisonError};

#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::memory;
use crate::base::waiting::Waiting;
use crate::broad_phase::hits::BATCH;
use crate::engine::backends::Backends;
use crate::engine::query::Query;
use crate::geometry::pair::Pair;
use crate::geometry::period::Period;
use crate::narrow_phase::contacts::Contacts;
use crate::narrow_phase::partners::{Partners, Repeating};
use crate::outputs::report::Report;
#[cfg(doc)]
use crate::questions::contacts::ContactQuery;
use crate::questions::question::Question;

/// A function that receives pairs and their contacts.
type Visitor<'a> = &'a (dyn Fn(&[Pair], &Contacts) + Sync);

/// The colliding pairs of a query, passed to a function with their contacts:
/// [`Query::visit_contacts`] returns it.
#[derive(Clone, Copy)]
pub struct ContactVisit<'a> {
    query: Query<'a>,
    visit: Visitor<'a>,
}

impl Debug for ContactVisit<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContactVisit").field("query", &self.query).finish()
    }
}

impl<'a> Query<'a> {
    /// Passes the pairs to a function as they are found, each batch with its contacts: those of
    /// [`ContactQuery`], in the order of the batch. Memory does not grow with the number of pairs.
    ///
    /// Otherwise as [`Query::visit`]. Contacts are computed in `f64`, on the thread that calls
    /// `visit`. With a margin, pairs that are apart have no manifold. In space that repeats,
    /// contacts are those of the image that [`ContactQuery::periodic`] chooses.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use obbligato::contact::Contacts;
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, Query, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let row: Vec<Obb> = (0..1000).map(|k| Obb::axis_aligned(Vec3::new(1.5 * k as f32, 0.0, 0.0), Vec3::ONE)).collect();
    /// let deepest = Mutex::new(0.0);
    /// let deepen = |_: &[Pair], contacts: &Contacts| {
    ///     let depths = contacts.penetrations().iter().flatten().map(|found| found.depth);
    ///     let of_batch = depths.fold(0.0, f64::max);
    ///     let mut all = deepest.lock().expect("no panic");
    ///     *all = of_batch.max(*all);
    /// };
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// assert_eq!(checker.check(Query::from(&row).visit_contacts(&deepen))?.colliding_pairs, 999);
    /// assert_eq!(deepest.into_inner().expect("no panic"), 0.5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`](crate::Checker::check); [`Error::Unavailable`] for shapes that
    /// [`ContactQuery`] does not compute contacts of.
    #[must_use]
    pub fn visit_contacts(self, visit: &'a (dyn Fn(&[Pair], &Contacts) + Sync)) -> ContactVisit<'a> {
        ContactVisit { query: self, visit }
    }
}

impl<'a> Question<'a> for ContactVisit<'a> {
    type Answer = Report;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Report> {
        let Self { query, visit } = self;
        let (partners, period) = (Partners::new(query.sets())?, query.period());
        // The contacts of a batch, for each thread that has one.
        let spare: Mutex<Vec<Contacts>> = Mutex::default();
        let failure = Mutex::new(None);
        let pass = |pairs: &[Pair]| {
            let mut contacts = locked(&spare).pop().unwrap_or_default();
            for pairs in pairs.chunks(BATCH) {
                if locked(&failure).is_some() {
                    return;
                }
                match find(&mut contacts, &partners, pairs, period.as_ref()) {
                    Ok(()) => visit(pairs, &contacts),
                    Err(error) => *locked(&failure) = Some(error),
                }
            }
            locked(&spare).push(contacts);
        };
        let report = backends.answer(&query.visit(&pass), Report::default(), waiting).await?;
        let failure = locked(&failure).take();
        failure.map_or(Ok(report), Err)
    }
}

/// Locks a list that threads share. What a panicking visitor leaves behind is complete.
fn locked<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Replaces `contacts` with those of these pairs.
fn find(contacts: &mut Contacts, partners: &Partners<'_>, pairs: &[Pair], period: Option<&Period>) -> Result<()> {
    let Some(period) = period else {
        return contacts.update_with(partners, pairs);
    };
    let mut images = Vec::new();
    memory::reserve(&mut images, pairs.len(), "the images of pairs")?;
    let space = Repeating {
        period,
        in_plane: false,
    };
    images.extend(pairs.iter().map(|pair| partners.contact_image(*pair, space)));
    contacts.update_in_images(partners, pairs, space, &images)
}
