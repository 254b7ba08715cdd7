//! A request from another thread to end a call early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::base::error::{Error, Result};

/// Ends calls of a checker from another thread: [`Config::stop`](crate::Config::stop).
///
/// All clones are one switch. A call that finds it set returns
/// [`Error::Stopped`](crate::Error::Stopped) instead of a result, usually within milliseconds. It
/// first completes the current unit of work: a pass over all bodies on the CPU, or a submission on
/// a GPU. The switch stays set until [`Stop::clear`]; the checker remains usable.
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
    /// Ends running calls and all later ones.
    pub fn request(&self) {
        self.0.store(true, Relaxed);
    }

    /// Allows calls again. Call this once the calls to be ended have returned.
    pub fn clear(&self) {
        self.0.store(false, Relaxed);
    }

    /// Returns `true` if calls must end.
    pub fn is_requested(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Returns an error if calls must end.
    pub(crate) fn check(&self) -> Result<()> {
        match self.is_requested() {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }
}

impl PartialEq for Stop {
    /// Always returns `true`: a switch is not a setting, and configurations that differ only in it
    /// are equal.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
