//! Twin of `shaders/regions/enclosure.wgsl`, in f64: the position of boxes relative to a room, with three answers. The [module
//! above](super) gives the formulas and their error bound. Unlike the shader it looks at the bounding sphere first,
//! which suffices for most boxes, and says which walls it could not judge.

use crate::regions::room::EnclosureState;
use glam::{DMat3, DVec3, Quat, Vec3};

use crate::base::error::Result;
use crate::base::parallel;
use crate::narrow_phase::obb_obb::separating_axes::{ERROR_FACTOR, KAPPA};
use crate::regions::room::{Enclosure, Room};
use crate::regions::wide_room;
use crate::shapes::obb::obb_bounds_cpu;
use crate::shapes::obb::record::Obb;

/// The bit of the wall at the lower (0) or upper (1) end of an axis.
pub(crate) const fn wall(axis: usize, side: usize) -> u8 {
    1 << (2 * axis + side)
}

/// The room in the form used for computing: rounded to f64.
pub(crate) struct Frame {
    /// The room's unit axes in the world, as columns.
    pub axes: DMat3,
    pub center: DVec3,
    pub half_extents: DVec3,
}

impl Frame {
    pub fn new(room: &Room) -> Self {
        // Half an f32 is an f64, and so is the sum of two halves unless one is far larger; see the module above.
        let half_sum = |[u, v]: [Vec3; 2]| (u.as_dvec3() + v.as_dvec3()) / 2.0;
        let (matrix, length_squared) = matrix(room.rotation);
        Self {
            axes: DMat3::from_cols(
                matrix.x_axis / length_squared,
                matrix.y_axis / length_squared,
                matrix.z_axis / length_squared,
            ),
            center: half_sum(room.center),
            half_extents: half_sum(room.half_extents),
        }
    }

    /// What f64 can decide about a valid box.
    pub fn test(&self, obb: &Obb) -> Findings {
        let h = obb.half_extents.as_dvec3();
        let t = self.axes.transpose() * (obb.center.as_dvec3() - self.center);
        let size = t.abs().element_sum() + self.half_extents.element_sum() + h.element_sum();
        let error = ERROR_FACTOR * f64::EPSILON * size;

        // No corner is further from the center than the sum of the half extents.
        let radius = DVec3::splat(h.element_sum());
        if let Some(found) = self.slabs(t, 1.0, [DVec3::ZERO, radius], error).settled() {
            return found;
        }
        let (m, n) = matrix(obb.rotation);
        let c = self.axes.transpose() * m;
        let c_abs = c.abs();
        let extent = c_abs * h;
        let found = self.slabs(t, n, [extent, extent], error);
        if let Some(found) = found.settled() {
            return found;
        }
        let has_center = n * (self.half_extents - t.abs()).min_element() > error;
        let outside = match has_center {
            true => Some(false),
            false => self.outside(
                Terms {
                    t,
                    n,
                    c,
                    c_abs,
                    h,
                    size,
                },
                error,
            ),
        };
        Findings { outside, ..found }
    }

    /// The six walls, for a box whose reach from its center along each axis of the room is between `least` and `most`,
    /// all times n.
    fn slabs(&self, t: DVec3, n: f64, [least, most]: [DVec3; 2], error: f64) -> Findings {
        let mut found = Findings::default();
        for axis in 0..3 {
            for (side, within) in [t[axis], -t[axis]].into_iter().enumerate() {
                // The distance of the center from the wall, towards the room's inside.
                let distance = n * (self.half_extents[axis] + within);
                if distance - least[axis] < -error {
                    found.walls |= wall(axis, side);
                    if distance + most[axis] < -error {
                        found.outside = Some(true);
                    }
                } else if distance - most[axis] <= error {
                    found.open |= wall(axis, side);
                }
            }
        }
        found
    }

