//! Work without the interpreter's lock, which Ctrl-C interrupts.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use obbligato::{Error, Result, Stop};
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::errors::{own, raise};

/// The process that uses this library; 0 if none has yet.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Work on fewer boxes and pairs ends too soon for Ctrl-C, and is not worth a thread.
const FEW: usize = 2_000;
/// The interval at which signals are checked.
const LOOK: Duration = Duration::from_millis(20);
/// The time limit for cancelled work to end. After it the call returns, and the work ends by
/// itself.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` on `size` boxes and pairs while other Python threads continue. Ctrl-C ends the call
/// within a tenth of a second.
pub fn detached<T: Send + 'static>(
    py: Python<'_>,
    size: usize,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    interruptible(py, size, &Job::default(), work)
}

/// State that threads use one after the other, and the stop that ends the work.
pub struct Shared<T> {
    stop: Stop,
    /// Its own threads, if their number was given.
    pool: Option<ThreadPool>,
    inner: Mutex<T>,
}

impl<T: Send + 'static> Shared<T> {
    /// `stop` is that of the checker's configuration.
    pub fn new(inner: T, stop: Stop, pool: Option<ThreadPool>) -> Arc<Self> {
        Arc::new(Self {
            stop,
            pool,
            inner: Mutex::new(inner),
        })
    }

    /// Waits for the others, without the interpreter's lock, which the current holder may need at
    /// the end.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` with the shared state, as [`detached`] does.
    pub fn with<R: Send + 'static>(
        self: &Arc<Self>,
        py: Python<'_>,
        size: usize,
        work: impl FnOnce(&mut T) -> Result<R> + Send + 'static,
    ) -> PyResult<R> {
        let job = Job(Arc::new(Mutex::new((Phase::Waiting, Some(self.stop.clone())))));
        let (shared, own) = (self.clone(), job.clone());
        let is_busy = self.inner.try_lock().is_err();
        interruptible(py, if is_busy { usize::MAX } else { size }, &job, move || {
            let mut guard = shared.lock();
            own.begin()?;
            let inner = &mut *guard;
            let work = AssertUnwindSafe(|| match &shared.pool {
                Some(pool) => pool.install(|| work(inner)),
                None => work(inner),
            });
            let done = catch_unwind(work);
            own.end();
            done.unwrap_or_else(|panic| resume_unwind(panic))
        })
    }
}

/// The progress of a call. Its stop is requested only while this call is the one that works,
/// because others use the same checker.
#[derive(Clone, Default)]
struct Job(Arc<Mutex<(Phase, Option<Stop>)>>);

#[derive(Clone, Copy, Default, PartialEq)]
enum Phase {
    #[default]
    Waiting,
    Running,
    Cancelled,
    Done,
}

impl Job {
    fn state(&self) -> MutexGuard<'_, (Phase, Option<Stop>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) -> Result<()> {
        let mut state = self.state();
        if state.0 == Phase::Cancelled {
            return Err(Error::Stopped);
        }
        state.0 = Phase::Running;
        Ok(())
    }

    fn end(&self) {
        let mut state = self.state();
        state.0 = Phase::Done;
        if let Some(stop) = &state.1 {
            stop.clear();
        }
    }

    /// Requests the end of the work. Returns `true` if the caller should wait for it.
    fn cancel(&self) -> bool {
        let mut state = self.state();
        match (state.0, &state.1) {
            (Phase::Running, Some(stop)) => stop.request(),
            (Phase::Waiting, _) => state.0 = Phase::Cancelled,
            _ => {}
        }
        state.0 == Phase::Running
    }
}

type Ended<T> = std::result::Result<Result<T>, Box<dyn Any + Send>>;

fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    size: usize,
    job: &Job,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    expect_no_fork(py)?;
    if size <= FEW {
        return py.detach(work).map_err(raise);
    }
    let (sender, ended) = channel();
    let work = Arc::new(Mutex::new(Some(work)));
    let taken = work.clone();
    let take = move || taken.lock().unwrap_or_else(PoisonError::into_inner).take();
    let run = move || {
        if let Some(work) = take() {
            // After Ctrl-C there is no receiver any more.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        }
    };
    match thread::Builder::new().spawn(run) {
        Ok(_) => wait(py, job, ended),
        // The system cannot start a thread: the work is done here, and Ctrl-C waits.
        Err(_) => {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            let none = || Err(Error::Stopped);
            py.detach(|| work.map_or_else(none, |work| work())).map_err(raise)
        }
    }
}

/// Waits for the end of the work, or for Ctrl-C.
fn wait<T: Send>(py: Python<'_>, job: &Job, ended: Receiver<Ended<T>>) -> PyResult<T> {
    // A mutex, because the compiler requires that no other thread receives.
    let ended = Mutex::new(ended);
    let receive = |time| py.detach(|| ended.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time));
    loop {
        match receive(LOOK) {
            Ok(Ok(result)) => return result.map_err(raise),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Disconnected) => return Err(raise(Error::Stopped)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals() {
            if job.cancel() {
                let _ = receive(PATIENCE);
            }
            return Err(interrupt);
        }
    }
}

/// A fork copies only the thread that calls it: a child would wait forever for threads that do not
/// exist.
pub fn expect_no_fork(py: Python<'_>) -> PyResult<()> {
    let own_id = process::id();
    match OWNER.compare_exchange(0, own_id, Ordering::Relaxed, Ordering::Relaxed) {
        Err(owner) if owner != own_id => Err(own(
            py,
            "Forked",
            "this process was forked from one that had used obbligato, and its threads were not: start processes by \
             'spawn' or 'forkserver' (multiprocessing.set_start_method), or fork before the first call",
        )),
        _ => Ok(()),
    }
}
