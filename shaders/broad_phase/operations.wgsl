// Counts the work of walks.
// Uses: shared/common.wgsl.
// The including shader declares: candidates.

// `true` if the rows looked up and the bounds compared are counted.
override count_operations: bool = false;

var<private> rows: u32 = 0u;
var<private> comparisons: u32 = 0u;

// Adds to a 64-bit counter.
fn add_long(counter: u32, more: u32) {
    if atomicAdd(&candidates.counters[counter], more) > 0xffffffffu - more { atomicAdd(&candidates.counters[counter + 1u], 1u); }
}

// Adds the work of an invocation to the counters.
fn add_operations() {
    if count_operations {
        add_long(ROWS, rows);
        add_long(COMPARISONS, comparisons);
        rows = 0u;
        comparisons = 0u;
    }
}
