// Estimates the work per walk: counts the comparisons of a sample of walks. No result depends on
// it. Twin: src/broad_phase/lbvh/lbvh_pairs_cpu.rs counts the comparisons of all walks.
// Uses: broad_phase/lbvh/lbvh.wgsl, broad_phase/lbvh/nodes.wgsl, broad_phase/lbvh/step.wgsl,
// broad_phase/record.wgsl, shared/common.wgsl.

const WORKGROUP: u32 = 64u;
// The most comparisons of a walk that are counted. A walk with more is long in any case.
const MOST_COUNTED: u32 = 1u << 14u;

@compute @workgroup_size(WORKGROUP)
fn lbvh_probe(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let samples = min(params.box_count, SAMPLES);
    for (var k = workgroup.x * WORKGROUP + local; k < samples; k += workgroups.x * WORKGROUP) {
        let record = record_at(k * (params.box_count / samples));
        var link = link_of(record);
        var count = 0u;
        while link != END && count < MOST_COUNTED {
            let there = at_link(link);
            count += 1u;
            link = step_from(link, there, meet(record, there), params.box_count);
        }
        atomicAdd(&candidates.counters[PLACED], count);
    }
}
