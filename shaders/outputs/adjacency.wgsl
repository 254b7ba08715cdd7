// Every box's partners, from sorted pairs. The pairs in which box i is the larger are consecutive
// when sorted by (b, a), and those in which it is the smaller when sorted by (a, b). Its row is the
// former run followed by the latter, each ascending.
// Uses: shared/outcome.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 256u;

// src/outputs/adjacency.rs, Rows
struct Rows {
    count: u32,
    of_a: u32,
    of_b: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> rows: Rows;
@group(0) @binding(1) var<storage, read> outcome: Outcome;
@group(0) @binding(2) var<storage, read> by_a: array<Pair>;
@group(0) @binding(3) var<storage, read> by_b: array<Pair>;
@group(0) @binding(4) var<storage, read_write> offsets: array<u32>;
// The part of the offsets that comes from the pairs sorted by (a, b).
@group(0) @binding(5) var<storage, read_write> offsets_of_a: array<u32>;
@group(0) @binding(6) var<storage, read_write> neighbours: array<u32>;
// For each neighbour, the index of its pair among those sorted by (a, b).
@group(0) @binding(7) var<storage, read_write> numbers: array<u32>;

// The number of pairs with an `a` below `row`. Uses binary search: scanning the pairs would be slow
// if few boxes have any.
fn pairs_before(row: u32) -> u32 {
    var low = 0u;
    var high = outcome.pairs;
    while low < high {
        let middle = low + (high - low) / 2u;
        if by_a[middle].a < row { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

// The number of pairs with a `b` below `row`.
fn turned_pairs_before(row: u32) -> u32 {
    var low = 0u;
    var high = outcome.pairs;
    while low < high {
        let middle = low + (high - low) / 2u;
        if by_b[middle].b < row { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

@compute @workgroup_size(WORKGROUP)
fn find_rows(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var row = workgroup.x * WORKGROUP + local; row <= rows.count; row += workgroups.x * WORKGROUP) {
        var before = 0u;
        var turned_before = 0u;
        if rows.of_a > 0u { before = pairs_before(row); }
        if rows.of_b > 0u { turned_before = turned_pairs_before(row); }
        offsets_of_a[row] = before;
        offsets[row] = before + turned_before;
    }
}

// The index of a pair among those sorted by (a, b): the first, if it is there several times.
fn number_of(pair: Pair) -> u32 {
    var low = 0u;
    var high = outcome.pairs;
    if rows.of_a > 0u {
        low = offsets_of_a[pair.a];
        high = offsets_of_a[pair.a + 1u];
    }
    while low < high {
        let middle = low + (high - low) / 2u;
        let other = by_a[middle];
        if other.a < pair.a || (other.a == pair.a && other.b < pair.b) { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

// The number of pairs before the one at `k` of those sorted by (b, a) that equal it: two bodies may
// meet in several images.
fn equals_before(k: u32) -> u32 {
    let pair = by_b[k];
    var equals = 0u;
    while equals < k {
        let other = by_b[k - equals - 1u];
        if other.a != pair.a || other.b != pair.b { break; }
        equals += 1u;
    }
    return equals;
}

@compute @workgroup_size(WORKGROUP)
fn place_neighbours(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var k = workgroup.x * WORKGROUP + local; k < outcome.pairs; k += workgroups.x * WORKGROUP) {
        if rows.of_a > 0u {
            // A pair comes after the pairs before it and the turned ones of its row and of earlier
            // rows.
            let pair = by_a[k];
            let place = k + offsets[pair.a + 1u] - offsets_of_a[pair.a + 1u];
            neighbours[place] = pair.b;
            numbers[place] = k;
        }
        if rows.of_b > 0u {
            let pair = by_b[k];
            let place = k + offsets_of_a[pair.b];
            neighbours[place] = pair.a;
            numbers[place] = number_of(pair) + equals_before(k);
        }
    }
}
