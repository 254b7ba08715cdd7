// Statistics of the boxes of a scene, available after their bounds are made.

// src/broad_phase/grid/statistics.rs, SceneStats
struct SceneStats {
    below: array<u32, 3>,
    suspects: u32,
    above: array<u32, 3>,
    tilted: u32,
    boxes_of_bin: array<u32, 256>,
    largest_of_bin: array<u32, 256>,
}
