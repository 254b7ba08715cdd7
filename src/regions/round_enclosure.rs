//! Declares `shaders/regions/round_enclosure.wgsl`: capsules and spheres in a room.

use crate::device::kernel::{At, File, Kernel, files};
use crate::regions::room_frame::{BODIES_IN_ROOM, ENCLOSURES, ROOM, RoomFrame, in_room};

const FILES: &[File] = files![
    "shapes/round/capsule.wgsl",
    "shapes/round/sphere.wgsl",
    "narrow_phase/round/segments.wgsl",
    "regions/round_enclosure.wgsl"
];

pub(crate) static OF_CAPSULES: Kernel<RoomFrame> = in_room(
    "enclosures_of_capsules",
    FILES,
    const {
        &[
            At::new(0, &ROOM),
            At::named(1, &BODIES_IN_ROOM, "capsules"),
            At::new(2, &ENCLOSURES),
        ]
    },
);

pub(crate) static OF_BALLS: Kernel<RoomFrame> = in_room(
    "enclosures_of_balls",
    FILES,
    const {
        &[
            At::new(0, &ROOM),
            At::new(2, &ENCLOSURES),
            At::named(3, &BODIES_IN_ROOM, "balls"),
        ]
    },
);
