//! Declares `shaders/regions/enclosure.wgsl`: boxes in a room.

use crate::device::kernel::{At, Kernel, files};
use crate::regions::room_frame::{BODIES_IN_ROOM, ENCLOSURES, ROOM, RoomFrame, in_room};

pub(crate) static OF_BOXES: Kernel<RoomFrame> = in_room(
    "enclosures_of_boxes",
    files!["regions/enclosure.wgsl"],
    const {
        &[
            At::new(0, &ROOM),
            At::named(1, &BODIES_IN_ROOM, "boxes"),
            At::new(2, &ENCLOSURES),
        ]
    },
);
