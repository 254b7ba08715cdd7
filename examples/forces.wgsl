// The application's kernels. The first part visits the pairs of a check, in the kernels that find
// them; the second moves the balls.

// In units of 2^-16, because atomic operations are on integers: the sum does not depend on the
// order of the pairs.
@group(1) @binding(0) var<storage, read_write> forces: array<atomic<i32>>;
@group(1) @binding(1) var<storage, read> balls: array<vec4<f32>>;

// Two balls push each other apart, by as much as they overlap.
fn visit(pair: Pair, undecided: bool) {
    let way = balls[pair.b].xyz - balls[pair.a].xyz;
    let distance = length(way);
    let overlap = max(balls[pair.a].w + balls[pair.b].w - distance, 0.0);
    let force = vec3<i32>(65536.0 * overlap * way / max(distance, 1e-6));
    for (var axis = 0u; axis < 3u; axis++) {
        atomicSub(&forces[3u * pair.a + axis], force[axis]);
        atomicAdd(&forces[3u * pair.b + axis], force[axis]);
    }
}
