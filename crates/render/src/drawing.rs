//! The input of both renderers: records relative to the eye, made once for each picture.

use glam::{DVec3, Quat};

use crate::arrows::arrow_facets;
use crate::camera::Camera;
use crate::colours::Tint;
use crate::error::Result;
use crate::lens::Lens;
use crate::mark::Mark;
use crate::records::{BALL, BOX, CAPSULE, Facet, Solid, lift};
use crate::view::View;
use obbligato::{
    Bodies,
    shape::{BodyRef, Triangle},
};
use obbligato_support::{memory, parallel};

/// Label for out-of-memory errors.
const WHAT: &str = "what is drawn";

/// Half of the minimum size in which a body is drawn, in pixels, so that even the smallest is
/// visible.
const LEAST_PIXELS: f64 = 0.6;

/// The things to draw.
#[derive(Default)]
pub(super) struct Drawing {
    /// Boxes first, then others, each sorted nearest first.
    pub solids: Vec<Solid>,
    pub facets: Vec<Facet>,
    /// Transparent: those around the eye first, then furthest first.
    pub ghosts: Vec<Solid>,
    /// Transparent, after the ghosts: furthest first.
    pub ghost_facets: Vec<Facet>,
    /// In front of everything else.
    pub arrows: Vec<Facet>,
    /// The smallest and the largest depth.
    pub depths: [f64; 2],
}

impl Drawing {
    pub fn new(view: &View<'_>, camera: &Camera, lens: &Lens) -> Result<Self> {
        let mut solids = solids(view.bodies, view.marks, [Tint::of, Tint::of_ghost], lens)?;
        let mut ghosts = solids_of_ghosts(view, lens)?;
        for solid in solids.extract_if(.., |solid| solid.is_around_eye()) {
            memory::push(&mut ghosts, solid, WHAT)?;
        }
        ghosts.sort_by(|a, b| {
            let distance = |solid: &Solid| solid.center.length_squared();
            let around = b.is_around_eye().cmp(&a.is_around_eye());
            around.then(distance(b).total_cmp(&distance(a)))
        });
        let forward = lens.forward.as_vec3();
        // Boxes first, and nearest first: things that they hide are not shaded.
        solids.sort_unstable_by(|a, b| {
            let depth = |solid: &Solid| solid.center.dot(forward);
            let is_round = |solid: &Solid| solid.shape() != BOX;
            is_round(a).cmp(&is_round(b)).then(depth(a).total_cmp(&depth(b)))
        });
        let facets = facets((view.triangles, view.triangle_marks), Tint::of, lens)?;
        let mut ghost_facets = facets_of_ghosts(view, lens)?;
        ghost_facets.sort_by(|a, b| {
            let distance = |facet: &Facet| (facet.a + facet.b + facet.c).length_squared();
            distance(b).total_cmp(&distance(a))
        });
        let mut depths = [f64::INFINITY, f64::NEG_INFINITY];
        let mut add = |depth: f32, reach: f32| {
            depths[0] = depths[0].min(f64::from(depth - reach));
            depths[1] = depths[1].max(f64::from(depth + reach));
        };
        for solid in solids.iter().chain(&ghosts) {
            add(solid.center.dot(forward), solid.half_extents.length());
        }
        for corner in facets
            .iter()
            .chain(&ghost_facets)
            .flat_map(|facet| [facet.a, facet.b, facet.c])
        {
            add(corner.dot(forward), 0.0);
        }
        let arrows = arrow_facets(view.arrows, camera, lens)?;
        Ok(Self {
            solids,
            facets,
            ghosts,
            ghost_facets,
            arrows,
            depths,
        })
    }
}

impl Drawing {
    /// Returns the number of things if it exceeds 32 bits.
    pub fn too_many(&self) -> Option<u64> {
        let opaque = self.solids.len() as u64 + self.facets.len() as u64;
        let count = opaque.max(self.ghosts.len() as u64 + self.ghost_facets.len() as u64);
        (count >= u64::from(u32::MAX)).then_some(count)
    }
}

