//! Signals that end the program: it removes its unfinished files first. The one about a limit on
//! the size of files does not end it: writing then fails like on a full disk.

use std::sync::OnceLock;

use obbligato::Stop;

/// The switch that SIGINT and SIGTERM set, if any, instead of ending the program.
static STOP: OnceLock<Stop> = OnceLock::new();

/// Makes the first SIGINT or SIGTERM from now on set this switch. The next one ends the program.
pub fn stop_instead(stop: &Stop) {
    let _ = STOP.set(stop.clone());
}

/// Begins to watch for signals, on a thread of its own.
///
/// If no thread can start, signals end the program immediately, as they always do on systems other
/// than Unix. Files that are left behind are then removed when something is next written there.
#[cfg(unix)]
pub fn watch() {
    use std::{sync::mpsc, thread};

    use obbligato_files::output;
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
        low_level::emulate_default_handler,
    };

    use crate::determinism::scratch;

    ignore_file_size();
    // Under nohup, and in the background of a script, some of them must be ignored.
    let signals = [SIGHUP, SIGINT, SIGTERM]
        .into_iter()
        .filter(|signal| !is_ignored(*signal));
    let signals: Vec<i32> = signals.collect();
    let (watching, started) = mpsc::channel();
    let watcher = thread::Builder::new().name("signals".into()).stack_size(STACK_BYTES);
    let watcher = watcher.spawn(move || {
        let Ok(mut signals) = Signals::new(signals) else { return };
        let _ = watching.send(());
        for signal in signals.forever() {
            // Work that ends when it is asked to is asked once.
            if signal != SIGHUP && STOP.get().is_some_and(|stop| !stop.is_requested()) {
                STOP.get().into_iter().for_each(Stop::request);
                continue;
            }
            output::abandon();
            scratch::abandon();
            // The program ends by the signal itself, as the shell expects: it reports 128 plus the
            // signal's number.
            let _ = emulate_default_handler(signal);
        }
    });
    if watcher.is_ok() {
        // Waits before the first file is begun. An error means that the thread has given up.
        let _ = started.recv();
    }
}

#[cfg(not(unix))]
pub fn watch() {}

/// Ignores the signal of a write beyond the limit on the size of files (`ulimit -f`).
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library does not set what happens on a signal")]
fn ignore_file_size() {
    // SAFETY: the signal may be ignored. If that fails, it ends the program as before.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// The stack of the thread: removing a few files needs little.
#[cfg(unix)]
const STACK_BYTES: usize = 128 << 10;

/// Returns `true` if the program was started with this signal ignored.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library does not tell what happens on a signal")]
fn is_ignored(signal: i32) -> bool {
    use std::{mem::MaybeUninit, ptr};

    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the new action is null, so the call changes nothing and only fills `action`, which is
    // large enough.
    let known = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) } == 0;
    // SAFETY: zeros are a `sigaction` (the default action, no flags, no signals), whether or not
    // the call has filled it.
    known && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}
