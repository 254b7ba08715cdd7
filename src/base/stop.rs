//! A request, from another thread, that a call ends early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::base::error::{Error, Result};

/// Ends calls of a checker from another thread: [`Config::stop`](crate::Config::stop).
///
/// Clones are one switch. A call that finds it thrown returns [`Error::Stopped`](crate::Error::Stopped) instead of a result, most
/// often within milliseconds. What it does at that moment is done to its end: a pass over all bodies on the CPU, a submission
/// on a GPU. It stays thrown until [`Stop::clear`]; the checker is as usable as before.
///
/// ```
/// use obbligato::{Backend, Checker, Config, Error, Stop};
/// use obbligato_verify::scenes::Scene;
/// # fn main() -> obbligato::Result<()> {
/// let stop = Stop::default();
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, stop: stop.clone(), ..Config::default() })?;
/// let boxes = Scene::Dense.generate(5000, 1);
/// // From any thread, such as that of a button.
/// stop.request();
/// assert!(matches!(checker.check(&boxes), Err(Error::Stopped)));
/// stop.clear();
/// assert!(checker.check(&boxes).is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends the calls that are under way, and those to come.
    pub fn request(&self) {
        self.0.store(true, Relaxed);
    }

    /// Lets calls run again. Clear it once the calls that were to end have returned.
    pub fn clear(&self) {
        self.0.store(false, Relaxed);
    }

    /// Whether calls are to end.
    pub fn is_requested(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// An error if calls are to end.
    pub(crate) fn check(&self) -> Result<()> {
        match self.is_requested() {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }
}

impl PartialEq for Stop {
    /// Always: it is no setting, and configurations that differ in it alone are equal.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
