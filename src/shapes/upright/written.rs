//! The `serde` form of upright cuboids. Values are validated when read back, because every value is
//! valid.

use glam::DVec2;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::error::Error;
use crate::shapes::upright::record::Upright;

/// The serialised form of a cuboid.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    center: DVec2,
    half_extents: DVec2,
    direction: DVec2,
    z_min: f64,
    z_max: f64,
}

impl Serialize for Upright {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = Written {
            center: self.center,
            half_extents: self.half_extents,
            direction: self.direction,
            z_min: self.z_min,
            z_max: self.z_max,
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Upright {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        let z = [written.z_min, written.z_max];
        let cuboid = Self::new(written.center, written.half_extents, written.direction, z)
            .map_err(|problem| D::Error::custom(Error::from(problem)))?;
        // A direction written by this crate comes back with the same bits: it is not normalised
        // again.
        let is_normalised = (written.direction.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON;
        let direction = if is_normalised {
            written.direction
        } else {
            cuboid.direction
        };
        Ok(Self { direction, ..cuboid })
    }
}