    /// Whether one of the fifteen axes separates the box from the room.
    fn outside(
        &self,
        Terms {
            t,
            n,
            c,
            c_abs,
            h,
            size,
        }: Terms,
        error: f64,
    ) -> Option<bool> {
        let half = self.half_extents;
        let faces = n * (t.abs() - half) - c_abs * h;
        let box_faces = (c.transpose() * t).abs() - n * h - c_abs.transpose() * half;
        let face = faces.max(box_faces).max_element();
        if face > error {
            return Some(true);
        }
        let mut shares = face < -error;
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let (column, sines) = (c.col(j), c_abs.col(j));
            for k in 0..3 {
                let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
                let radius =
                    half[k1] * sines[k2] + half[k2] * sines[k1] + h[j1] * c_abs.col(j2)[k] + h[j2] * c_abs.col(j1)[k];
                let edge = (t[k2] * column[k1] - t[k1] * column[k2]).abs() - radius;
                if edge > error {
                    return Some(true);
                }
                let sine = sines[k1] + sines[k2];
                let parallel = sine < 0.5 && face < -(KAPPA * sine * size + 2.0 * error);
                shares &= edge < -error || parallel;
            }
        }
        shares.then_some(false)
    }
}

/// The terms that the axes share; the names are those of the [module above](super).
struct Terms {
    t: DVec3,
    n: f64,
    c: DMat3,
    c_abs: DMat3,
    h: DVec3,
    size: f64,
}

/// What is known about a box relative to a room.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Findings {
    /// The walls certainly reached.
    pub walls: u8,
    /// The walls possibly reached.
    pub open: u8,
    /// Whether the box is outside, if known. A box that reaches no wall is not.
    pub outside: Option<bool>,
}

impl Findings {
    /// The complete answer, if the walls alone determine it.
    fn settled(self) -> Option<Self> {
        let outside = match self {
            Self { walls: 0, open: 0, .. } => false,
            Self {
                open: 0,
                outside: Some(true),
                ..
            } => true,
            _ => return None,
        };
        Some(Self {
            outside: Some(outside),
            ..self
        })
    }
}

/// The position of a valid box relative to the room with this frame.
pub(crate) fn enclosure(room: &Room, frame: &Frame, obb: &Obb) -> Enclosure {
    match frame.test(obb) {
        Findings {
            walls,
            open: 0,
            outside: Some(outside),
        } => Enclosure::new(walls, outside),
        found => wide_room::decide(room, obb, found),
    }
}

/// Whether a valid box shares no point with the room.
pub(crate) fn is_outside(room: &Room, frame: &Frame, obb: &Obb) -> bool {
    match frame.test(obb) {
        Findings {
            outside: Some(outside), ..
        } => outside,
        found => wide_room::decide(room, obb, found).state == EnclosureState::Outside,
    }
}

/// Applies `value` to every box, if all are valid: one pass over memory, on all cores.
pub(crate) fn map_valid<T: Default + Clone + Send>(
    boxes: &[Obb],
    value: impl Fn(&Obb) -> T + Sync + Send,
) -> Result<Vec<T>> {
    let mut values = vec![T::default(); boxes.len()];
    let valid = parallel::map_chunks(&mut values, |first, values| {
        let boxes = &boxes[first..first + values.len()];
        let valid = boxes.iter().all(|obb| obb.problem().is_none());
        if valid {
            boxes.iter().zip(values).for_each(|(obb, found)| *found = value(obb));
        }
        valid
    });
    if !valid.into_iter().all(|valid| valid) {
        obb_bounds_cpu::validate(boxes)?;
    }
    Ok(values)
}

/// `M(q)` and `|q|²`.
pub(crate) fn matrix(q: Quat) -> (DMat3, f64) {
    let [x, y, z, w] = q.to_array().map(f64::from);
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let matrix = DMat3::from_cols(
        DVec3::new(ww + xx - yy - zz, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        DVec3::new(2.0 * (x * y - w * z), ww - xx + yy - zz, 2.0 * (y * z + w * x)),
        DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), ww - xx - yy + zz),
    );
    (matrix, ww + xx + yy + zz)
}
