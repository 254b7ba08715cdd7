// How much work walks are. The including shader declares `candidates`.

// Whether the rows looked up and the bounds compared are counted.
override count_operations: bool = false;

var<private> rows: u32 = 0u;
var<private> comparisons: u32 = 0u;

// Adds to a number of 64 bits.
fn add_long(counter: u32, more: u32) {
    if atomicAdd(&candidates.counters[counter], more) > 0xffffffffu - more { atomicAdd(&candidates.counters[counter + 1u], 1u); }
}

// Counts what an invocation has done.
fn add_operations() {
    if count_operations {
        add_long(ROWS, rows);
        add_long(COMPARISONS, comparisons);
        rows = 0u;
        comparisons = 0u;
    }
}
