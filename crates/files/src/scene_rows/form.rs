//! The columns of a box, in the two forms that a file may have.

use glam::Vec3;

use crate::table::header::Header;
use obbligato::{Obb, motion::Motion, shape::BodyRef};

/// The columns of a box, in the order of an NPY row.
pub(crate) const COLUMNS: [&str; 10] = ["cx", "cy", "cz", "hx", "hy", "hz", "qx", "qy", "qz", "qw"];

/// The columns of a motion: velocity, angular velocity and acceleration. An NPY row has the first
/// six.
pub(crate) const MOTION_COLUMNS: [&str; 9] = ["vx", "vy", "vz", "wx", "wy", "wz", "ax", "ay", "az"];

/// The columns of an upright cuboid in CSV files.
const UPRIGHT_COLUMNS: [&str; 10] = ["x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3", "z_min", "z_max"];

/// Returns the numbers of a box, in the order of [`COLUMNS`].
pub(crate) fn numbers_of(obb: &Obb) -> [f32; 10] {
    let ([cx, cy, cz], [hx, hy, hz]) = (obb.center.to_array(), obb.half_extents.to_array());
    let [qx, qy, qz, qw] = obb.rotation.to_array();
    [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw]
}

/// Returns the fields of any body in the columns of a box, in the order of [`COLUMNS`], and its
/// radius; `None` for numbers that its shape does not have.
pub(crate) fn fields_of(body: BodyRef<'_>) -> ([Option<f32>; 10], Option<f32>) {
    let center = |center: Vec3| center.to_array().map(Some);
    match body {
        BodyRef::Box(obb) => (numbers_of(obb).map(Some), None),
        BodyRef::Capsule(capsule) => {
            let [cx, cy, cz] = center(capsule.center);
            let [qx, qy, qz, qw] = capsule.rotation.to_array().map(Some);
            let numbers = [cx, cy, cz, None, None, Some(capsule.half_length), qx, qy, qz, qw];
            (numbers, Some(capsule.radius))
        }
        BodyRef::Sphere(sphere) => {
            let [cx, cy, cz] = center(sphere.center);
            let mut numbers = [None; 10];
            numbers[..3].copy_from_slice(&[cx, cy, cz]);
            (numbers, Some(sphere.radius))
        }
    }
}

/// Returns the numbers of a motion, in the order of [`MOTION_COLUMNS`].
pub(crate) fn numbers_of_motion(motion: &Motion) -> [f32; 9] {
    let ([vx, vy, vz], [wx, wy, wz]) = (motion.velocity.to_array(), motion.angular_velocity.to_array());
    let [ax, ay, az] = motion.acceleration.to_array();
    [vx, vy, vz, wx, wy, wz, ax, ay, az]
}

/// The meaning of a box's ten numbers.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// [`COLUMNS`].
    Oriented,
    /// [`UPRIGHT_COLUMNS`].
    Upright,
}

impl Form {
    pub fn names(self) -> [&'static str; 10] {
        match self {
            Self::Oriented => COLUMNS,
            Self::Upright => UPRIGHT_COLUMNS,
        }
    }

    /// Returns a header's form and the positions of its columns, all of which must exist unless
    /// rows have shapes.
    pub fn find(header: &Header, shaped: bool) -> Result<(Self, [Option<usize>; 10]), String> {
        let columns = |form: Self| -> Result<[Option<usize>; 10], String> {
            let mut columns = [None; 10];
            for (place, name) in columns.iter_mut().zip(form.names()) {
                *place = header.column(name)?;
            }
            Ok(columns)
        };
        let [oriented, upright] = [columns(Self::Oriented)?, columns(Self::Upright)?];
        let (form, found) = match upright.iter().flatten().count() > oriented.iter().flatten().count() {
            true => (Self::Upright, upright),
            false => (Self::Oriented, oriented),
        };
        let complete = |columns: [Option<usize>; 10]| columns.iter().all(Option::is_some);
        if complete(oriented) && complete(upright) {
            return Err("has the columns of both oriented boxes and upright cuboids: remove one set".into());
        }
        let names = form.names().into_iter().zip(found);
        let missing: Vec<&str> = names
            .filter(|(_, column)| column.is_none())
            .map(|(name, _)| name)
            .collect();
        if !missing.is_empty() && !shaped {
            let names = missing.join(", ");
            let shapes = match header.column("radius")? {
                Some(_) => ", and spheres and capsules need a column shape",
                None => "",
            };
            // A scene in the plane has neither.
            let plane = match [header.column("cz")?, header.column("hz")?] {
                [Some(_), None] => "; or leave cz out, if the scene is in the plane",
                [None, Some(_)] => "; or leave hz out, if the scene is in the plane",
                _ => "",
            };
            return Err(format!(
                "lacks columns ({names}): add them; the first row of a CSV file names all columns, separated by commas or semicolons{shapes}{plane}"
            ));
        }
        Ok((form, found))
    }
}