fn solids_of_ghosts(view: &View<'_>, lens: &Lens) -> Result<Vec<Solid>> {
    solids(view.ghosts, view.ghost_marks, [Tint::of_ghost; 2], lens)
}

/// Returns the bodies, with one tint for those that are seen from outside and another for those
/// around the eye.
fn solids(bodies: Bodies<'_>, marks: &[Mark], tints: [fn(Mark) -> Tint; 2], lens: &Lens) -> Result<Vec<Solid>> {
    let mut solids = memory::zeroed(bodies.len(), WHAT)?;
    parallel::fill(&mut solids, |k| {
        let mark = marks.get(k).copied().unwrap_or_default();
        solid(bodies.at(k as u32), tints.map(|tint| tint(mark)), lens)
    });
    Ok(solids)
}

fn solid(body: BodyRef<'_>, [outside, inside]: [Tint; 2], lens: &Lens) -> Solid {
    let (half_extents, rotation, shape) = match body {
        BodyRef::Box(obb) => (obb.half_extents.as_dvec3(), obb.rotation.normalize(), BOX),
        BodyRef::Sphere(sphere) => (DVec3::splat(sphere.radius.into()), Quat::IDENTITY, BALL),
        BodyRef::Capsule(capsule) => {
            let [radius, half_length] = [capsule.radius, capsule.half_length].map(f64::from);
            let half_extents = DVec3::new(radius, radius, radius + half_length);
            (half_extents, capsule.rotation.normalize(), CAPSULE)
        }
    };
    let center = lens.place(body.center().as_dvec3());
    let least = LEAST_PIXELS * lens.pixel * center.dot(lens.forward).max(0.0);
    let half_extents = half_extents / lens.unit;
    let half_extents = match shape {
        BOX => half_extents.max(DVec3::splat(least)),
        // The segment of a capsule keeps its length.
        _ => half_extents + (least - half_extents.x).max(0.0),
    };
    let is_around_eye = contains_eye(center, half_extents, rotation, shape);
    let tint = if is_around_eye { inside } else { outside };
    Solid {
        rotation: rotation.to_array(),
        center: center.as_vec3(),
        kind: Solid::kind(tint, shape, is_around_eye),
        half_extents: half_extents.as_vec3(),
        lift: lift(tint, half_extents.length() as f32),
    }
}

/// Returns `true` if the eye, which is the origin, is in a body.
fn contains_eye(center: DVec3, half_extents: DVec3, rotation: Quat, shape: u32) -> bool {
    // Most bodies are far from it.
    if center.abs().max_element() > half_extents.element_sum() {
        return false;
    }
    let eye = (rotation.as_dquat().inverse() * center).abs();
    match shape {
        BOX => eye.cmple(half_extents).all(),
        _ => {
            let radius = half_extents.x;
            let along = (eye.z - (half_extents.z - radius)).max(0.0);
            DVec3::new(eye.x, eye.y, along).length_squared() <= radius * radius
        }
    }
}

fn facets_of_ghosts(view: &View<'_>, lens: &Lens) -> Result<Vec<Facet>> {
    facets((view.ghost_triangles, view.ghost_triangle_marks), Tint::of_ghost, lens)
}

fn facets((triangles, marks): (&[Triangle], &[Mark]), tint: fn(Mark) -> Tint, lens: &Lens) -> Result<Vec<Facet>> {
    let mut facets: Vec<Facet> = memory::zeroed(triangles.len(), WHAT)?;
    parallel::fill(&mut facets, |k| {
        let tint = tint(marks.get(k).copied().unwrap_or_default());
        let [a, b, c] = triangles[k].corners.map(|corner| lens.place(corner.as_dvec3()));
        Facet {
            a: a.as_vec3(),
            tint: tint.0,
            b: b.as_vec3(),
            edged: 1,
            c: c.as_vec3(),
            lift: lift(tint, 1.0),
        }
    });
    Ok(facets)
}
