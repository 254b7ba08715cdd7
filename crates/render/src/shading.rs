//! The colour of a surface: the twin of `crates/render/shaders/shading.wgsl`.

use glam::Vec3;

use crate::lens::LensRecord;
use crate::rays::Hit;

/// Returns the intensities of the light from a surface with this colour.
pub(super) fn shade(hit: &Hit, colour: Vec3, lens: &LensRecord) -> Vec3 {
    let from_sky = 0.5 + 0.5 * hit.normal.dot(lens.sky);
    let from_lamp = hit.normal.dot(lens.lamp).max(0.0);
    let light = lens.ambient_light * (0.55 + 0.45 * from_sky) + lens.lamp_light * from_lamp;
    let surface = colour * light * (1.0 - lens.line * hit.line);
    let haze = lens.most_haze * ((hit.depth - lens.haze_near) * lens.haze_slope).clamp(0.0, 1.0);
    surface.lerp(lens.background, haze)
}
