//! The program's allocator: the system's, except that the program ends with one line and exit code
//! 3 when memory runs out.
//!
//! The library handles failed allocations and returns an error. Its dependencies and the standard
//! library abort, or panic in a thread that has no memory for its stacks.
//!
//! On Linux, large blocks consist of huge pages.
#![allow(unsafe_code, reason = "an allocator is unsafe by nature")]

#[cfg(target_os = "linux")]
mod huge_pages;

#[cfg(not(target_os = "linux"))]
use std::alloc::System as Source;
use std::alloc::{GlobalAlloc, Layout};
use std::fmt;
#[cfg(not(unix))]
use std::io;
use std::io::Write;
use std::panic;
#[cfg(not(unix))]
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use obbligato_files::{catches_panics, output};
use obbligato_support::memory;
#[cfg(target_os = "linux")]
use obbligato_support::parallel::wanted_threads;

use super::failure::MACHINE_FAILED;
#[cfg(target_os = "linux")]
use huge_pages::HugePages as Source;

/// Sets up the allocator, and the end of the program where a thread has no memory for its stacks.
/// Called before the work.
pub fn prepare() {
    set_panic_hook();
    #[cfg(target_os = "linux")]
    huge_pages::prepare(wanted_threads().threads);
}

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Returns the address from the system. Ends the program if the allocation failed and the caller
/// cannot handle that.
fn given(address: *mut u8, bytes: usize) -> *mut u8 {
    if address.is_null() && !memory::copes_with_refusal() {
        end(format_args!("{bytes} bytes"));
    }
    address
}

/// Ends the program, because it cannot allocate `what`, from wherever memory ran out: also within
/// the standard library, which may hold locks of its own. Does not allocate, takes no lock and runs
/// nothing that is otherwise run at the end of a program.
fn end(what: fmt::Arguments<'_>) -> ! {
    static ENDS: AtomicBool = AtomicBool::new(false);
    if ENDS.swap(true, Ordering::Relaxed) {
        // Another thread writes the line and ends all of them.
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    let mut line = [0; 256];
    let mut rest = &mut line[..];
    let _ = writeln!(
        rest,
        "obbligato: cannot allocate {what}: check fewer boxes at once, or free or allow more memory"
    );
    let left = rest.len();
    output::abandon_at_once();
    exit(&line[..line.len() - left])
}

/// Writes a line to stderr and ends the program.
#[cfg(unix)]
fn exit(line: &[u8]) -> ! {
    // SAFETY: the bytes are valid for reading, and `_exit` may be called at any time.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
        libc::_exit(MACHINE_FAILED.into())
    }
}

#[cfg(not(unix))]
fn exit(line: &[u8]) -> ! {
    let _ = io::stderr().write_all(line);
    process::exit(MACHINE_FAILED.into())
}

/// Makes the program end in the same way if a thread starts and then has no memory for the stack of
/// its signals: the standard library panics, in each thread before its work. Panics that a reader
/// catches are not shown.
fn set_panic_hook() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let file = panic.location().map_or("", panic::Location::file);
        if file.ends_with("stack_overflow.rs") {
            end(format_args!("the stack of a thread"));
        }
        if !catches_panics() {
            usual(panic);
        }
    }));
}

// SAFETY: every call is passed to the source unchanged, and returns its result or does not return.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees the requirements of the source.
        given(unsafe { Source.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees the requirements of the source.
        given(unsafe { Source.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees the requirements of the source.
        unsafe { Source.dealloc(address, layout) }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees the requirements of the source.
        given(unsafe { Source.realloc(address, layout, size) }, size)
    }
}
