// Loops that a driver ends.

// What TOO_MANY is then; 1 where the candidate pairs are only too many to count.
const LOOPS_ENDED: u32 = 2u;

// Mesa's llvmpipe ends the loops of an invocation after 65,535 rounds in all, and says nothing; from then on every loop ends
// after its first round. So does this one, whose two rounds no compiler can foresee. The host divides the range then, as it
// does for too many pairs; what is written of its candidate pairs cannot be trusted.
fn note_ended_loops() {
    let rounds = 2u + (params.movers >> 1u);
    var round = 0u;
    while round < rounds { round += 1u; }
    if round < rounds { atomicMax(&candidates.counters[TOO_MANY], LOOPS_ENDED); }
}
