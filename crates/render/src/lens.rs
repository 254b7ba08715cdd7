//! A camera in the form that both renderers use: numbers of moderate size, relative to the eye.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};

use crate::camera::Camera;
use crate::colours::{BACKGROUND, Tint, linear, palette};

/// The smallest depth that is drawn, in [units](Lens::unit).
pub(super) const NEAR: f32 = 1e-5;

/// The intensities of ambient light and of the lamp.
const AMBIENT: f32 = 0.50;
const LAMP: f32 = 0.62;

/// [`LensRecord::line`].
const LINE: f32 = 0.72;

/// The largest fraction by which distance fades colours into the background.
const MOST_HAZE: f64 = 0.30;

/// The uploaded record of a camera: the uniform of all shaders (`crates/render/shaders/lens.wgsl`).
///
/// The ray through a point of the picture, in pixels from its upper left corner, is
/// `corner + x * step_right + y * step_down`. It advances by 1 along the camera's axis, so that the
/// parameter of a point on it is the point's depth.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LensRecord {
    pub corner: Vec3,
    pub haze_near: f32,
    pub step_right: Vec3,
    /// Haze by depth.
    pub haze_slope: f32,
    pub step_down: Vec3,
    pub most_haze: f32,
    pub forward: Vec3,
    pub near: f32,
    /// The direction to the lamp.
    pub lamp: Vec3,
    pub lamp_light: f32,
    /// The direction to the sky.
    pub sky: Vec3,
    pub ambient_light: f32,
    pub background: Vec3,
    pub unused_too: f32,
    /// The conversion of depth and position along the picture's axes to clip coordinates: `(x, y) =
    /// clip.xy * depth + clip.zw * (right, up)`.
    pub clip: [f32; 4],
    pub right: Vec3,
    /// The fraction by which a line is darker than the surface.
    pub line: f32,
    pub up: Vec3,
    pub unused: f32,
    pub palette: [[f32; 4]; Tint::COUNT],
}

/// A camera and a picture's size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lens {
    pub eye: DVec3,
    /// The scale, a power of two: everything that is drawn is divided by it, so that scenes of any
    /// size are drawn alike.
    pub unit: f64,
    pub size: [u32; 2],
    /// The size of a pixel at depth 1.
    pub pixel: f64,
    pub forward: DVec3,
    pub right: DVec3,
    pub up: DVec3,
    sky: DVec3,
}

impl Lens {
    /// Returns the lens of a camera without a problem, for a picture of this size.
    pub fn new(camera: &Camera, size: [u32; 2]) -> Self {
        let axis = camera.target - camera.position;
        // Scaled first because squares of lengths may be out of range.
        let unit = axis.abs().max_element().log2().floor().exp2();
        let forward = (axis / unit).normalize();
        let upwards = camera.up / camera.up.abs().max_element();
        let upwards = upwards.try_normalize().unwrap_or(DVec3::Z);
        let sideways = forward.cross(upwards).try_normalize();
        // Seen from straight above, an arbitrary direction is up.
        let right = sideways.unwrap_or_else(|| forward.cross(forward.any_orthonormal_vector()).normalize());
        let height = f64::from(size[1].max(1));
        Self {
            eye: camera.position,
            unit,
            size,
            pixel: 2.0 * (0.5 * camera.field_of_view).tan() / height,
            forward,
            right,
            up: right.cross(forward),
            sky: upwards,
        }
    }

    /// Returns a point of the world relative to the eye, in units.
    pub fn place(&self, point: DVec3) -> DVec3 {
        (point - self.eye) / self.unit
    }

    /// Returns the record for a scene with these smallest and largest depths, and a part of the
    /// picture: its corner and size.
    pub fn record(&self, depths: [f64; 2], corner: [u32; 2], size: [u32; 2]) -> LensRecord {
        let [width, height] = self.size.map(f64::from);
        let [x, y, part_width, part_height] = [corner[0], corner[1], size[0], size[1]].map(f64::from);
        let near = depths[0].max(0.0);
        let span = depths[1] - near;
        let most_haze = match span > 0.0 && depths[1].is_finite() {
            true => MOST_HAZE * span / depths[1],
            false => 0.0,
        };
        let at_corner = self.forward + self.pixel * 0.5 * (height * self.up - width * self.right);
        let lamp = 0.62 * self.up - 0.42 * self.right - 0.66 * self.forward;
        let [red, green, blue] = linear(BACKGROUND);
        LensRecord {
            corner: (at_corner + self.pixel * (x * self.right - y * self.up)).as_vec3(),
            haze_near: near as f32,
            step_right: (self.pixel * self.right).as_vec3(),
            haze_slope: if most_haze > 0.0 { (1.0 / span) as f32 } else { 0.0 },
            step_down: (-self.pixel * self.up).as_vec3(),
            most_haze: most_haze as f32,
            forward: self.forward.as_vec3(),
            near: NEAR,
            lamp: lamp.normalize().as_vec3(),
            lamp_light: LAMP,
            sky: self.sky.as_vec3(),
            ambient_light: AMBIENT,
            background: Vec3::new(red, green, blue),
            unused_too: 0.0,
            clip: [
                (2.0 * (0.5 * width - x) / part_width - 1.0) as f32,
                (1.0 - 2.0 * (0.5 * height - y) / part_height) as f32,
                (2.0 / (part_width * self.pixel)) as f32,
                (2.0 / (part_height * self.pixel)) as f32,
            ],
            right: self.right.as_vec3(),
            line: LINE,
            up: self.up.as_vec3(),
            unused: 0.0,
            palette: palette(),
        }
    }
}

impl LensRecord {
    /// Returns the ray through a point of the picture, in pixels.
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        self.corner + self.step_right * x + self.step_down * y
    }
}
