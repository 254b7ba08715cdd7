// The forces of granular balls, as in main.rs. `Outcome`, `Pair`, `ImageRecord`, the positions NEW
// and TURNED, and the constants of main.rs come before this.

struct Motion {
    velocity: vec4<f32>,
    spin: vec4<f32>,
}

// What a contact remembers, and what it does. Vectors point from the first ball of its pair.
struct Contact {
    slide: vec4<f32>,
    // On the second ball; and the energy of the springs.
    force: vec4<f32>,
    // The torque on a ball, by its radius.
    twist: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> outcome: Outcome;
@group(0) @binding(1) var<storage, read> pairs: array<Pair>;
// The balls, and after them their images.
@group(0) @binding(2) var<storage, read> imaged: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> images: array<ImageRecord>;
@group(0) @binding(4) var<storage, read> previous_pairs: array<u32>;
@group(0) @binding(5) var<storage, read> before: array<Contact>;
@group(0) @binding(6) var<storage, read> motions: array<Motion>;
@group(0) @binding(7) var<storage, read_write> contacts: array<Contact>;

fn mass(radius: f32) -> f32 {
    return 4.0 / 3.0 * 3.14159265 * DENSITY * radius * radius * radius;
}

// The stiffness and the damping of a contact with this inverse of the reduced mass.
fn spring(inverse_mass: f32, mean: f32) -> vec2<f32> {
    let stiffness = STIFFNESS * mean;
    return vec2(stiffness, DAMPING * 2.0 * sqrt(stiffness / inverse_mass));
}

fn length_clamped(v: vec3<f32>, most: f32) -> vec3<f32> {
    let length = length(v);
    return select(v, v * (most / length), length > most);
}

// The heart of the example: what a contact remembers is gathered from where it was in the previous
// frame. A contact that was not there has not slid, and if both balls have changed places, so has
// the way.
fn slide_before(k: u32) -> vec3<f32> {
    let place = previous_pairs[k];
    if place == NEW { return vec3(0.0); }
    let slide = before[place & ~TURNED].slide.xyz;
    return select(slide, -slide, (place & TURNED) > 0u);
}

@compute @workgroup_size(64)
fn touch(@builtin(global_invocation_id) id: vec3<u32>) {
    let k = id.x;
    if k >= min(outcome.pairs, arrayLength(&contacts)) { return; }
    let pair = pairs[k];
    let count = arrayLength(&motions);
    var owner = pair.b;
    if owner >= count { owner = images[owner - count].body; }
    let a = imaged[pair.a];
    let b = imaged[pair.b];
    let way = b.xyz - a.xyz;
    let distance = length(way);
    let normal = select(vec3(0.0, 0.0, 1.0), way / distance, distance > 0.0);
    let depth = a.w + b.w - distance;
    let mean = a.w * b.w / (a.w + b.w);
    let spring = spring(1.0 / mass(a.w) + 1.0 / mass(b.w), mean);
    // The velocity of b's surface relative to that of a.
    let turning = cross(a.w * motions[pair.a].spin.xyz + b.w * motions[owner].spin.xyz, normal);
    let relative = motions[owner].velocity.xyz - motions[pair.a].velocity.xyz - turning;
    let along = dot(relative, normal);
    let across = relative - along * normal;
    let push = max(spring.x * depth - spring.y * along, 0.0);
    // The contact turns with the balls, so its slide stays across the normal.
    var slide = slide_before(k);
    slide += across * DT - dot(slide, normal) * normal;
    let held = -TANGENTIAL * spring.x * slide - spring.y * across;
    // Coulomb's law: beyond it the contact slips, and its spring gets no longer.
    let tangential = length_clamped(held, FRICTION * push);
    if any(tangential != held) { slide = -tangential / (TANGENTIAL * spring.x); }
    let energy = 0.5 * spring.x * (depth * depth + TANGENTIAL * dot(slide, slide));
    contacts[k].slide = vec4(slide, 0.0);
    contacts[k].force = vec4(push * normal + tangential, energy);
    contacts[k].twist = vec4(cross(normal, tangential), 0.0);
}

@group(0) @binding(8) var<storage, read> offsets: array<u32>;
// The pair of each partner of a ball.
@group(0) @binding(9) var<storage, read> numbers: array<u32>;
@group(0) @binding(10) var<storage, read> of_balls: array<Pair>;
@group(0) @binding(11) var<storage, read> touching: array<Contact>;
@group(0) @binding(12) var<storage, read_write> balls: array<vec4<f32>>;
@group(0) @binding(13) var<storage, read_write> moving: array<Motion>;

@compute @workgroup_size(64)
fn advance(@builtin(global_invocation_id) id: vec3<u32>) {
    let ball = id.x;
    if ball >= arrayLength(&moving) { return; }
    var force = vec3(0.0);
    var torque = vec3(0.0);
    let center = balls[ball].xyz;
    let radius = balls[ball].w;
    for (var k = offsets[ball]; k < offsets[ball + 1u]; k++) {
        let number = numbers[k];
        let sign = select(1.0, -1.0, of_balls[number].a == ball);
        force += sign * touching[number].force.xyz;
        torque -= radius * touching[number].twist.xyz;
    }
    let mass = mass(radius);
    let spin = moving[ball].spin.xyz;
    let velocity = moving[ball].velocity.xyz;
    // The floor is a plane at height 0, and smooth.
    let floor_spring = spring(1.0 / mass, radius);
    let depth = radius - center.z;
    let push = select(0.0, max(floor_spring.x * depth - floor_spring.y * velocity.z, 0.0), depth > 0.0);
    let faster = velocity + (force / mass + vec3(0.0, 0.0, push / mass + GRAVITY)) * DT;
    moving[ball].velocity = vec4(faster, 0.0);
    moving[ball].spin = vec4(spin + torque / (0.4 * mass * radius * radius) * DT, 0.0);
    // Balls that leave the box that repeats come in on the other side.
    var place = center + faster * DT;
    place = vec3(place.xy - SIDE * floor(place.xy / SIDE), place.z);
    balls[ball] = vec4(place, radius);
}
