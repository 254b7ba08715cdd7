//! The bodies of links.

use std::path::{Path, PathBuf};

use obbligato::error::BoxProblem;
use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::shape::OwnedBodies;
use obbligato::{Capsule, Obb, Sphere};
use urdf_rs::Geometry;

use crate::error::{Error, Result};
use crate::model::{LinkPose, Model};

/// A body of a link: its pose there, and its sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<T> {
    pub link: usize,
    pub pose: LinkPose,
    pub size: T,
}

/// Sizes of a body, from which a pose makes the body.
pub(crate) trait Size: Copy {
    type Body;
    fn at(self, pose: &LinkPose) -> Self::Body;
    /// The radius of a sphere around the center that contains the body.
    fn radius(self) -> f64;
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxSize(pub Vec3);

#[derive(Clone, Copy, Debug)]
pub(crate) struct CapsuleSize {
    pub half_length: f32,
    pub radius: f32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SphereSize(pub f32);

fn rounded(pose: &LinkPose) -> (Vec3, Quat) {
    (pose.translation.as_vec3(), pose.rotation.as_quat())
}

impl Size for BoxSize {
    type Body = Obb;

    fn at(self, pose: &LinkPose) -> Obb {
        let (center, rotation) = rounded(pose);
        Obb::new(center, self.0, rotation)
    }

    fn radius(self) -> f64 {
        self.0.as_dvec3().length()
    }
}

impl Size for CapsuleSize {
    type Body = Capsule;

    fn at(self, pose: &LinkPose) -> Capsule {
        let (center, rotation) = rounded(pose);
        Capsule::new(center, self.half_length, rotation, self.radius)
    }

    fn radius(self) -> f64 {
        f64::from(self.half_length) + f64::from(self.radius)
    }
}

impl Size for SphereSize {
    type Body = Sphere;

    fn at(self, pose: &LinkPose) -> Sphere {
        Sphere::new(pose.translation.as_vec3(), self.0)
    }

    fn radius(self) -> f64 {
        f64::from(self.0)
    }
}

/// The bodies of all links, by kind and then in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub boxes: Vec<Part<BoxSize>>,
    pub capsules: Vec<Part<CapsuleSize>>,
    pub spheres: Vec<Part<SphereSize>>,
}

/// The part of a body that motions depend on: its link, how far its center is from the origin of
/// that, and the radius of a sphere around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub link: usize,
    pub offset: f64,
    pub radius: f64,
}

impl Parts {
    pub fn new(robot: &urdf_rs::Robot, folder: &Path) -> Result<Self> {
        let mut parts = Self::default();
        for (link, named) in robot.links.iter().enumerate() {
            for (element, collision) in named.collision.iter().enumerate() {
                parts.add(link, collision, &named.name, folder)?;
                parts.expect_valid(&named.name, element)?;
            }
        }
        Ok(parts)
    }

    pub fn len(&self) -> usize {
        self.boxes.len() + self.capsules.len() + self.spheres.len()
    }

    /// The number of bodies of each kind.
    pub fn counts(&self) -> [usize; 3] {
        [self.boxes.len(), self.capsules.len(), self.spheres.len()]
    }

