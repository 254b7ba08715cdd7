//! Large blocks of memory in huge pages.
//!
//! The system hands out memory page by page, when each is first touched. A check of a file touches some 200 bytes a box for the
//! first time, and pages of 4 KiB would cost more than finding the pairs: 0.2 to 2 microseconds each, the latter on virtual
//! machines, while a page of 2 MiB costs little more than its zeros. So large blocks begin where such a page does, end where
//! one does, and are marked for them; the system's settings may forbid them (`never` in
//! `/sys/kernel/mm/transparent_hugepage/enabled`). Other blocks are those of the system's allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;

use libc::{MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, MREMAP_MAYMOVE, PROT_READ, PROT_WRITE};

/// Bytes of a huge page, on most machines.
const PAGE: usize = 2 << 20;
/// The largest alignment that the system gives to any mapping.
const ALIGN: usize = 4096;

/// The system's allocator, but for blocks of at least a huge page.
pub(super) struct HugePages;

/// Whether a block is mapped here. It depends on what every call is told, so blocks need not be marked.
fn is_large(layout: Layout) -> bool {
    layout.size() >= PAGE && layout.align() <= ALIGN
}

/// The bytes mapped for a large block. A layout's size is at most `isize::MAX`, so this does not overflow.
fn mapped(layout: Layout) -> usize {
    layout.size().next_multiple_of(PAGE)
}

/// Maps a large block of zeros, or returns null.
fn map(layout: Layout) -> *mut u8 {
    let bytes = mapped(layout);
    let (access, kind) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
    // SAFETY: a new mapping touches nothing that exists. What is unmapped is a part of it: what precedes the first huge page
    // and what follows the block.
    unsafe {
        let whole = libc::mmap(null_mut(), bytes + PAGE, access, kind, -1, 0);
        if whole == MAP_FAILED {
            return null_mut();
        }
        let before = whole.addr().next_multiple_of(PAGE) - whole.addr();
        let block = whole.byte_add(before);
        if before > 0 {
            libc::munmap(whole, before);
        }
        libc::munmap(block.byte_add(bytes), PAGE - before);
        // Without huge pages it is memory all the same.
        libc::madvise(block, bytes, MADV_HUGEPAGE);
        block.cast()
    }
}

// SAFETY: blocks that are not large are the system's allocator's, all others mapped here, as long as their layout says, and
// aligned to a page at least. Every call is told the layout, and so from where the block is.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match is_large(layout) {
            true => map(layout),
            // SAFETY: the caller promises what the system's allocator asks for.
            false => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match is_large(layout) {
            true => map(layout),
            // SAFETY: the caller promises what the system's allocator asks for.
            false => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: the caller promises that the block is of this layout, and that nobody uses it any more.
        unsafe {
            match is_large(layout) {
                true => drop(libc::munmap(address.cast(), mapped(layout))),
                false => System.dealloc(address, layout),
            }
        }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size does not overflow when rounded up to the alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(layout), is_large(new)) {
            // SAFETY: the caller promises what the system's allocator asks for.
            (false, false) => unsafe { System.realloc(address, layout, size) },
            (true, true) => {
                // SAFETY: the block is mapped and nobody else's; it moves with its contents, or stays if there is no room.
                let moved = unsafe { libc::mremap(address.cast(), mapped(layout), mapped(new), MREMAP_MAYMOVE) };
                if moved == MAP_FAILED { null_mut() } else { moved.cast() }
            }
            _ => {
                // SAFETY: both blocks have room for what is copied, the old one is freed as it was made.
                unsafe {
                    let moved = self.alloc(new);
                    if !moved.is_null() {
                        address.copy_to_nonoverlapping(moved, size.min(layout.size()));
                        self.dealloc(address, layout);
                    }
                    moved
                }
            }
        }
    }
}
