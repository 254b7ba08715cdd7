// The statistics of the bodies of each layer: their extent, and how many there are of each size. A
// table of a layer is planned from it, and walks go no further than the layer does. Twin:
// src/broad_phase/layered.rs, which gathers it where it sorts bodies by layer.
// Uses: broad_phase/grid/grid.wgsl, rules/lists.wgsl, shared/bounds.wgsl, shared/common.wgsl.

const WORKGROUP: u32 = 256u;

// src/geometry/scene_stats.rs, LayerStats
struct LayerStatsAtomic {
    below: array<atomic<u32>, 3>,
    above: array<atomic<u32>, 3>,
    boxes_of_bin: array<atomic<u32>, 256>,
}

// src/geometry/scene_stats.rs, SceneStats
struct LayeredStats {
    below: array<u32, 3>,
    suspects: u32,
    above: array<u32, 3>,
    tilted: u32,
    boxes_of_bin: array<u32, 256>,
    largest_of_bin: array<u32, 256>,
    layers: array<LayerStatsAtomic, 4>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> stats: LayeredStats;

var<workgroup> below_of_layer: array<atomic<u32>, 3u * MAX_LAYERS>;
var<workgroup> above_of_layer: array<atomic<u32>, 3u * MAX_LAYERS>;
var<workgroup> boxes_of_layer: array<atomic<u32>, BINS * MAX_LAYERS>;

// A number as an unsigned integer with the same order.
fn ordered(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return select(bits ^ 0x80000000u, ~bits, bits >= 0x80000000u);
}

@compute @workgroup_size(WORKGROUP)
fn gather_layers(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var layer = 0u; layer < MAX_LAYERS; layer++) { atomicStore(&boxes_of_layer[layer * BINS + local], 0u); }
    if local < 3u * MAX_LAYERS {
        atomicStore(&below_of_layer[local], 0u);
        atomicStore(&above_of_layer[local], 0u);
    }
    workgroupBarrier();
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        let b = bounds_at(i);
        let layer = layer_of_b(i);
        atomicAdd(&boxes_of_layer[layer * BINS + bin_of_tag(b.tag)], 1u);
        for (var axis = 0u; axis < 3u; axis++) {
            let place = 3u * layer + axis;
            let below = ~ordered(b.low[axis]);
            let above = ordered(b.high[axis]);
            // Reading is cheaper than an atomic operation that changes nothing, which nearly all
            // would be.
            if below > atomicLoad(&below_of_layer[place]) { atomicMax(&below_of_layer[place], below); }
            if above > atomicLoad(&above_of_layer[place]) { atomicMax(&above_of_layer[place], above); }
        }
    }
    workgroupBarrier();
    for (var layer = 0u; layer < MAX_LAYERS; layer++) {
        let count = atomicLoad(&boxes_of_layer[layer * BINS + local]);
        if count > 0u { atomicAdd(&stats.layers[layer].boxes_of_bin[local], count); }
    }
    if local < 3u * MAX_LAYERS {
        atomicMax(&stats.layers[local / 3u].below[local % 3u], atomicLoad(&below_of_layer[local]));
        atomicMax(&stats.layers[local / 3u].above[local % 3u], atomicLoad(&above_of_layer[local]));
    }
}
