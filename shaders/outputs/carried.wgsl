// Finds the place of each contact point in the previous frame: that of the point with the same
// features in the manifold of the same pair. If several have them, they are taken in their order.
// Uses: narrow_phase/obb_obb/manifold_record.wgsl, narrow_phase/obb_obb/point_record.wgsl,
// shared/outcome.wgsl.

const WORKGROUP: u32 = 256u;

// The place of a point that was not there.
const NEW: u32 = 0xffffffffu;
// Set in the place of a pair whose bodies have changed places.
const TURNED: u32 = 0x80000000u;

@group(0) @binding(0) var<storage, read> outcome: Outcome;
@group(0) @binding(1) var<storage, read> previous_pairs: array<u32>;
@group(0) @binding(2) var<storage, read> manifolds: array<ManifoldRecord>;
@group(0) @binding(3) var<storage, read> points: array<PointRecord>;
@group(0) @binding(4) var<storage, read> manifolds_before: array<ManifoldRecord>;
@group(0) @binding(5) var<storage, read> points_before: array<PointRecord>;
@group(0) @binding(6) var<storage, read_write> previous_points: array<u32>;

// The number of points of a manifold in a list of `stored` points. Contacts of another frame may
// refer to more than their list has.
fn count_of(manifold: ManifoldRecord, stored: u32) -> u32 {
    let count = (manifold.bits >> 20u) & 15u;
    return select(0u, count, count <= stored && manifold.first <= stored - count);
}

fn features_of(point: PointRecord) -> u32 {
    return point.bits & 0xffffu;
}

// The place of the point `k` of a manifold among those of the same pair before.
fn place_before(now: ManifoldRecord, before: ManifoldRecord, k: u32, turned: bool) -> u32 {
    var features = features_of(points[now.first + k]);
    var equals = 0u;
    for (var i = 0u; i < k; i++) {
        if features_of(points[now.first + i]) == features { equals += 1u; }
    }
    if turned { features = features >> 8u | (features & 0xffu) << 8u; }
    for (var i = 0u; i < count_of(before, arrayLength(&points_before)); i++) {
        if features_of(points_before[before.first + i]) == features {
            if equals == 0u { return before.first + i; }
            equals -= 1u;
        }
    }
    return NEW;
}

@compute @workgroup_size(WORKGROUP)
fn find_carried(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let end = min(outcome.pairs, arrayLength(&manifolds));
    for (var pair = workgroup.x * WORKGROUP + local; pair < end; pair += workgroups.x * WORKGROUP) {
        let now = manifolds[pair];
        let previous = previous_pairs[pair];
        let place = select(previous & ~TURNED, NEW, previous == NEW);
        let turned = (previous & TURNED) > 0u;
        // A frame without contacts leaves no manifolds, or none of as many pairs.
        var before = ManifoldRecord();
        if place < arrayLength(&manifolds_before) { before = manifolds_before[place]; }
        for (var k = 0u; k < count_of(now, arrayLength(&points)); k++) {
            previous_points[now.first + k] = place_before(now, before, k, turned);
        }
    }
}
