// src/engine/gpu/images.rs, ImageRecord
struct ImageRecord {
    body: u32,
    x: i32,
    y: i32,
    z: i32,
}
