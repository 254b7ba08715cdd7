//! The program's allocator: the system's, except that the program ends with one line and exit code
//! 3 when memory runs out.
//!
//! The library handles failed allocations and returns an error. Its dependencies and the standard
//! library abort.
//!
//! On Linux, large blocks consist of huge pages.
#![allow(unsafe_code, reason = "an allocator is unsafe by nature")]

#[cfg(target_os = "linux")]
mod huge_pages;

#[cfg(not(target_os = "linux"))]
use std::alloc::System as Source;
use std::alloc::{GlobalAlloc, Layout};
use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use obbligato_support::memory;
#[cfg(target_os = "linux")]
use obbligato_support::parallel::wanted_threads;

use super::failure::MACHINE_FAILED;
#[cfg(target_os = "linux")]
use huge_pages::HugePages as Source;

/// Sets up the allocator, before the work.
pub fn prepare() {
    #[cfg(target_os = "linux")]
    huge_pages::prepare(wanted_threads().threads);
}

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Returns the address from the system. Ends the program if the allocation failed and the caller
/// cannot handle that.
fn given(address: *mut u8, bytes: usize) -> *mut u8 {
    static SAID: AtomicBool = AtomicBool::new(false);
    if address.is_null() && !memory::copes_with_refusal() {
        if !SAID.swap(true, Ordering::Relaxed) {
            // This does not allocate.
            let _ = writeln!(
                io::stderr(),
                "obbligato: cannot allocate {bytes} bytes: check fewer boxes at once, or free or allow more memory"
            );
        }
        process::exit(MACHINE_FAILED.into());
    }
    address
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
