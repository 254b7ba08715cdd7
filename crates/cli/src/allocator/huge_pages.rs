//! Large blocks of memory in huge pages.
//!
//! The system provides memory page by page, when each is first touched. A check of a file touches
//! about 200 bytes per box for the first time, and pages of 4 KiB would cost more than finding the
//! pairs: 0.2 to 2 microseconds each, the latter on virtual machines, while a page of 2 MiB costs
//! little more than its zeros. Large blocks therefore begin and end at the borders of huge pages,
//! and are marked for them; the system's settings may forbid them (`never` in
//! `/sys/kernel/mm/transparent_hugepage/enabled`). Other blocks come from the system's allocator.
//!
//! Some systems take milliseconds for a huge page: a virtual machine whose host reclaims free
//! memory must request it again, and fragmented memory is compacted first. Each page is therefore
//! touched, and timed, when its block is made. Once huge pages have taken longer in total than
//! plain pages would have, the rest of the memory uses plain pages. The pages of a very large block
//! are touched by several threads, as the work on it would do.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::Range;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::Relaxed};
use std::thread::{self, Builder};

use libc::{
    MADV_HUGEPAGE, MADV_NOHUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, MREMAP_MAYMOVE, PROT_READ, PROT_WRITE,
};

/// The bytes of freed smaller blocks that the system's allocator may keep in one run, because lists
/// of pairs come and go with each check.
const KEPT: i32 = 64 << 20;

/// The size of a huge page in bytes, on most machines.
const PAGE: usize = 2 << 20;
/// The largest alignment that the system gives to any mapping.
const ALIGN: usize = 4096;

/// The minimum number of nanoseconds for the 512 plain pages in the place of a huge one. Its zeros
/// take a fifth of that.
const PLAIN: i64 = 500_000;
/// The nanoseconds that huge pages may take more than plain ones would have: one or two slow ones
/// at the beginning.
const PATIENCE: i64 = 2_000_000;
/// The number of pages that justify a thread: starting it takes less time than they take.
const WORTH_A_THREAD: usize = 8;
/// The maximum number of threads that touch pages: a few of them keep the memory busy.
const MOST_THREADS: usize = 8;
/// The number of threads that may touch the pages of a block.
static THREADS: AtomicUsize = AtomicUsize::new(1);

/// The nanoseconds that huge pages have saved so far.
static SAVED: AtomicI64 = AtomicI64::new(0);

/// Returns `true` if huge pages pay off, as far as is known.
fn pays() -> bool {
    SAVED.load(Relaxed) >= -PATIENCE
}

/// The system's allocator, except for blocks of at least a huge page.
pub(super) struct HugePages;

/// Sets the number of threads that touch large blocks, and makes glibc's allocator keep smaller
/// ones.
pub(super) fn prepare(threads: usize) {
    let mut addresses = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the call writes only to its argument.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut addresses) } == 0;
    // A thread without enough address space for its stack may end the process.
    if known && addresses.rlim_cur == libc::RLIM_INFINITY {
        THREADS.store(threads.min(MOST_THREADS), Relaxed);
    }
    keep_smaller_blocks();
}

/// Makes glibc's allocator keep the memory of smaller blocks. By default, it maps those of 128 KiB
/// and more one by one, page by page, until a larger one is freed; it never gets a larger one.
fn keep_smaller_blocks() {
    #[cfg(target_env = "gnu")]
    // SAFETY: these calls set parameters of the allocator. If it rejects them, it uses its own.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, PAGE as i32);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

/// Returns `true` if a block is mapped here. This depends only on the layout, which every call
/// receives, so blocks need no mark.
fn is_large(layout: Layout) -> bool {
    layout.size() >= PAGE && layout.align() <= ALIGN
}

/// Returns the bytes mapped for a large block. A layout's size is at most `isize::MAX`, so this
/// does not overflow.
fn mapped(layout: Layout) -> usize {
    layout.size().next_multiple_of(PAGE)
}

/// Maps a large block of zeros, or returns null.
fn map(layout: Layout) -> *mut u8 {
    let bytes = mapped(layout);
    let (access, kind) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
    // SAFETY: a new mapping touches nothing that exists. The unmapped ranges are parts of it: the
    // bytes before the first huge page and those after the block.
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
        back(block.cast(), 0..bytes);
        block.cast()
    }
}

