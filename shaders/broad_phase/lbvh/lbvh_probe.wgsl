// How much work a walk is: the comparisons of a sample of walks are counted. Nothing of what is found depends on it.
// Twin: src/broad_phase/lbvh/lbvh_pairs_cpu.rs counts all of them.

const WORKGROUP: u32 = 64u;
// Comparisons of a walk that are counted; beyond that it is long.
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
