//! Parses the body of a row: its shape, and the numbers that the shape takes.

use glam::{Quat, Vec3};

use crate::scene_rows::form::Form;
use crate::scene_rows::plane::PlaneColumns;
use crate::table::Record;
use crate::table::cell::Number;
use crate::table::header::Header;
use crate::table::parse::{A_NUMBER, A_WORD, parse};
use obbligato::{
    Capsule, Obb, Obb64, Sphere,
    error::BoxProblem,
    shape::{BodyRef, Upright},
};

/// The columns of a capsule; those of a sphere are the first four.
const ROUND_COLUMNS: [&str; 9] = ["cx", "cy", "cz", "radius", "hz", "qx", "qy", "qz", "qw"];

/// A shape by its name in the column `shape`, in the order in which [`Bodies`](obbligato::Bodies)
/// are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ShapeName {
    Box,
    Capsule,
    Sphere,
}

impl ShapeName {
    /// All shapes, in their order.
    pub const ALL: [Self; 3] = [Self::Box, Self::Capsule, Self::Sphere];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Capsule => "capsule",
            Self::Sphere => "sphere",
        }
    }
}

/// Returns the shape of a body.
pub(crate) fn shape_of(body: BodyRef<'_>) -> ShapeName {
    match body {
        BodyRef::Box(_) => ShapeName::Box,
        BodyRef::Capsule(_) => ShapeName::Capsule,
        BodyRef::Sphere(_) => ShapeName::Sphere,
    }
}

/// The body of a row.
pub(super) enum Body {
    Box(Obb),
    Box64(Obb64),
    Capsule(Capsule),
    Sphere(Sphere),
}

impl Body {
    pub fn problem(&self) -> Option<BoxProblem> {
        match self {
            Self::Box(obb) => obb.problem(),
            Self::Box64(obb) => obb.problem(),
            Self::Capsule(capsule) => capsule.problem(),
            Self::Sphere(sphere) => sphere.problem(),
        }
    }
}

/// The positions of the columns in use. Without a column `shape`, all columns of a box are present.
pub(super) struct BodyColumns {
    shape: Option<usize>,
    form: Form,
    of_box: [Option<usize>; 10],
    of_round: [Option<usize>; 9],
    /// Those of a scene in the plane, if it is one; the others are then missing.
    plane: Option<PlaneColumns>,
    memberships: Option<usize>,
    filter: Option<usize>,
    /// `true` if centers are read in `f64`.
    pub f64: bool,
}

impl BodyColumns {
    pub fn find(header: &Header, f64: bool) -> Result<Self, String> {
        let shape = header.column("shape")?;
        let plane = PlaneColumns::find(header, shape.is_some())?;
        let (form, of_box) = match plane {
            Some(_) => (Form::Oriented, [None; 10]),
            None => Form::find(header, shape.is_some())?,
        };
        let mut of_round = [None; 9];
        if shape.is_some() {
            for (place, name) in of_round.iter_mut().zip(ROUND_COLUMNS) {
                *place = header.column(name)?;
            }
        }
        Ok(Self {
            shape,
            form,
            of_box,
            of_round,
            plane,
            memberships: header.column("memberships")?,
            filter: header.column("filter")?,
            f64,
        })
    }

    /// Returns `true` if rows may have different shapes.
    pub fn have_shapes(&self) -> bool {
        self.shape.is_some()
    }

    /// Returns `true` if the scene is in the plane.
    pub fn are_in_plane(&self) -> bool {
        self.plane.is_some()
    }

    /// Returns `true` if rows have groups.
    pub fn have_groups(&self) -> bool {
        self.memberships.is_some() || self.filter.is_some()
    }

    /// Returns the shape of a row.
    pub fn parse_shape(&self, record: &impl Record) -> Result<ShapeName, String> {
        let Some(column) = self.shape else {
            return Ok(ShapeName::Box);
        };
        let cell = record.cell(column);
        let mut shapes = ShapeName::ALL.into_iter();
        match shapes.find(|shape| cell.is_word(shape.name())) {
            Some(shape) => Ok(shape),
            None if cell.is_empty() => Ok(ShapeName::Box),
            None => Err(format!(
                "has {} in column shape instead of box, sphere or capsule",
                cell.in_words()
            )),
        }
    }

