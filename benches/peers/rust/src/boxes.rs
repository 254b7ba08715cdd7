//! Pairs of bounds.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use glam::Vec3A;
use nalgebra::Point3;
use obbligato::glam::Vec3;
use obbligato::shape::{Aabb, OwnedBodies};
use obbligato::{Output, Query, Report};
use obvhs::{BvhBuildParams, bvh2::builder::build_bvh2};
use packed_spatial_index::{Box3D, Index3D, Index3DBuilder};
use parry3d::partitioning::{BvhBuildStrategy, BvhWorkspace};
use rstar::primitives::{GeomWithData, Rectangle};

use crate::tally::{InSteps, Peer, Sum, Tally, Whole};
use crate::{Problem, checker};

/// Bodies, and their bounds.
pub struct Boxes {
    bodies: OwnedBodies,
    bounds: Rc<[Aabb]>,
}

impl Boxes {
    pub fn new(bodies: OwnedBodies) -> Self {
        let boxes = bodies.boxes.iter().map(|solid| solid.bounds());
        let bounds = boxes.chain(bodies.spheres.iter().map(|ball| ball.bounds()));
        Self {
            bounds: bounds.collect(),
            bodies,
        }
    }

    /// Writes the bounds to a file, and returns the peers: first obbligato.
    pub fn peers(self, file: &Path) -> Result<Vec<Box<dyn Peer>>, Problem> {
        let numbers = self.bounds.iter().flat_map(|of| [of.min.to_array(), of.max.to_array()]);
        fs::write(file, numbers.flatten().flat_map(f32::to_ne_bytes).collect::<Vec<u8>>())?;
        let bounds = &self.bounds;
        Ok(vec![
            own(bounds.clone())?,
            exact(self.bodies)?,
            packed(bounds),
            parry(bounds.clone()),
            rstar(bounds.clone()),
            obvhs(bounds),
            bvh(bounds),
        ])
    }
}

/// obbligato with the bounds as its boxes: only its broad phase.
fn own(bounds: Rc<[Aabb]>) -> Result<Box<dyn Peer>, Problem> {
    let (mut count, mut list) = (checker(Output::Count)?, checker(Output::Pairs)?);
    let mut report = Report::default();
    Ok(Box::new(Whole {
        name: "obbligato",
        comparable: true,
        run: move |sums| {
            let mut sum = Sum::default();
            if sums {
                let report = list.check(Query::from(&bounds[..]))?;
                report
                    .pairs()
                    .unwrap_or_default()
                    .iter()
                    .for_each(|pair| sum.add(pair.a, pair.b));
            } else {
                count.check_into(Query::from(&bounds[..]), &mut report)?;
            }
            Ok(sum)
        },
    }))
}

/// obbligato with the bodies themselves: bounds, both phases, exact decisions, and a sorted list.
fn exact(bodies: OwnedBodies) -> Result<Box<dyn Peer>, Problem> {
    let mut checker = checker(Output::Pairs)?;
    let mut report = Report::default();
    Ok(Box::new(Whole {
        name: "exact check",
        comparable: false,
        run: move |_| {
            checker.check_into(bodies.all(), &mut report)?;
            Ok(Sum::default())
        },
    }))
}

fn parry(bounds: Rc<[Aabb]>) -> Box<dyn Peer> {
    let corner = |of: Vec3| parry3d::math::Vector::from_array(of.to_array());
    let boxes: Vec<_> = bounds
        .iter()
        .map(|of| parry3d::bounding_volume::Aabb::new(corner(of.min), corner(of.max)))
        .collect();
    let mut workspace = BvhWorkspace::default();
    Box::new(InSteps {
        name: "parry",
        build: move || parry3d::partitioning::Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
        pairs: move |tree: &parry3d::partitioning::Bvh, tally: &mut Tally| {
            tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |a, b| tally.add(a, b));
        },
    })
}

