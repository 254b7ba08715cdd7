// Statistics of the boxes of a scene, available after their bounds are made.

// src/geometry/scene_stats.rs, LayerStats
struct LayerStats {
    below: array<u32, 3>,
    above: array<u32, 3>,
    boxes_of_bin: array<u32, 256>,
}

// src/geometry/scene_stats.rs, SceneStats
struct SceneStats {
    below: array<u32, 3>,
    suspects: u32,
    above: array<u32, 3>,
    tilted: u32,
    boxes_of_bin: array<u32, 256>,
    largest_of_bin: array<u32, 256>,
    layers: array<LayerStats, 4>,
}
