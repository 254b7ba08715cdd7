// In place of a narrow phase where bounds are all there is: every candidate pair is one to report.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(4) var<storage, read_write> candidates: CandidateList;
@group(0) @binding(5) var<storage, read_write> found: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn accept_all(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let count = candidates_to_test();
    for (var k = id.x; k < count; k += workgroups.x * WORKGROUP) {
        let pair = candidates.pairs[k];
        if params.output == OUTPUT_PAIRS && k < params.pair_capacity {
            atomicStore(&found[2u * k], pair.a);
            atomicStore(&found[2u * k + 1u], pair.b);
        }
        if params.output == OUTPUT_DEGREES && params.again == 0u {
            atomicAdd(&found[pair.a], 1u);
            atomicAdd(&found[pair.b], 1u);
        }
    }
    if id.x == 0u { atomicStore(&candidates.counters[PAIRS], count); }
}
