//! The content of a picture.

use glam::{DQuat, DVec3, Vec3};

use crate::error::{Error, Result};
use crate::mark::Mark;
use obbligato::{
    Bodies, Capsule, Obb, Pair, Sphere,
    motion::{Impact, Motion},
    shape::{BodyRef, OwnedBodies, Triangle},
};
use obbligato_support::memory;

/// The number of times of a step at which [`ghosts`] are.
const POSES: u32 = 4;

/// The content of a picture.
///
/// ```
/// use obbligato_render::View;
/// use obbligato::{Obb, glam::Vec3};
/// let boxes = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE)];
/// let view = View { bodies: (&boxes).into(), caption: "a cube", ..View::default() };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Boxes, capsules and spheres.
    pub bodies: Bodies<'a>,
    /// The result of a check for each body, in order; see [`marks`](crate::marks). If empty, all
    /// are free.
    pub marks: &'a [Mark],
    /// Triangles, visible from both sides.
    pub triangles: &'a [Triangle],
    /// The result of a check for each triangle. If empty, all are free.
    pub triangle_marks: &'a [Mark],
    /// Bodies that are drawn transparent, such as the [`ghosts`] of moving bodies.
    pub ghosts: Bodies<'a>,
    /// The mark of each ghost, which sets its colour. If empty, all are free.
    pub ghost_marks: &'a [Mark],
    /// Triangles that are drawn transparent.
    pub ghost_triangles: &'a [Triangle],
    /// The mark of each of these triangles. If empty, all are free.
    pub ghost_triangle_marks: &'a [Mark],
    /// Contacts, drawn in front of everything; see [`arrows`](crate::arrows).
    pub arrows: &'a [Arrow],
    /// The position in the world of the origin of all coordinates above: for bodies so far from the
    /// world's origin that `f32` would round their positions.
    pub origin: DVec3,
    /// A line of text in the picture. Characters without a glyph are left out, all of them without
    /// the feature `letters`.
    pub caption: &'a str,
    /// The explanation of the colours. Left out without the feature `letters`.
    pub legend: Legend,
}

/// The explanation of a picture's colours, with the number of bodies of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Legend {
    /// The meaning of each [`Mark`].
    #[default]
    Marks,
    /// The colliding bodies, for marks that do not distinguish touching from overlapping:
    /// everything that is not free is one line, in the colour of [`Mark::Overlapping`].
    Colliding,
    /// No explanation.
    Hidden,
}

impl Default for View<'_> {
    fn default() -> Self {
        Self {
            bodies: Bodies::default(),
            marks: &[],
            triangles: &[],
            triangle_marks: &[],
            ghosts: Bodies::default(),
            ghost_marks: &[],
            ghost_triangles: &[],
            ghost_triangle_marks: &[],
            arrows: &[],
            origin: DVec3::ZERO,
            caption: "",
            legend: Legend::Marks,
        }
    }
}

/// A contact in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Its position, relative to the view's origin.
    pub point: Vec3,
    /// Its unit direction: from A to B.
    pub normal: Vec3,
    /// The depth of the two bodies in each other there, in the caller's unit: the minimum length of
    /// the arrow.
    pub depth: f32,
}

impl View<'_> {
    /// Returns an error unless there is a mark for each body, or none at all.
    pub(super) fn validate(&self) -> Result<()> {
        let lists = [
            ("bodies", self.bodies.len(), self.marks.len()),
            ("triangles", self.triangles.len(), self.triangle_marks.len()),
            ("ghosts", self.ghosts.len(), self.ghost_marks.len()),
            (
                "transparent triangles",
                self.ghost_triangles.len(),
                self.ghost_triangle_marks.len(),
            ),
        ];
        for (what, count, marks) in lists {
            if marks != 0 && marks != count {
                return Err(Error::MissingMarks { what, count, marks });
            }
        }
        Ok(())
    }

    /// Returns the number of bodies and triangles with each mark, in the order of [`Mark::ALL`].
    /// O(n).
    pub fn counts(&self) -> [usize; 3] {
        let unmarked = |marks: &[Mark], count: usize| if marks.is_empty() { count } else { 0 };
        let mut counts = [0; 3];
        counts[0] = unmarked(self.marks, self.bodies.len()) + unmarked(self.triangle_marks, self.triangles.len());
        for &mark in self.marks.iter().chain(self.triangle_marks) {
            counts[mark as usize] += 1;
        }
        counts
    }
}

