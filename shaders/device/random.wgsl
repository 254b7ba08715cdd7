// Accesses memory in random order, to measure the peak rate (src/device/rates.rs). Not a step of a
// check, so it has no CPU twin.

const WORKGROUP: u32 = 256u;

// The size of a memory transaction, and of a record of the grid.
struct Sector {
    low: vec4<u32>,
    high: vec4<u32>,
}

@group(0) @binding(0) var<storage, read> sectors: array<Sector>;
@group(0) @binding(1) var<storage, read_write> scattered: array<Sector>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>>;
// A sum of the values that an invocation has read, so that no compiler removes the reads.
@group(0) @binding(3) var<storage, read_write> sums: array<u32>;

// The place of number k of `count`, a power of two. It visits each place once, in an order that
// caches cannot use. Multiplying by an odd number and adding the upper half of the bits to the
// lower are both invertible.
fn place(k: u32, count: u32) -> u32 {
    let half = (countTrailingZeros(count) + 1u) / 2u;
    var h = (k * 0x9e3779b1u) & (count - 1u);
    h ^= h >> max(half, 1u);
    h = (h * 0x85ebca6bu) & (count - 1u);
    return h ^ (h >> max(half, 1u));
}

@compute @workgroup_size(WORKGROUP)
fn gather_sectors(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = arrayLength(&sectors);
    var sum = vec4(0u);
    for (var k = id.x; k < count; k += workgroups.x * WORKGROUP) {
        let sector = sectors[place(k, count)];
        sum += sector.low + sector.high;
    }
    if id.x < arrayLength(&sums) { sums[id.x] = sum.x + sum.y + sum.z + sum.w; }
}

@compute @workgroup_size(WORKGROUP)
fn scatter_sectors(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = arrayLength(&scattered);
    for (var k = id.x; k < count; k += workgroups.x * WORKGROUP) {
        scattered[place(k, count)] = Sector(vec4(k), vec4(k));
    }
}

@compute @workgroup_size(WORKGROUP)
fn add_anywhere(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = arrayLength(&counters);
    var sum = 0u;
    for (var k = id.x; k < count; k += workgroups.x * WORKGROUP) {
        sum += atomicAdd(&counters[place(k, count)], 1u);
    }
    if id.x < arrayLength(&sums) { sums[id.x] = sum; }
}

// One invocation of 32 adds, as when a subgroup appends to a list.
@compute @workgroup_size(WORKGROUP)
fn add_in_one_place(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    if id.x % 32u > 0u { return; }
    let count = arrayLength(&counters);
    var sum = 0u;
    for (var k = id.x; k < count; k += workgroups.x * WORKGROUP) {
        sum += atomicAdd(&counters[0], 1u);
    }
    if id.x < arrayLength(&sums) { sums[id.x] = sum; }
}
