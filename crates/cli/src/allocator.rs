//! The program's allocator: the system's, but when memory runs out the program ends with a line and exit code 3.
//!
//! The library asks for memory so that it may be refused, and returns an error. Its dependencies and the standard library
//! abort.
//!
//! On Linux, large blocks are of huge pages.
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

/// Sets it up, before the work.
pub fn prepare() {
    #[cfg(target_os = "linux")]
    huge_pages::prepare(wanted_threads().threads);
}

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The address that the system has given, unless it refused memory to somebody who does not cope with that.
fn given(address: *mut u8, bytes: usize) -> *mut u8 {
    static SAID: AtomicBool = AtomicBool::new(false);
    if address.is_null() && !memory::copes_with_refusal() {
        if !SAID.swap(true, Ordering::Relaxed) {
            // Nothing of this allocates.
            let _ = writeln!(
                io::stderr(),
                "obbligato: cannot allocate {bytes} bytes: check fewer boxes at once, or free or allow more memory"
            );
        }
        process::exit(MACHINE_FAILED.into());
    }
    address
}

// SAFETY: every call goes to the source unchanged, and returns what that returns, or not at all.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises what the source asks for.
        given(unsafe { Source.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises what the source asks for.
        given(unsafe { Source.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: the caller promises what the source asks for.
        unsafe { Source.dealloc(address, layout) }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises what the source asks for.
        given(unsafe { Source.realloc(address, layout, size) }, size)
    }
}