    /// Returns the body of a row of this shape and in these groups. No other fields of the row are
    /// read.
    pub fn parse(
        &self,
        record: &impl Record,
        shape: ShapeName,
        [memberships, filter]: [u32; 2],
    ) -> Result<Body, String> {
        if self.f64 && shape != ShapeName::Box {
            return Err(format!(
                "is a {}, and centers in f64 are for boxes: leave --f64 out, or this row",
                shape.name()
            ));
        }
        if let Some(plane) = &self.plane {
            return plane.parse(record, shape, [memberships, filter], self.f64);
        }
        Ok(match shape {
            ShapeName::Box if self.f64 => Body::Box64(self.parse_box64(record)?.with_groups(memberships, filter)),
            ShapeName::Box => Body::Box(self.parse_box(record)?.with_groups(memberships, filter)),
            ShapeName::Capsule => {
                let [cx, cy, cz, radius, hz, qx, qy, qz, qw] = self.parse_round(record, shape)?;
                let rotation = Quat::from_xyzw(qx, qy, qz, qw);
                // Capsules in the plane have shorter rotations, which files do not.
                if rotation.length_squared() < 0.75 {
                    return Err(BoxProblem::Rotation.to_string());
                }
                let capsule = Capsule::new(Vec3::new(cx, cy, cz), hz, rotation, radius);
                Body::Capsule(capsule.with_groups(memberships, filter))
            }
            ShapeName::Sphere => {
                let [cx, cy, cz, radius] = self.parse_round(record, shape)?;
                Body::Sphere(Sphere::new(Vec3::new(cx, cy, cz), radius))
            }
        })
    }

    /// Returns the groups that a row is in and those that it can collide with: all if there are no
    /// columns.
    pub fn parse_groups(&self, record: &impl Record) -> Result<[u32; 2], String> {
        let groups = |column: Option<usize>, name| match column {
            Some(column) => parse(record, column, name, A_WORD),
            None => Ok(u32::MAX),
        };
        Ok([groups(self.memberships, "memberships")?, groups(self.filter, "filter")?])
    }

    fn parse_box(&self, record: &impl Record) -> Result<Obb, String> {
        let names = self.form.names();
        match self.form {
            Form::Oriented => {
                let numbers = parse_numbers(record, ShapeName::Box, names, self.of_box)?;
                let [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw] = numbers;
                let rotation = Quat::from_xyzw(qx, qy, qz, qw);
                Ok(Obb::new(Vec3::new(cx, cy, cz), Vec3::new(hx, hy, hz), rotation))
            }
            Form::Upright => Ok(self.parse_upright(record)?.into()),
        }
    }

    fn parse_box64(&self, record: &impl Record) -> Result<Obb64, String> {
        let names = self.form.names();
        match self.form {
            Form::Oriented => {
                let center: [f64; 3] = parse_numbers(
                    record,
                    ShapeName::Box,
                    [0, 1, 2].map(|k| names[k]),
                    [0, 1, 2].map(|k| self.of_box[k]),
                )?;
                let others = [3, 4, 5, 6, 7, 8, 9];
                let numbers = parse_numbers(
                    record,
                    ShapeName::Box,
                    others.map(|k| names[k]),
                    others.map(|k| self.of_box[k]),
                )?;
                let [hx, hy, hz, qx, qy, qz, qw] = numbers;
                Ok(Obb64::from_arrays(center, [hx, hy, hz], [qx, qy, qz, qw]))
            }
            Form::Upright => Ok(self.parse_upright(record)?.into()),
        }
    }

    fn parse_upright(&self, record: &impl Record) -> Result<Upright, String> {
        let numbers = parse_numbers(record, ShapeName::Box, self.form.names(), self.of_box)?;
        let [x0, y0, x1, y1, x2, y2, x3, y3, z_min, z_max] = numbers;
        let corners = [[x0, y0], [x1, y1], [x2, y2], [x3, y3]];
        Upright::from_corners(corners, z_min, z_max).map_err(|problem| problem.to_string())
    }

    /// Returns the first numbers of [`ROUND_COLUMNS`].
    fn parse_round<const N: usize>(&self, record: &impl Record, shape: ShapeName) -> Result<[f32; N], String> {
        let names: [&str; N] = std::array::from_fn(|k| ROUND_COLUMNS[k]);
        parse_numbers(record, shape, names, std::array::from_fn(|k| self.of_round[k]))
    }
}

/// Returns the numbers of a row in these columns, each rounded once, or an error if the file lacks
/// one of them.
fn parse_numbers<T: Number + Default, const N: usize>(
    record: &impl Record,
    shape: ShapeName,
    names: [&str; N],
    columns: [Option<usize>; N],
) -> Result<[T; N], String> {
    let mut numbers = [T::default(); N];
    for (k, number) in numbers.iter_mut().enumerate() {
        let Some(column) = columns[k] else {
            let missing = names.iter().zip(columns).filter(|(_, column)| column.is_none());
            let missing: Vec<&str> = missing.map(|(name, _)| *name).collect();
            return Err(format!(
                "is a {}, which needs columns that the file lacks ({})",
                shape.name(),
                missing.join(", ")
            ));
        };
        *number = parse(record, column, names[k], A_NUMBER)?;
    }
    Ok(numbers)
}
