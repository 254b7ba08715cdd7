// Detection of loops that a driver ends early.
// Uses: shared/common.wgsl.
// The including shader declares: candidates.

// The value of TOO_MANY in that case; 1 if there are only too many candidate pairs to count.
const LOOPS_ENDED: u32 = 2u;

// Mesa's llvmpipe silently ends the loops of an invocation after 65,535 iterations in all; from
// then on every loop ends after its first iteration. So does this one, whose two iterations no
// compiler can foresee: not even one that knows the uniforms, for which Mesa compiles some shaders
// again. The length is below 2^28, as pairs have 8 bytes. The host then divides the range, as it
// does for too many pairs. The candidate pairs written so far are not valid.
fn note_ended_loops() {
    let rounds = 2u + (arrayLength(&candidates.pairs) >> 28u);
    var round = 0u;
    while round < rounds { round += 1u; }
    if round < rounds { atomicMax(&candidates.counters[TOO_MANY], LOOPS_ENDED); }
}