/// Requests huge pages for the last, still untouched part of a block, as long as they come fast.
/// All of a block is marked in one way: the system would not move a block with two kinds of marks.
///
/// # Safety
/// The block is mapped up to the end of the part. The part begins and ends at a multiple of the
/// size of a huge page.
unsafe fn back(block: *mut u8, part: Range<usize>) {
    if part.is_empty() {
        return;
    }
    let advise = |advice| {
        // SAFETY: advice about mapped memory changes nothing in it.
        unsafe { libc::madvise(block.cast(), part.end, advice) };
    };
    if pays() {
        advise(MADV_HUGEPAGE);
    }
    let addresses = block.expose_provenance();
    let next = AtomicUsize::new(part.start);
    let touch = || {
        while pays() {
            let page = next.fetch_add(PAGE, Relaxed);
            if page >= part.end {
                break;
            }
            let start = thread_time();
            // SAFETY: a zero is written over zeros because nobody has touched this page, and no
            // other thread takes it.
            unsafe { with_exposed_provenance_mut::<u8>(addresses + page).write_volatile(0) };
            SAVED.fetch_add(PLAIN - (thread_time() - start), Relaxed);
        }
    };
    let others = (part.len() / PAGE / WORTH_A_THREAD).min(THREADS.load(Relaxed) - 1);
    match others {
        0 => touch(),
        _ => thread::scope(|scope| {
            for _ in 0..others {
                // If one does not start, the others touch its pages.
                let _ = Builder::new().spawn_scoped(scope, touch);
            }
            touch();
        }),
    }
    if !pays() {
        advise(MADV_NOHUGEPAGE);
    }
}

/// Returns the nanoseconds that this thread has run, including in the system, but not the time
/// while others use its core.
fn thread_time() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes only to its argument.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    (time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64) as i64
}

