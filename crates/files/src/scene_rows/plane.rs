//! The columns of scenes in the plane, and the bodies of their rows.

use glam::{DVec2, Quat, Vec2};

use crate::scene_rows::body::{Body, ShapeName};
use crate::table::Record;
use crate::table::header::Header;
use crate::table::parse::{A_NUMBER, parse};
use obbligato::{
    Capsule, Obb, Obb64, Sphere,
    shape::{BodyRef, yaw},
};

/// The columns of a box in the plane.
pub(crate) const PLANE_COLUMNS: [&str; 6] = ["cx", "cy", "hx", "hy", "qz", "qw"];

/// The columns of a motion in the plane, by their positions among those of a motion in space:
/// velocity, angular velocity and acceleration.
pub(crate) const PLANE_MOTION: [usize; 5] = [0, 1, 5, 6, 7];

/// The other columns of a motion, which lead out of the plane.
const OFF_PLANE: [usize; 4] = [2, 3, 4, 8];

/// Returns the fields of a body in the plane, in the order of [`PLANE_COLUMNS`], and its radius;
/// `None` for numbers that its shape does not have.
pub(crate) fn fields_in_plane(body: BodyRef<'_>) -> ([Option<f32>; 6], Option<f32>) {
    let center = body.center();
    let fields = |others: [Option<f32>; 4]| {
        let [hx, hy, qz, qw] = others;
        [Some(center.x), Some(center.y), hx, hy, qz, qw]
    };
    match body {
        BodyRef::Box(obb) => {
            let (half, turn) = (obb.half_extents, obb.rotation);
            (fields([half.x, half.y, turn.z, turn.w].map(Some)), None)
        }
        BodyRef::Capsule(capsule) => {
            // `Capsule::in_plane` has halved them.
            let [_, qw, qz, _] = capsule.rotation.to_array().map(|part| Some(2.0 * part));
            (fields([Some(capsule.half_length), None, qz, qw]), Some(capsule.radius))
        }
        BodyRef::Sphere(sphere) => (fields([None; 4]), Some(sphere.radius)),
    }
}

/// The positions of the columns of a scene in the plane.
pub(super) struct PlaneColumns {
    center: [usize; 2],
    half: [Option<usize>; 2],
    radius: Option<usize>,
    yaw: Option<usize>,
    turn: [Option<usize>; 2],
}

impl PlaneColumns {
    /// Returns the columns if the header is that of a scene in the plane: with `cx` and `cy`, and
    /// neither `cz` nor `hz`. Without a column `shape`, all columns of a box must exist.
    pub fn find(header: &Header, shaped: bool) -> Result<Option<Self>, String> {
        let off_plane = [header.column("cz")?, header.column("hz")?];
        let ([Some(cx), Some(cy)], [None, None]) = ([header.column("cx")?, header.column("cy")?], off_plane) else {
            return Ok(None);
        };
        let columns = Self {
            center: [cx, cy],
            half: [header.column("hx")?, header.column("hy")?],
            radius: header.column("radius")?,
            yaw: header.column("yaw")?,
            turn: [header.column("qz")?, header.column("qw")?],
        };
        let missing = columns.missing(ShapeName::Box);
        match missing.is_empty() || shaped {
            true => Ok(Some(columns)),
            false => Err(format!(
                "lacks columns of a scene in the plane ({missing}): add them, or cz, hz, qx and qy if it is one in space"
            )),
        }
    }

    /// Returns the names of missing columns that a shape needs.
    fn missing(&self, shape: ShapeName) -> String {
        let turn = self.yaw.is_none() && self.turn.contains(&None);
        let lacks = [
            ("hx", self.half[0].is_none() && shape != ShapeName::Sphere),
            ("hy", self.half[1].is_none() && shape == ShapeName::Box),
            ("radius", self.radius.is_none() && shape != ShapeName::Box),
            ("yaw, or qz and qw", turn && shape != ShapeName::Sphere),
        ];
        let names = lacks.into_iter().filter(|(_, is_missing)| *is_missing);
        names.map(|(name, _)| name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the body of a row of this shape.
    pub fn parse(&self, record: &impl Record, shape: ShapeName, groups: [u32; 2], f64: bool) -> Result<Body, String> {
        let missing = self.missing(shape);
        if !missing.is_empty() {
            return Err(format!(
                "is a {}, which needs columns that the file lacks ({missing})",
                shape.name()
            ));
        }
        let [memberships, filter] = groups;
        let number = |column: Option<usize>, name| parse::<f32>(record, column.unwrap_or_default(), name, A_NUMBER);
        let center = || -> Result<Vec2, String> {
            Ok(Vec2::new(
                number(Some(self.center[0]), "cx")?,
                number(Some(self.center[1]), "cy")?,
            ))
        };
        Ok(match shape {
            ShapeName::Box => {
                let half = Vec2::new(number(self.half[0], "hx")?, number(self.half[1], "hy")?);
                let turn = self.parse_turn(record)?;
                match f64 {
                    true => {
                        let [x, y] = [0, 1].map(|k| parse(record, self.center[k], PLANE_COLUMNS[k], A_NUMBER));
                        let obb = Obb64::in_plane(DVec2::new(x?, y?), half, turn);
                        Body::Box64(obb.with_groups(memberships, filter))
                    }
                    false => Body::Box(Obb::in_plane(center()?, half, turn).with_groups(memberships, filter)),
                }
            }
            ShapeName::Capsule => {
                let (length, radius) = (number(self.half[0], "hx")?, number(self.radius, "radius")?);
                let capsule = Capsule::in_plane(center()?, length, self.parse_turn(record)?, radius);
                Body::Capsule(capsule.with_groups(memberships, filter))
            }
            ShapeName::Sphere => {
                let radius = number(self.radius, "radius")?;
                Body::Sphere(Sphere::new(center()?.extend(0.0), radius))
            }
        })
    }

    /// Returns the rotation of a row: by its yaw, unless that is empty and there are `qz` and `qw`.
    fn parse_turn(&self, record: &impl Record) -> Result<Quat, String> {
        match (self.yaw, self.turn) {
            (Some(column), [None, _] | [_, None]) => Ok(yaw(parse(record, column, "yaw", A_NUMBER)?)),
            (Some(column), _) if !record.cell(column).is_empty() => Ok(yaw(parse(record, column, "yaw", A_NUMBER)?)),
            (_, [Some(z), Some(w)]) => Ok(Quat::from_xyzw(
                0.0,
                0.0,
                parse(record, z, "qz", A_NUMBER)?,
                parse(record, w, "qw", A_NUMBER)?,
            )),
            // `missing` has named the columns.
            (None, _) => Err("has no turn".into()),
        }
    }
}

/// Returns an error if a motion, given by its numbers in these columns, leaves the plane.
pub(super) fn check_motion(numbers: [f32; 9], names: [&str; 9]) -> Result<(), String> {
    match OFF_PLANE.into_iter().find(|&k| numbers[k] != 0.0) {
        Some(k) => Err(format!(
            "has {} in column {}, but a scene in the plane moves within it: leave the column out, or give cz and hz",
            numbers[k], names[k]
        )),
        None => Ok(()),
    }
}
