@group(0) @binding(0) var<storage, read_write> forces: array<i32>;
@group(0) @binding(1) var<storage, read_write> balls: array<vec4<f32>>;

// The sides of the box that repeats: forces.rs.
const SIDE: f32 = 32.0;

// Moves every ball along its force, which starts again at zero.
@compute @workgroup_size(64)
fn move_balls(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&balls) { return; }
    for (var axis = 0u; axis < 3u; axis++) {
        balls[id.x][axis] += 0.3 * f32(forces[3u * id.x + axis]) / 65536.0;
        forces[3u * id.x + axis] = 0;
    }
    // Into the box again.
    let place = balls[id.x].xyz;
    balls[id.x] = vec4(place - SIDE * floor(place / SIDE), balls[id.x].w);
}