// SAFETY: blocks that are not large belong to the system's allocator. All others are mapped here
// with the size in their layout, and are aligned at least to a page. Every call receives the
// layout, and so knows the origin of the block.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match is_large(layout) {
            true => map(layout),
            // SAFETY: the caller guarantees the requirements of the system's allocator.
            false => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match is_large(layout) {
            true => map(layout),
            // SAFETY: the caller guarantees the requirements of the system's allocator.
            false => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees that the block has this layout, and that nobody uses it any
        // more.
        unsafe {
            match is_large(layout) {
                true => {
                    libc::munmap(address.cast(), mapped(layout));
                }
                false => System.dealloc(address, layout),
            }
        }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees that the size does not overflow when rounded up to the
        // alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(layout), is_large(new)) {
            // SAFETY: the caller guarantees the requirements of the system's allocator.
            (false, false) => unsafe { System.realloc(address, layout, size) },
            (true, true) => {
                // SAFETY: the block is mapped and belongs to nobody else. It moves with its
                // contents, or stays if there is no room.
                let moved = unsafe { libc::mremap(address.cast(), mapped(layout), mapped(new), MREMAP_MAYMOVE) };
                if moved == MAP_FAILED {
                    return null_mut();
                }
                // SAFETY: the part by which the block has grown is mapped.
                unsafe { back(moved.cast(), mapped(layout)..mapped(new)) };
                moved.cast()
            }
            _ => {
                // SAFETY: both blocks have room for the copied bytes, and the old one is freed in
                // the way it was made.
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::slice;
    use std::sync::Mutex;

    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 16).expect("a small size")
    }

    /// Returns the system's flags of the mapping at an address.
    fn flags(address: usize) -> String {
        let maps = fs::read_to_string("/proc/self/smaps").expect("Linux tells");
        let mut inside = false;
        for line in maps.lines() {
            let first = line.split(' ').next().unwrap_or_default();
            let number = |text| usize::from_str_radix(text, 16).ok();
            if let Some((Some(from), Some(to))) = first.split_once('-').map(|(from, to)| (number(from), number(to))) {
                inside = (from..to).contains(&address);
            } else if inside && first == "VmFlags:" {
                return line.to_owned();
            }
        }
        panic!("nothing is mapped at {address:x}");
    }

    #[test]
    fn large_blocks_are_marked_for_huge_pages() {
        for size in [PAGE, PAGE + 1, 9 * PAGE / 2] {
            let layout = layout(size);
            // SAFETY: the size is not zero, all bytes of the block are zeros, and it is freed in
            // the way it was made.
            unsafe {
                let block = HugePages.alloc_zeroed(layout);
                assert!(
                    !block.is_null() && block.addr().is_multiple_of(PAGE),
                    "{size}: {block:?}"
                );
                assert!(slice::from_raw_parts(block, size).iter().all(|byte| *byte == 0));
                if Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
                    let flags = flags(block.addr() + size - 1);
                    // If huge pages take too long, the block is marked against them.
                    let marked = [" hg", " nh"].iter().any(|mark| flags.contains(mark));
                    assert!(marked, "{size}: {flags}");
                }
                HugePages.dealloc(block, layout);
            }
        }
    }

    /// Serializes tests that depend on the time saved by huge pages.
    static ACCOUNT: Mutex<()> = Mutex::new(());

    #[test]
    fn several_threads_touch_a_very_large_block() {
        let _turn = ACCOUNT.lock().expect("no test has failed");
        SAVED.store(i64::MAX / 2, Relaxed);
        THREADS.store(4, Relaxed);
        let layout = layout(60 * PAGE);
        // SAFETY: the size is not zero, there is a byte for each page of 4 KiB or more, and the
        // block is freed in the way it was made.
        unsafe {
            let block = HugePages.alloc(layout);
            let mut resident = vec![0; layout.size() / ALIGN];
            assert_eq!(libc::mincore(block.cast(), layout.size(), resident.as_mut_ptr()), 0);
            HugePages.dealloc(block, layout);
            let touched = resident.iter().step_by(PAGE / ALIGN).filter(|page| **page & 1 > 0);
            assert_eq!(touched.count(), 60);
        }
        THREADS.store(1, Relaxed);
        SAVED.store(0, Relaxed);
    }

    #[test]
    fn blocks_keep_their_contents_as_they_grow_and_shrink() {
        let sizes = [100, PAGE - 1, PAGE, 3 * PAGE + 5, PAGE + 7, 64, 5 * PAGE];
        // SAFETY: no size is zero, only written bytes are read, and the block is freed in the way
        // it was last made.
        unsafe {
            let mut size = 10;
            let mut block = HugePages.alloc(layout(size));
            (0..10).for_each(|k| *block.add(k) = k as u8);
            for next in sizes {
                block = HugePages.realloc(block, layout(size), next);
                assert!(!block.is_null());
                *block.add(next - 1) = 1;
                assert!((0..10).all(|k| *block.add(k) == k as u8), "{size} to {next}");
                size = next;
            }
            HugePages.dealloc(block, layout(size));
        }
    }

    #[test]
    fn blocks_grow_when_huge_pages_have_become_slow() {
        let _turn = ACCOUNT.lock().expect("no test has failed");
        // SAFETY: no size is zero, and the block is freed in the way it was last made.
        unsafe {
            let mut size = 3 * PAGE;
            let mut block = HugePages.alloc(layout(size));
            SAVED.store(-PATIENCE - 1, Relaxed);
            for next in [6 * PAGE, 12 * PAGE, 2 * PAGE, 24 * PAGE] {
                block = HugePages.realloc(block, layout(size), next);
                assert!(!block.is_null(), "{size} to {next}");
                size = next;
            }
            HugePages.dealloc(block, layout(size));
        }
        SAVED.store(0, Relaxed);
    }

    #[test]
    fn unavailable_memory_is_null() {
        let layout = layout(1 << 60);
        // SAFETY: the size is not zero.
        assert!(unsafe { HugePages.alloc(layout) }.is_null());
    }
}