    /// Returns the extents of all bodies, in the order of a set of one configuration.
    pub fn extents(&self) -> Vec<Extent> {
        fn of<T: Size>(parts: &[Part<T>]) -> impl Iterator<Item = Extent> + '_ {
            parts.iter().map(|part| Extent {
                link: part.link,
                offset: part.pose.translation.length(),
                radius: part.size.radius(),
            })
        }
        of(&self.boxes)
            .chain(of(&self.capsules))
            .chain(of(&self.spheres))
            .collect()
    }

    /// Adds the bodies at these poses of the links.
    pub fn place(&self, poses: &[LinkPose], bodies: &mut OwnedBodies) {
        fn add<T: Size>(parts: &[Part<T>], poses: &[LinkPose], list: &mut Vec<T::Body>) {
            list.extend(
                parts
                    .iter()
                    .map(|part| part.size.at(&poses[part.link].then(&part.pose))),
            );
        }
        add(&self.boxes, poses, &mut bodies.boxes);
        add(&self.capsules, poses, &mut bodies.capsules);
        add(&self.spheres, poses, &mut bodies.spheres);
    }

    fn add(&mut self, link: usize, collision: &urdf_rs::Collision, name: &str, folder: &Path) -> Result<()> {
        let pose = LinkPose::of(&collision.origin);
        match &collision.geometry {
            Geometry::Box { size } => {
                let size = BoxSize((DVec3::from(size.0) / 2.0).as_vec3());
                self.boxes.push(Part { link, pose, size });
            }
            // A cylinder becomes the capsule around it, with hemispheres beyond its ends. The
            // length of a capsule in URDF is that of its cylindrical part, too.
            Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => {
                let size = CapsuleSize {
                    half_length: (length / 2.0) as f32,
                    radius: *radius as f32,
                };
                self.capsules.push(Part { link, pose, size });
            }
            Geometry::Sphere { radius } => {
                let size = SphereSize(*radius as f32);
                self.spheres.push(Part { link, pose, size });
            }
            Geometry::Mesh { filename, scale } => {
                let scale = scale.map_or(DVec3::ONE, |scale| DVec3::from(scale.0));
                let (middle, half_extents) = extent_of_mesh(name, filename, scale, folder)?;
                let inner = LinkPose {
                    translation: middle,
                    ..LinkPose::IDENTITY
                };
                // A box that is rounded to f32 still contains the mesh.
                let size = BoxSize(half_extents.as_vec3().map(f32::next_up));
                let pose = pose.then(&inner);
                self.boxes.push(Part { link, pose, size });
            }
        }
        Ok(())
    }

    /// Checks the body that has just been added.
    fn expect_valid(&self, link: &str, element: usize) -> Result<()> {
        fn last<T: Size>(parts: &[Part<T>]) -> Option<T::Body> {
            parts.last().map(|part| part.size.at(&part.pose))
        }
        let boxes = last(&self.boxes)
            .and_then(|one| one.problem())
            .map(|problem| ("box", problem));
        let capsules = || last(&self.capsules)?.problem().map(|problem| ("capsule", problem));
        let spheres = || last(&self.spheres)?.problem().map(|problem| ("sphere", problem));
        let found: Option<(&'static str, BoxProblem)> = boxes.or_else(capsules).or_else(spheres);
        match found {
            None => Ok(()),
            Some((kind, problem)) => Err(Error::Body {
                link: link.to_owned(),
                element,
                kind,
                problem,
            }),
        }
    }
}

/// Returns the center and the half extents of a mesh's bounds along the axes of its element.
fn extent_of_mesh(link: &str, name: &str, scale: DVec3, folder: &Path) -> Result<(DVec3, DVec3)> {
    let mesh = obbligato_files::read_mesh(&mesh_path(name, folder)).map_err(|source| Error::Mesh {
        link: link.to_owned(),
        mesh: name.to_owned(),
        source,
    })?;
    let corners = mesh.triangles.iter().flat_map(|triangle| triangle.corners);
    let points = corners.map(|corner| (corner.as_dvec3() + mesh.origin) * scale);
    let bounds = points
        .map(|point| (point, point))
        .reduce(|(low, high), (point, _)| (low.min(point), high.max(point)));
    let (low, high) = bounds.ok_or_else(|| Error::EmptyMesh {
        link: link.to_owned(),
        mesh: name.to_owned(),
    })?;
    Ok(((low + high) / 2.0, (high - low) / 2.0))
}

/// Returns the place of a mesh: relative to the folder of the file, or to a folder above it that
/// has the package.
fn mesh_path(name: &str, folder: &Path) -> PathBuf {
    let name = name.strip_prefix("file://").unwrap_or(name);
    let Some(name) = name.strip_prefix("package://") else {
        return folder.join(name);
    };
    let inside = name.split_once('/').map_or(name, |(_, inside)| inside);
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let places = whole
        .ancestors()
        .flat_map(|folder| [folder.join(name), folder.join(inside)]);
    places
        .into_iter()
        .find(|place| place.exists())
        .unwrap_or_else(|| folder.join(inside))
}

/// The pairs of links that may collide.
#[derive(Clone, Debug)]
pub(crate) struct LinkPairs {
    links: usize,
    may_collide: Vec<bool>,
}

impl LinkPairs {
    /// All pairs but those that a joint connects.
    pub fn new(model: &Model) -> Self {
        let links = model.links.len();
        let mut pairs = Self {
            links,
            may_collide: vec![true; links * links],
        };
        for link in 0..links {
            pairs.allow(link, link);
        }
        for joint in &model.tree {
            pairs.allow(joint.parent, joint.child);
        }
        pairs
    }

    /// Lets two links overlap.
    pub fn allow(&mut self, a: usize, b: usize) {
        self.may_collide[a * self.links + b] = false;
        self.may_collide[b * self.links + a] = false;
    }

    pub fn may_collide(&self, a: usize, b: usize) -> bool {
        self.may_collide[a * self.links + b]
    }
}
