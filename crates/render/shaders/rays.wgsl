// Intersections of rays from the eye with solids; twin: crates/render/src/rays.rs, which has the
// derivations.
// Uses: lens.wgsl, shading.wgsl.

const BOX = 0u;
const BALL = 1u;
// A depth that is not in front of the eye, with either sign.
const MISS = 0.0;

// A solid as input for ray intersections.
struct Target {
    // Its own axes in the world.
    axes: mat3x3<f32>,
    // The position of the eye in its frame.
    eye: vec3<f32>,
    half_extents: vec3<f32>,
    shape: u32,
    // 1, or -1 if the eye is inside it: the factor that rays are multiplied by.
    sense: f32,
}

// `kind` contains the tint, above it the shape, and above that a bit that is set if the eye is
// inside.
fn target_of(rotation: vec4<f32>, center: vec3<f32>, half_extents: vec3<f32>, kind: u32) -> Target {
    let axes = axes_of(rotation);
    let sense = select(1.0, -1.0, (kind >> 16u) == 1u);
    return Target(axes, -(center * axes), half_extents, (kind >> 8u) & 0xffu, sense);
}

// Intersects a ray with a solid.
fn hit_solid(body: Target, world_ray: vec3<f32>) -> Hit {
    let ray = world_ray * body.axes * body.sense;
    var hit: Hit;
    switch body.shape {
        case BOX: { hit = hit_box(body, ray); }
        case BALL: { hit = hit_ball(body, ray); }
        default: { hit = hit_capsule(body, ray); }
    }
    return Hit(hit.depth * body.sense, hit.normal * body.sense, hit.line);
}

// The columns of the matrix of a unit quaternion.
fn axes_of(q: vec4<f32>) -> mat3x3<f32> {
    let twice = q.xyz + q.xyz;
    let x = twice * q.x;
    let y = twice * q.y;
    let z = twice * q.z;
    let w = twice * q.w;
    return mat3x3(
        vec3(1.0 - y.y - z.z, x.y + w.z, x.z - w.y),
        vec3(x.y - w.z, 1.0 - x.x - z.z, y.z + w.x),
        vec3(x.z + w.y, y.z - w.x, 1.0 - x.x - y.y),
    );
}

fn sign_of(value: f32) -> f32 {
    return select(1.0, -1.0, value < 0.0);
}

// Intersects a ray with the plane of the face by which it would enter the box.
fn hit_box(body: Target, ray: vec3<f32>) -> Hit {
    let a = (-body.half_extents - body.eye) / ray;
    let b = (body.half_extents - body.eye) / ray;
    let near = min(a, b);
    let depth = max(near.x, max(near.y, near.z));
    var face = 2u;
    if near.x == depth { face = 0u; } else if near.y == depth { face = 1u; }
    let point = body.eye + ray * depth;
    // The movement of the point in the plane of the face from pixel to pixel.
    let step_right = lens.step_right * body.axes;
    let step_down = lens.step_down * body.axes;
    let right = (step_right - ray * (step_right[face] / ray[face])) * depth;
    let down = (step_down - ray * (step_down[face] / ray[face])) * depth;
    var line = 0.0;
    var least = 1e30;
    for (var k = 1u; k < 3u; k++) {
        let axis = (face + k) % 3u;
        let pixel = length(vec2(right[axis], down[axis]));
        let half = body.half_extents[axis];
        line = max(line, stroke((half - abs(point[axis])) / pixel));
        least = min(least, 2.0 * half / pixel);
    }
    return Hit(depth, body.axes[face] * -sign_of(ray[face]), line * boldness(least));
}

// The depth at which a ray enters a sphere; `eye` is the position of the eye relative to its
// center.
fn ball(eye: vec3<f32>, ray: vec3<f32>, radius: f32) -> f32 {
    let squared = dot(ray, ray);
    let closest = -dot(eye, ray) / squared;
    let apart = eye + ray * closest;
    let inside = radius * radius - dot(apart, apart);
    if inside < 0.0 { return MISS; }
    return closest - sqrt(inside / squared);
}

fn hit_ball(body: Target, ray: vec3<f32>) -> Hit {
    let depth = ball(body.eye, ray, body.half_extents.x);
    return Hit(depth, body.axes * normalize(body.eye + ray * depth), 0.0);
}

fn hit_capsule(body: Target, ray: vec3<f32>) -> Hit {
    let radius = body.half_extents.x;
    let half_length = body.half_extents.z - radius;
    let squared = dot(ray.xy, ray.xy);
    // A ray parallel to the axis enters by the nearer cap.
    var end = -sign_of(ray.z);
    if squared > 1e-12 * dot(ray, ray) {
        let closest = -dot(body.eye.xy, ray.xy) / squared;
        let apart = body.eye.xy + ray.xy * closest;
        let inside = radius * radius - dot(apart, apart);
        if inside < 0.0 { return Hit(MISS, vec3(0.0), 0.0); }
        let depth = closest - sqrt(inside / squared);
        let point = body.eye + ray * depth;
        if abs(point.z) <= half_length {
            return Hit(depth, body.axes * normalize(vec3(point.xy, 0.0)), 0.0);
        }
        end = sign_of(point.z);
    }
    let eye = body.eye - vec3(0.0, 0.0, end * half_length);
    let depth = ball(eye, ray, radius);
    return Hit(depth, body.axes * normalize(eye + ray * depth), 0.0);
}
