// What the kernels that walk over the grid share. The including shader declares `candidates`.

const ONE_CELL: f32 = 1.0 + 0x1p-20;

// Whether the rows looked up and the bounds compared are counted.
override count_operations: bool = false;

var<private> rows: u32 = 0u;
var<private> comparisons: u32 = 0u;

// The part of a run of records in which partners are looked for. The host gives a part of all records only where walks over all
// are too long for a driver.
fn part_of_run(first: u32, end: u32) -> vec2<u32> {
    let begin = max(first, params.partners_first);
    return vec2(begin, max(begin, min(end, params.partners_end)));
}

// src/geometry/bounds.rs, Bounds: in a form that is read in two loads of 16 bytes. The low corner and the tag, here the key of a cell;
// the high corner and the id.
struct Record {
    low_and_key: vec4<u32>,
    high_and_id: vec4<u32>,
}

fn low_of(record: Record) -> vec3<f32> { return bitcast<vec3<f32>>(record.low_and_key.xyz); }
fn high_of(record: Record) -> vec3<f32> { return bitcast<vec3<f32>>(record.high_and_id.xyz); }
fn key_of(record: Record) -> u32 { return record.low_and_key.w; }
fn id_of(record: Record) -> u32 { return record.high_and_id.w; }

// Without a branch: all six comparisons cost less than one.
fn meet(a: Record, b: Record) -> bool {
    return all((low_of(a) <= high_of(b)) & (low_of(b) <= high_of(a)));
}

// The cell with a record's key next to where its position puts it.
fn home_cell(key: u32, near: vec3<u32>) -> vec3<u32> {
    let low = vec3(key, key >> 9u, key >> 18u);
    let difference = vec3<i32>((low - near) << vec3(23u)) >> vec3(23u);
    return near + vec3<u32>(difference);
}

// Adds to a number of 64 bits.
fn add_long(counter: u32, more: u32) {
    if atomicAdd(&candidates.counters[counter], more) > 0xffffffffu - more { atomicAdd(&candidates.counters[counter + 1u], 1u); }
}

// Counts what an invocation has done.
fn add_operations() {
    if count_operations {
        add_long(ROWS, rows);
        add_long(COMPARISONS, comparisons);
        rows = 0u;
        comparisons = 0u;
    }
}
