//! Close-ups: two bodies or meshes that collide, and what is around them.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use glam::{DVec3, Vec3};

use crate::camera::Camera;
use crate::error::Result;
use crate::mark::Mark;
use crate::picture::Picture;
use crate::renderer::Renderer;
use crate::view::{Arrow, Legend, View};
use obbligato::{
    Backend, Checker, Config, Pair, Query,
    shape::{Aabb, Triangle},
};
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the triangles of a close-up";

/// The maximum number of bodies around a pair that are drawn as glass: more would hide it.
pub const AROUND: usize = 6;

/// The angle of view of [`camera`], in degrees.
pub const FIELD_OF_VIEW: f64 = 45.0;

/// The usual size of a close-up in pixels.
pub const SIZE: [u32; 2] = [480, 360];

/// Returns the diagonal of bounds.
pub fn size(bounds: Aabb) -> f32 {
    Vec3::length(bounds.max - bounds.min)
}

/// Returns a camera that looks at the middle of the box in which bounds overlap, and sees three
/// times as far as that, and at least a quarter of the smaller body.
pub fn camera([a, b]: [Aabb; 2], smaller: f32) -> Camera {
    let [low, high] = [a.min.max(b.min), a.max.min(b.max)];
    let (common, middle) = (low.distance(high), low.midpoint(high).as_dvec3());
    let radius = (1.5 * common).max(0.125 * smaller);
    let radius = if radius > 0.0 { f64::from(radius) } else { 1.0 };
    let angle = FIELD_OF_VIEW.to_radians();
    let towards = DVec3::new(-0.55, -1.0, 0.72).normalize();
    Camera {
        field_of_view: angle,
        ..Camera::new(middle + towards * (radius / (0.5 * angle).sin()), middle)
    }
}

/// The bodies whose bounds reach into those of a pair: their sizes, sides and numbers. The smallest
/// come first because they hide least; equal ones in their order.
#[derive(Clone, Debug, Default)]
pub struct Around(Vec<(f32, usize, u32)>);

impl Around {
    /// Adds a body, in place of a larger one if there are [`AROUND`].
    pub fn add(&mut self, (size, side, number): (f32, usize, u32)) {
        let place = self.0.partition_point(|other| {
            let by_size = other.0.total_cmp(&size);
            by_size.then((other.1, other.2).cmp(&(side, number))).is_lt()
        });
        if place < AROUND {
            self.0.truncate(AROUND - 1);
            self.0.insert(place, (size, side, number));
        }
    }

    /// Returns them, the smallest first.
    pub fn iter(&self) -> std::slice::Iter<'_, (f32, usize, u32)> {
        self.0.iter()
    }
}

/// Passes on the pairs of a place and a body whose bounds share a point.
///
/// # Errors
/// As [`Checker::check`].
pub fn visit_around(places: &[Aabb], all: &[Aabb], add: &(impl Fn(&[Pair]) + Sync)) -> Result<()> {
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    checker.check(Query::between(places, all).visit(add))?;
    Ok(())
}

/// Two meshes that collide.
#[derive(Clone, Copy, Debug)]
pub struct MeshClash {
    /// Their positions among all meshes.
    pub pair: Pair,
    /// The bounds of what meets, of each of them. `None` if one mesh is all in the other.
    pub place: Option<[Aabb; 2]>,
    /// The result of the check for both.
    pub mark: Mark,
    /// `true` if the larger one hides the smaller one, and is drawn as glass.
    pub is_nested: bool,
    /// The direction of an arrow at the clash; there is none if it is zero.
    pub normal: Vec3,
}

/// Pictures of clashes of meshes: both in colour, and those around them as glass.
#[derive(Debug)]
pub struct MeshCloseUps<'a> {
    meshes: &'a [&'a [Triangle]],
    clashes: &'a [MeshClash],
    bounds: Vec<Aabb>,
    /// The [orientation] of each mesh, once one of its pictures has asked for it.
    orientations: Vec<OnceLock<f64>>,
    around: Vec<Around>,
}

