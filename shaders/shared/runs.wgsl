// The records of one kind in a list: those of bodies, and those of images. A kernel that streams
// the list takes the part of each in a segment.
// Uses: shared/images.wgsl.

// The places of records that follow each other, the end exclusive, and the position of the first.
struct Run {
    first: u32,
    end: u32,
    id: u32,
}

fn run_count() -> u32 {
    return select(1u, 2u, imaged);
}

// The part of a run in a segment of this many records, by its places in the segment.
fn in_segment(run: Run, full: u32, number: u32) -> Run {
    let before = number * full;
    let first = max(run.first, before);
    return Run(first - before, min(run.end - min(before, run.end), full), run.id + (first - run.first));
}