fn rstar(bounds: Rc<[Aabb]>) -> Box<dyn Peer> {
    type Leaf = GeomWithData<Rectangle<[f32; 3]>, u32>;
    let leaves: Vec<Leaf> = (0..)
        .zip(bounds.iter())
        .map(|(index, of)| GeomWithData::new(Rectangle::from_corners(of.min.to_array(), of.max.to_array()), index))
        .collect();
    Box::new(InSteps {
        name: "rstar",
        build: move || rstar::RTree::bulk_load(leaves.clone()),
        pairs: |tree: &rstar::RTree<Leaf>, tally: &mut Tally| {
            // Each pair in both orders, and every box with itself.
            for (a, b) in tree.intersection_candidates_with_other_tree(tree) {
                if a.data < b.data {
                    tally.add(a.data, b.data);
                }
            }
        },
    })
}

/// A box as the crate bvh takes it.
#[derive(Clone)]
struct Shape {
    bounds: bvh::aabb::Aabb<f32, 3>,
    index: u32,
    node: usize,
}

impl bvh::aabb::Bounded<f32, 3> for Shape {
    fn aabb(&self) -> bvh::aabb::Aabb<f32, 3> {
        self.bounds
    }
}

impl bvh::bounding_hierarchy::BHShape<f32, 3> for Shape {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

fn bvh(bounds: &[Aabb]) -> Box<dyn Peer> {
    let corner = |of: Vec3| Point3::from(of.to_array());
    let shapes: Vec<Shape> = (0..)
        .zip(bounds)
        .map(|(index, of)| Shape {
            bounds: bvh::aabb::Aabb::with_bounds(corner(of.min), corner(of.max)),
            index,
            node: 0,
        })
        .collect();
    let mut built = shapes.clone();
    Box::new(InSteps {
        name: "bvh",
        build: move || bvh::bvh::Bvh::build(&mut built),
        pairs: move |tree: &bvh::bvh::Bvh<f32, 3>, tally: &mut Tally| {
            for shape in &shapes {
                // The iterator has a stack of 32 nodes and panics beyond; this has the program's.
                for other in tree.traverse(&shape.bounds, &shapes) {
                    if shape.index < other.index {
                        tally.add(shape.index, other.index);
                    }
                }
            }
        },
    })
}

fn obvhs(bounds: &[Aabb]) -> Box<dyn Peer> {
    let corner = |of: Vec3| Vec3A::from_array(of.to_array());
    let boxes: Rc<[obvhs::aabb::Aabb]> = bounds
        .iter()
        .map(|of| obvhs::aabb::Aabb::new(corner(of.min), corner(of.max)))
        .collect();
    let asking = boxes.clone();
    Box::new(InSteps {
        name: "obvhs",
        build: move || build_bvh2(&boxes, BvhBuildParams::medium_build(), &mut Duration::default()),
        pairs: move |tree: &obvhs::bvh2::Bvh2, tally: &mut Tally| {
            for (a, of) in (0..).zip(asking.iter()) {
                tree.aabb_traverse(*of, |tree, leaf| {
                    let leaf = &tree.nodes[leaf as usize];
                    let first = leaf.first_index as usize;
                    for &b in &tree.primitive_indices[first..first + leaf.prim_count as usize] {
                        if a < b && asking[b as usize].intersect_aabb(of) {
                            tally.add(a, b);
                        }
                    }
                    true
                });
            }
        },
    })
}

/// The plain index: of the one in columns, which the crate calls SIMD, pairs took longer.
fn packed(bounds: &[Aabb]) -> Box<dyn Peer> {
    let boxes: Vec<Box3D> = bounds
        .iter()
        .map(|of| {
            let [low, high] = [of.min, of.max].map(|corner| corner.as_dvec3());
            Box3D::new(low.x, low.y, low.z, high.x, high.y, high.z)
        })
        .collect();
    Box::new(InSteps {
        name: "packed",
        build: move || {
            let mut builder = Index3DBuilder::new(boxes.len()).parallel(false);
            boxes.iter().for_each(|of| builder.add(*of));
            builder.finish().expect("boxes")
        },
        pairs: |tree: &Index3D, tally: &mut Tally| {
            let _: ControlFlow<()> = tree.pairs_each(|a, b| {
                tally.add(a as u32, b as u32);
                ControlFlow::Continue(())
            });
        },
    })
}
