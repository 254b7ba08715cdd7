//! Waiting for a device.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The way a call waits for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The calling thread sleeps.
    Blocking,
    /// A background thread sleeps and wakes the future when the device is done.
    Background,
}

/// Waits for the future that `begin` creates. Most are ready at once, and need no means to sleep,
/// which would have to be allocated.
pub(crate) fn wait<F: Future>(begin: impl FnOnce() -> F) -> F::Output {
    let mut future = pin!(begin());
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => pollster::block_on(future),
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[test]
    fn futures_that_are_not_ready_at_once_are_awaited() {
        let mut polls = 0;
        let output = wait(|| {
            poll_fn(|context| {
                polls += 1;
                context.waker().wake_by_ref();
                match polls {
                    3 => Poll::Ready("done"),
                    _ => Poll::Pending,
                }
            })
        });
        assert_eq!((output, polls), ("done", 3));
    }
}
