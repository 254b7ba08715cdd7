// Visits the pairs of a check, in the kernels that find them. `ImageRecord` comes before this.

// In units of 2^-16, because atomic operations are on integers: the sum does not depend on the
// order of the pairs.
@group(1) @binding(0) var<storage, read_write> forces: array<atomic<i32>>;
// The balls, and after them the images of those near the faces of the box.
@group(1) @binding(1) var<storage, read> balls: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> images: array<ImageRecord>;

// The ball that a position refers to, if it is not that of an image.
fn owner(id: u32) -> u32 {
    let count = arrayLength(&forces) / 3u;
    if id < count { return id; }
    return images[id - count].body;
}

// Two balls push each other apart, by as much as they overlap.
fn visit(pair: Pair, undecided: bool) {
    let way = balls[pair.b].xyz - balls[pair.a].xyz;
    let distance = length(way);
    let overlap = max(balls[pair.a].w + balls[pair.b].w - distance, 0.0);
    let force = vec3<i32>(65536.0 * overlap * way / max(distance, 1e-6));
    let a = 3u * owner(pair.a);
    let b = 3u * owner(pair.b);
    for (var axis = 0u; axis < 3u; axis++) {
        atomicSub(&forces[a + axis], force[axis]);
        atomicAdd(&forces[b + axis], force[axis]);
    }
}