impl<'a> MeshCloseUps<'a> {
    /// Prepares the pictures of clashes. Meshes have z up. What is around is searched for all
    /// clashes at once.
    ///
    /// # Errors
    /// As [`Checker::check`].
    pub fn new(meshes: &'a [&'a [Triangle]], clashes: &'a [MeshClash]) -> Result<Self> {
        let bounds = memory::collect(meshes.iter().map(|mesh| bounds(mesh)), WHAT)?;
        let of = |number: u32| bounds[number as usize];
        let places: Vec<Aabb> = clashes
            .iter()
            .map(|clash| joined(of(clash.pair.a), of(clash.pair.b)))
            .collect();
        let around = Mutex::new(vec![Around::default(); clashes.len()]);
        let add = |met: &[Pair]| {
            let mut around = around.lock().unwrap_or_else(PoisonError::into_inner);
            for Pair { a: place, b: number } in met {
                let own = clashes[*place as usize].pair;
                if ![own.a, own.b].contains(number) && !meshes[*number as usize].is_empty() {
                    around[*place as usize].add((size(of(*number)), 0, *number));
                }
            }
        };
        visit_around(&places, &bounds, &add)?;
        let around = around.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Self {
            meshes,
            clashes,
            bounds,
            orientations: vec![OnceLock::new(); meshes.len()],
            around,
        })
    }

    /// Returns the camera of a clash: all of the smaller mesh is in the picture. If it is on one
    /// side of the larger one, such as below, the camera is on that side too.
    pub fn camera(&self, clash: usize) -> Camera {
        let (smaller, larger) = self.by_size(clash);
        let [own, other] = [smaller, larger].map(|number| self.bounds[number as usize]);
        let camera = camera(self.clashes[clash].place.unwrap_or([own; 2]), 4.0 * size(own));
        let towards = camera.position - camera.target;
        let middle = own.min.midpoint(own.max);
        let within = DVec3::select(
            towards.cmplt(DVec3::ZERO),
            (other.max - middle).as_dvec3(),
            (middle - other.min).as_dvec3(),
        );
        let is_behind = within.cmplt(DVec3::ZERO);
        Camera {
            position: camera.target + DVec3::select(is_behind, -towards, towards),
            ..camera
        }
    }

    /// Draws a clash, in `[width, height]` pixels.
    ///
    /// # Errors
    /// As [`Renderer::draw`].
    pub fn draw(&self, clash: usize, renderer: &mut Renderer, size: [u32; 2]) -> Result<Picture> {
        let camera = self.camera(clash);
        let MeshClash {
            mark,
            is_nested,
            normal,
            ..
        } = self.clashes[clash];
        let (smaller, larger) = self.by_size(clash);
        let mut solid = Vec::new();
        memory::extend(&mut solid, self.meshes[smaller as usize], WHAT)?;
        let (mut glass, mut glass_marks) = (Vec::new(), Vec::new());
        match is_nested {
            true => self.add_glass(&mut glass, larger, &camera)?,
            false => memory::extend(&mut solid, self.meshes[larger as usize], WHAT)?,
        }
        memory::resize(&mut glass_marks, glass.len(), mark, WHAT)?;
        for &(_, _, number) in self.around[clash].iter() {
            self.add_glass(&mut glass, number, &camera)?;
        }
        memory::resize(&mut glass_marks, glass.len(), Mark::Free, WHAT)?;
        let marks = memory::filled(solid.len(), mark, WHAT)?;
        let arrow = Arrow {
            point: camera.target.as_vec3(),
            normal,
            depth: 0.0,
        };
        let view = View {
            triangles: &solid,
            triangle_marks: &marks,
            ghost_triangles: &glass,
            ghost_triangle_marks: &glass_marks,
            arrows: if normal == Vec3::ZERO {
                &[]
            } else {
                std::slice::from_ref(&arrow)
            },
            legend: Legend::Hidden,
            ..View::default()
        };
        renderer.draw(&view, &camera, size)
    }

    /// Adds a mesh as glass. Of a solid, only the sides towards the eye are drawn, so that it is as
    /// clear as a box of glass.
    fn add_glass(&self, glass: &mut Vec<Triangle>, number: u32, camera: &Camera) -> Result<()> {
        let mesh = self.meshes[number as usize];
        let outward = *self.orientations[number as usize].get_or_init(|| orientation(mesh));
        let faces_eye = |triangle: &&Triangle| {
            let [a, b, c] = triangle.corners.map(|corner| corner.as_dvec3());
            outward * (b - a).cross(c - a).dot(camera.position - a) >= 0.0
        };
        memory::reserve(glass, mesh.len(), WHAT)?;
        glass.extend(mesh.iter().filter(faces_eye));
        Ok(())
    }

    /// Returns the smaller mesh of a clash, and the larger one.
    fn by_size(&self, clash: usize) -> (u32, u32) {
        let Pair { a, b } = self.clashes[clash].pair;
        let [of_a, of_b] = [a, b].map(|number| size(self.bounds[number as usize]));
        if of_b < of_a { (b, a) } else { (a, b) }
    }
}

fn joined(a: Aabb, b: Aabb) -> Aabb {
    Aabb::new(a.min.min(b.min), a.max.max(b.max))
}

/// Returns the bounds of a mesh, which are a point if it is empty.
fn bounds(mesh: &[Triangle]) -> Aabb {
    let all = mesh.iter().map(Triangle::bounds).reduce(joined);
    all.unwrap_or(Aabb::new(Vec3::ZERO, Vec3::ZERO))
}

/// Returns 1 if a mesh is the surface of a solid with corners counter-clockwise, seen from outside,
/// -1 if they are clockwise, and 0 for other meshes.
fn orientation(mesh: &[Triangle]) -> f64 {
    // The sum turns -0 into 0.
    let key = |corner: Vec3| (corner + Vec3::ZERO).to_array().map(f32::to_bits);
    let edges = |triangle: &Triangle| {
        let [a, b, c] = triangle.corners.map(key);
        [[a, b], [b, c], [c, a]]
    };
    let mut all = HashSet::new();
    if !mesh.iter().flat_map(edges).all(|edge| all.insert(edge)) || all.iter().any(|&[a, b]| !all.contains(&[b, a])) {
        return 0.0;
    }
    let middle = bounds(mesh).min.as_dvec3();
    let volume = |triangle: &Triangle| {
        let [a, b, c] = triangle.corners.map(|corner| corner.as_dvec3() - middle);
        a.dot(b.cross(c))
    };
    let volume: f64 = mesh.iter().map(volume).sum();
    if volume == 0.0 { 0.0 } else { volume.signum() }
}
