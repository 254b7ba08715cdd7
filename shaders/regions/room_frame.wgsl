// Shared by the shaders that test bodies against a room: the room, and the output for a body.

// src/regions/room_frame.rs, RoomFrame
struct RoomFrame {
    axis_x: vec3<f32>,
    half_x: f32,
    axis_y: vec3<f32>,
    half_y: f32,
    axis_z: vec3<f32>,
    half_z: f32,
    center: vec3<f32>,
    slack: f32,
    first: u32,
    count: u32,
    // As in Params.
    zero: u32,
    skipped: u32,
}

@group(0) @binding(0) var<uniform> params: RoomFrame;
@group(0) @binding(2) var<storage, read_write> enclosures: array<u32>;

// The output for each body, in addition to the walls in bits 0 to 5: src/regions/room.rs,
// Enclosure.
const INSIDE: u32 = 0u;
const CROSSING: u32 = 0x100u;
const OUTSIDE: u32 = 0x200u;
const UNDECIDED: u32 = 0x400u;
const INVALID: u32 = 0x800u;

// The columns are the room's axes: v * room_axes() is v in the frame of the room.
fn room_axes() -> mat3x3<f32> {
    return mat3x3(params.axis_x, params.axis_y, params.axis_z);
}

fn room_half() -> vec3<f32> {
    return vec3(params.half_x, params.half_y, params.half_z);
}

// One bit per axis, at the position of the wall at its lower end.
fn bits(axes: vec3<bool>) -> u32 {
    return select(0u, 1u, axes.x) | select(0u, 4u, axes.y) | select(0u, 16u, axes.z);
}

// The walls possibly reached, and those certainly reached.
struct Walls {
    possible: u32,
    sure: u32,
}

// Computes the walls reached from the distances of the body to the walls at the lower and at the
// upper ends of the axes, each with this error.
fn walls_reached(above_min: vec3<f32>, below_max: vec3<f32>, error: f32) -> Walls {
    let e = vec3(error);
    return Walls(
        bits(above_min <= e) | (bits(below_max <= e) << 1u),
        bits(above_min < -e) | (bits(below_max < -e) << 1u),
    );
}

// The output for a body that may reach walls: `state` is CROSSING if it shares a point with the
// room, OUTSIDE if it does not, else UNDECIDED.
fn enclosure_of(walls: Walls, state: u32) -> u32 {
    let open = select(UNDECIDED, 0u, walls.possible == walls.sure);
    return walls.possible | open | select(state, CROSSING | UNDECIDED, state == UNDECIDED);
}
