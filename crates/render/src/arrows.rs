//! Contacts as arrows: triangles around a shaft and a point.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::camera::Camera;
use crate::colours::Tint;
use crate::error::Result;
use crate::lens::Lens;
use crate::records::Facet;
use crate::view::Arrow;
use obbligato::contact::Contacts;
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the contacts in the picture";

/// The maximum number of contacts that are drawn.
const MOST: usize = 10_000;

/// The number of sides of a shaft.
const SIDES: usize = 10;

/// The minimum length of an arrow, and the radii of its shaft and of its point's base, in heights
/// of the picture at its depth.
const LENGTH: f64 = 0.045;
const SHAFT: f64 = 0.0028;
const POINT: f64 = 0.0085;
const POINT_LENGTH: f64 = 0.022;

/// Returns contacts as arrows from A to B, for a [`View`](crate::View) with this origin: all of
/// them, or the 10,000 deepest.
///
/// # Errors
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
pub fn arrows(contacts: &Contacts, origin: DVec3) -> Result<Vec<Arrow>> {
    let mut arrows = Vec::new();
    memory::reserve(&mut arrows, contacts.points().len(), WHAT)?;
    for (pair, penetration) in contacts.penetrations().iter().enumerate() {
        let Some(penetration) = penetration else { continue };
        arrows.extend(contacts.points_of(pair).iter().map(|point| Arrow {
            point: (0.5 * (point.on_a + point.on_b) - origin).as_vec3(),
            normal: penetration.normal.as_vec3(),
            depth: point.depth as f32,
        }));
    }
    if arrows.len() > MOST {
        arrows.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        arrows.truncate(MOST);
    }
    Ok(arrows)
}

/// Returns the triangles of all arrows.
pub(super) fn arrow_facets(arrows: &[Arrow], camera: &Camera, lens: &Lens) -> Result<Vec<Facet>> {
    let mut facets = Vec::new();
    memory::reserve(&mut facets, arrows.len().saturating_mul(5 * SIDES), WHAT)?;
    let height = 2.0 * (0.5 * camera.field_of_view).tan();
    for arrow in arrows {
        let tail = lens.place(arrow.point.as_dvec3());
        let scale = height * tail.dot(lens.forward).max(0.0);
        let axis = arrow.normal.as_dvec3().try_normalize().unwrap_or(DVec3::Z);
        let length = (f64::from(arrow.depth) / lens.unit).max(LENGTH * scale);
        add(&mut facets, tail, axis, length, scale);
    }
    Ok(facets)
}

fn add(facets: &mut Vec<Facet>, tail: DVec3, axis: DVec3, length: f64, scale: f64) {
    let (x, y) = axis.any_orthonormal_pair();
    let ring = |at: f64, radius: f64, k: usize| {
        let (sine, cosine) = (TAU * k as f64 / SIDES as f64).sin_cos();
        tail + axis * at + (x * cosine + y * sine) * (radius * scale)
    };
    let neck = length - POINT_LENGTH * scale;
    let tip = tail + axis * length;
    let mut facet = |a: DVec3, b: DVec3, c: DVec3| {
        facets.push(Facet {
            a: a.as_vec3(),
            tint: Tint::ARROW.0,
            b: b.as_vec3(),
            edged: 0,
            c: c.as_vec3(),
            lift: 1.0,
        });
    };
    for k in 0..SIDES {
        let next = k + 1;
        let [a, b, c, d] = [
            ring(0.0, SHAFT, k),
            ring(0.0, SHAFT, next),
            ring(neck, SHAFT, k),
            ring(neck, SHAFT, next),
        ];
        facet(a, b, c);
        facet(b, d, c);
        let [e, f] = [ring(neck, POINT, k), ring(neck, POINT, next)];
        facet(e, f, tip);
        facet(e, f, tail + axis * neck);
    }
}
