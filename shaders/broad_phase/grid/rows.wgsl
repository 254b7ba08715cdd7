// Shared by the kernels that walk over the grid.
// Uses: broad_phase/grid/grid.wgsl, broad_phase/record.wgsl.
// The including shader declares: params.

const ONE_CELL: f32 = 1.0 + 0x1p-20;

fn key_of(record: Record) -> u32 { return record.low_and_tag.w; }

// The part of a run of records in which partners are searched. The host restricts the records only
// if walks over all of them take too long for a driver.
fn part_of_run(first: u32, end: u32) -> vec2<u32> {
    let begin = max(first, params.partners_first);
    return vec2(begin, max(begin, min(end, params.partners_end)));
}

// The cell with a record's key that is nearest to the record's position.
fn home_cell(key: u32, near: vec3<u32>) -> vec3<u32> {
    let low = vec3(key, key >> CELL_KEY_BITS, key >> (2u * CELL_KEY_BITS));
    let unused = vec3(32u - CELL_KEY_BITS);
    let difference = vec3<i32>((low - near) << unused) >> unused;
    return near + vec3<u32>(difference);
}
