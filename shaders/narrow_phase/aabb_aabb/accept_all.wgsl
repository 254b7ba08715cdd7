// In place of a narrow phase where bounds are all there is: every candidate pair is one to report.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> candidates: array<Pair>;
@group(0) @binding(2) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read_write> degrees: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>, COUNTERS>;

@compute @workgroup_size(WORKGROUP)
fn accept_all(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = candidates_to_test();
    for (var k = id.x; k < count; k += workgroups.x * WORKGROUP) {
        let pair = candidates[k];
        if params.output == OUTPUT_PAIRS && k < params.pair_capacity { pairs[k] = pair; }
        if params.output == OUTPUT_DEGREES && params.again == 0u {
            atomicAdd(&degrees[pair.a], 1u);
            atomicAdd(&degrees[pair.b], 1u);
        }
    }
    if id.x == 0u { atomicStore(&counters[PAIRS], count); }
}
