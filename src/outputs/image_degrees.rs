//! Declares `shaders/outputs/image_degrees.wgsl`, which adds the degrees of images to those of
//! their bodies.

use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{DEGREES, PARAMS};
use crate::outputs::image_pairs::IMAGES_OF_PAIRS;

pub(crate) static ADD_DEGREES: Kernel<Params> = Kernel {
    code: Code {
        entry: "add_degrees",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "engine/image_record.wgsl",
            "outputs/image_degrees.wgsl"
        ]),
        slots: [
            &[At::new(0, &PARAMS), At::new(1, &IMAGES_OF_PAIRS), At::new(2, &DEGREES)],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Looping(|params| (params.box_count - params.images_first).into()),
};
