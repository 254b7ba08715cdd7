// A pair and its change: src/outputs/events.rs, EventRecord.
struct EventRecord {
    a: u32,
    b: u32,
    // 0 if it begins, 1 if it persists, 2 if it ends.
    kind: u32,
}
