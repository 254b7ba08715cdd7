//! Boxes around points.

use glam::{DMat3, Vec3};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::fitting::cloud::Cloud;
use crate::fitting::extremes::extremes;
use crate::fitting::least_box::{Oriented, least_box};
use crate::fitting::principal_axes::principal_axes;
use crate::fitting::stored::{aligned, enclose};
use crate::shapes::obb::record::Obb;

/// The number of points up to which the hull of all points is used.
const FEW: usize = 256;
/// The maximum number of times that points outside a box of some are added to those.
const ROUNDS: usize = 8;
/// The factor by which a box around all points may exceed the smallest one around some and still be
/// as good.
const AS_GOOD: f64 = 1.002;
/// The factor by which a box must be smaller to be better: of boxes that are equal except for
/// rounding, the simplest is taken.
const BETTER: f64 = 1.0 - 1e-7;
/// The number of groups per task.
const GROUPS: usize = 16;
/// Label for out-of-memory errors.
const WHAT: &str = "boxes around points";

/// Returns the box that `fit` makes of each group of points, given the group's position.
pub(super) fn fit_each<G: AsRef<[Vec3]> + Sync>(
    groups: &[G],
    fit: impl Fn(&[Vec3], usize) -> Result<Obb> + Sync + Send,
) -> Result<Vec<Obb>> {
    let mut boxes = memory::filled(groups.len(), Obb::axis_aligned(Vec3::ZERO, Vec3::ZERO), WHAT)?;
    let parts = parallel::map_chunks_of(GROUPS, &mut boxes, |first, boxes| {
        for (group, place) in (first..).zip(boxes) {
            *place = fit(groups[group].as_ref(), group)?;
        }
        Ok(())
    });
    parts.into_iter().collect::<Result<()>>()?;
    Ok(boxes)
}

impl Obb {
    /// Returns a box around points, of nearly the smallest volume: in tests over clouds of many
    /// kinds at most 1.02 times that of the smallest box, and mostly 1.001 times. Except for
    /// rounding it is never larger than the box along principal axes or along the axes of the
    /// world.
    ///
    /// Every point is in the box without rounding, for exactly the `f32`s of both: half extents are
    /// the smallest that suffice. Around points in one plane, on one line or at one position they
    /// are 0 across it, up to the rounding of center and rotation. Among equally good boxes the
    /// result is the one along the axes of the world; among the rotations of a box by quarter
    /// turns, the smallest. If the smallest box would reach beyond
    /// [`COORDINATE_LIMIT`](crate::shape::COORDINATE_LIMIT), the result is also the one along the
    /// axes of the world.
    ///
    /// O(n) on all cores, for about 15 passes over the points. For up to 256 points the search uses
    /// their convex hull, in O(n log n) plus a search at each of its corners; for more, the hull of
    /// those that are farthest along some axes. The result is the same on any number of threads.
    ///
    /// # Errors
    /// [`Error::NoPoints`](crate::Error::NoPoints),
    /// [`Error::InvalidPoint`](crate::Error::InvalidPoint) for a number that is NaN, infinite or
    /// beyond the limit, [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// ```
    /// use obbligato::{Obb, glam::{Quat, Vec3}};
    /// let turned = Obb::new(Vec3::X, Vec3::new(3.0, 2.0, 1.0), Quat::from_rotation_z(0.3));
    /// let corners = turned.corners().map(|corner| corner.as_vec3());
    /// let found = Obb::around(&corners)?;
    /// assert!((found.half_extents - turned.half_extents).abs().max_element() < 1e-6);
    /// assert!(found.rotation.angle_between(turned.rotation) < 1e-3);
    /// # Ok::<(), obbligato::Error>(())
    /// ```
    pub fn around(points: &[Vec3]) -> Result<Self> {
        least(&Cloud::new(points, None)?)
    }

    /// Returns [`Obb::around`] for each of many groups of points, on all cores.
    ///
    /// # Errors
    /// Those of [`Obb::around`], with the number of the group.
    ///
    /// ```
    /// use obbligato::{Obb, glam::Vec3};
    /// let boxes = Obb::around_each(&[vec![Vec3::ZERO, Vec3::X], vec![Vec3::Y]])?;
    /// assert_eq!(boxes[0], Obb::axis_aligned(Vec3::X * 0.5, Vec3::X * 0.5));
    /// assert_eq!(boxes[1], Obb::axis_aligned(Vec3::Y, Vec3::ZERO));
    /// # Ok::<(), obbligato::Error>(())
    /// ```
    pub fn around_each<G: AsRef<[Vec3]> + Sync>(groups: &[G]) -> Result<Vec<Self>> {
        fit_each(groups, |points, group| least(&Cloud::new(points, Some(group))?))
    }

    /// Returns a box around points along their principal axes, those of the ellipsoid that has
    /// their covariance: four passes over the points, no search. Around long or flat shapes it is
    /// hardly larger than [`Obb::around`]; around a cube, whose principal axes are arbitrary, up to
    /// five times as large, and likewise if the points are denser in some regions.
    ///
    /// The box contains every point without rounding, and errors are those of [`Obb::around`].
    pub fn around_principal_axes(points: &[Vec3]) -> Result<Self> {
        let cloud = Cloud::new(points, None)?;
        Ok(enclose(&cloud, &principal_axes(&cloud)))
    }
}

/// Returns the smallest box, or one that is hardly larger.
fn least(cloud: &Cloud) -> Result<Obb> {
    let axes = least_axes(cloud)?;
    let aligned = aligned(&cloud.bounds);
    if axes == DMat3::IDENTITY {
        return Ok(aligned);
    }
    let turned = enclose(cloud, &axes);
    // For a box of few steps of an `f32`, such as one of subnormal numbers, rounding may cost more
    // than the rotation gains.
    let size = |obb: &Obb| (obb.half_extents.as_dvec3() + cloud.rounding()).element_product();
    Ok(match size(&aligned) <= size(&turned) {
        true => aligned,
        false => turned,
    })
}

/// Returns the axes of the smallest box, or of one that is hardly larger.
fn least_axes(cloud: &Cloud) -> Result<DMat3> {
    let rounding = cloud.rounding();
    let of = |axes: DMat3| {
        let extents = cloud.extents(&axes);
        let volume = (extents.widths() + rounding).element_product();
        (Oriented { axes, volume }, extents)
    };
    let (mut best, _) = of(DMat3::IDENTITY);
    let mut improve = |found: Oriented| {
        if found.volume < best.volume * BETTER {
            best = found;
        }
    };
    let (principal, extents) = of(principal_axes(cloud));
    improve(principal);
    let few = cloud.points.len() <= FEW;
    let mut positions = match few {
        true => (0..cloud.points.len() as u32).collect(),
        false => extremes(cloud, &principal.axes, extents.widths()),
    };
    for _ in 0..ROUNDS {
        let some: Vec<Vec3> = positions.iter().map(|&k| cloud.points[k as usize]).collect();
        let of_some = least_box(&some, rounding)?;
        if few {
            improve(of_some);
            break;
        }
        let (of_all, extents) = of(of_some.axes);
        improve(of_all);
        let count = positions.len();
        positions.extend(extents.positions());
        positions.sort_unstable();
        positions.dedup();
        if of_all.volume <= of_some.volume * AS_GOOD || positions.len() == count {
            break;
        }
    }
    Ok(best.axes)
}