/// Returns four [`poses`] of bodies that move during a step of `dt` seconds, and their marks: those
/// in `impacts` overlap, the others are free.
///
/// # Errors
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
pub fn ghosts(bodies: Bodies<'_>, motions: &[Motion], impacts: &[Impact], dt: f64) -> Result<(OwnedBodies, Vec<Mark>)> {
    const WHAT: &str = "the marks of ghosts";
    let mut meets = memory::filled(bodies.len(), Mark::Free, WHAT)?;
    for Pair { a, b } in impacts.iter().map(|impact| impact.pair) {
        meets[a as usize] = Mark::Overlapping;
        meets[b as usize] = Mark::Overlapping;
    }
    let (ghosts, places) = poses(bodies, motions, dt, POSES)?;
    let marks = memory::collect(places.iter().map(|&place| meets[place as usize]), WHAT)?;
    Ok((ghosts, marks))
}

/// Returns the poses of bodies at `count` evenly spaced times of a step of `dt` seconds, the last
/// at its end: ghosts for a [`View`].
///
/// Bodies without a motion are at rest, and those at rest leave no ghosts. The second list has the
/// position of each ghost's body among `bodies`.
///
/// # Errors
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
pub fn poses(bodies: Bodies<'_>, motions: &[Motion], dt: f64, count: u32) -> Result<(OwnedBodies, Vec<u32>)> {
    const WHAT: &str = "the poses of bodies in motion";
    let mut all = OwnedBodies::default();
    let mut places = Vec::new();
    let moving = |&(_, motion): &(u32, &Motion)| *motion != Motion::REST;
    let moving: Vec<(u32, &Motion)> = (0..bodies.len() as u32).zip(motions).filter(moving).collect();
    for step in 1..=count {
        let time = dt * f64::from(step) / f64::from(count);
        for &(place, motion) in &moving {
            let center = |center: Vec3| center_at(center, motion, time);
            let rotation = |rotation: glam::Quat| rotation_at(rotation, motion, time);
            match bodies.at(place) {
                BodyRef::Box(obb) => {
                    let (center, rotation) = (center(obb.center), rotation(obb.rotation));
                    memory::push(
                        &mut all.boxes,
                        Obb {
                            center,
                            rotation,
                            ..*obb
                        },
                        WHAT,
                    )?;
                }
                BodyRef::Capsule(capsule) => {
                    let (center, rotation) = (center(capsule.center), rotation(capsule.rotation));
                    let moved = Capsule::new(center, capsule.half_length, rotation, capsule.radius);
                    memory::push(&mut all.capsules, moved, WHAT)?;
                }
                BodyRef::Sphere(sphere) => {
                    let center = center(sphere.center);
                    memory::push(&mut all.spheres, Sphere { center, ..*sphere }, WHAT)?;
                }
            }
        }
    }
    let boxes = bodies.boxes.len() as u32;
    let capsules = boxes + bodies.capsules.len() as u32;
    // Bodies are numbered kind by kind, and the ghosts of each kind repeat its bodies.
    for range in [0..boxes, boxes..capsules, capsules..u32::MAX] {
        for _ in 0..count {
            for &(place, _) in moving.iter().filter(|(place, _)| range.contains(place)) {
                memory::push(&mut places, place, WHAT)?;
            }
        }
    }
    Ok((all, places))
}

fn center_at(center: Vec3, motion: &Motion, time: f64) -> Vec3 {
    let moved = motion.velocity.as_dvec3() * time + motion.acceleration.as_dvec3() * (0.5 * time * time);
    (center.as_dvec3() + moved).as_vec3()
}

fn rotation_at(rotation: glam::Quat, motion: &Motion, time: f64) -> glam::Quat {
    let turn = DQuat::from_scaled_axis(DVec3::from(motion.angular_velocity) * time);
    (turn * rotation.as_dquat()).normalize().as_quat()
}
