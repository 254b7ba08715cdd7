// The records that broad phases sort and compare.

// src/geometry/bounds.rs, Bounds, in a form that is read in two loads of 16 bytes: the low corner
// and the tag (in the grid the key of a cell, in a tree a link), and the high corner and the id.
struct Record {
    low_and_tag: vec4<u32>,
    high_and_id: vec4<u32>,
}

fn low_of(record: Record) -> vec3<f32> { return bitcast<vec3<f32>>(record.low_and_tag.xyz); }
fn high_of(record: Record) -> vec3<f32> { return bitcast<vec3<f32>>(record.high_and_id.xyz); }
fn id_of(record: Record) -> u32 { return record.high_and_id.w; }

// Without branches: all six comparisons cost less than one branch.
fn meet(a: Record, b: Record) -> bool {
    return all((low_of(a) <= high_of(b)) & (low_of(b) <= high_of(a)));
}
