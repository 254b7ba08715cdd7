//! Pairs of equal balls, which trees of points find as neighbours within a radius.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use kiddo::{ImmutableKdTree, SquaredEuclidean};
use obbligato::{Output, Report, Sphere};
use obbligato_verify::scenes::BodyScene;

use crate::tally::{InSteps, Peer, Sum, Tally, Whole};
use crate::{Problem, SEED, checker};

/// The centers of the balls of the scene `spheres`, all with one radius.
pub struct Balls {
    centers: Rc<[[f32; 3]]>,
    radius: f32,
}

impl Balls {
    pub fn new(count: usize, radius: f32) -> Result<Self, Problem> {
        let bodies = BodyScene::Spheres.bodies(count, SEED);
        Ok(Self {
            centers: bodies.spheres.iter().map(|ball| ball.center.to_array()).collect(),
            radius,
        })
    }

    /// Writes the distance and the centers to a file, and returns the peers: first obbligato.
    pub fn peers(self, file: &Path) -> Result<Vec<Box<dyn Peer>>, Problem> {
        let first = [[2.0 * self.radius, 0.0, 0.0]];
        let numbers = first.iter().chain(self.centers.iter()).flatten().copied();
        fs::write(file, numbers.flat_map(f32::to_ne_bytes).collect::<Vec<u8>>())?;
        Ok(vec![own(&self)?, kiddo(&self), kiddo_join(&self)])
    }

    /// Returns the square of the distance within which centers are a pair.
    fn squared(&self) -> f32 {
        (2.0 * self.radius).powi(2)
    }
}

type Tree = ImmutableKdTree<f32, 3>;

/// A whole check of the balls, with exact decisions.
fn own(balls: &Balls) -> Result<Box<dyn Peer>, Problem> {
    let spheres = balls
        .centers
        .iter()
        .map(|center| Sphere::new((*center).into(), balls.radius));
    let spheres: Vec<Sphere> = spheres.collect();
    let (mut count, mut list) = (checker(Output::Count)?, checker(Output::Pairs)?);
    let mut report = Report::default();
    Ok(Box::new(Whole {
        name: "obbligato",
        comparable: true,
        run: move |sums| {
            let mut sum = Sum::default();
            if sums {
                let report = list.check(&spheres[..])?;
                report
                    .pairs()
                    .unwrap_or_default()
                    .iter()
                    .for_each(|pair| sum.add(pair.a, pair.b));
            } else {
                count.check_into(&spheres[..], &mut report)?;
            }
            Ok(sum)
        },
    }))
}

/// A question of each center.
fn kiddo(balls: &Balls) -> Box<dyn Peer> {
    let (centers, asking, squared) = (balls.centers.clone(), balls.centers.clone(), balls.squared());
    Box::new(InSteps {
        name: "kiddo",
        build: move || Tree::new_from_slice(&centers).expect("a tree"),
        pairs: move |tree: &Tree, tally: &mut Tally| {
            for (a, center) in (0u32..).zip(asking.iter()) {
                let near = tree.query(center).within::<SquaredEuclidean<f32>>(squared).unsorted();
                near.visit(|other| {
                    if a < other.item as u32 {
                        tally.add(a, other.item as u32);
                    }
                });
            }
        },
    })
}

/// The tree joined with another one of the same centers, which is part of its build.
fn kiddo_join(balls: &Balls) -> Box<dyn Peer> {
    let (centers, squared) = (balls.centers.clone(), balls.squared());
    let count = centers.len();
    Box::new(InSteps {
        name: "kiddo, join",
        build: move || [0; 2].map(|_| Tree::new_from_slice(&centers).expect("a tree")),
        pairs: move |[one, other]: &[Tree; 2], tally: &mut Tally| {
            let join = one
                .query_tree(other)
                .within::<SquaredEuclidean<f32>>(squared)
                .without_distances();
            // Each pair in both orders, and every center with itself.
            if tally.sums() {
                let ordered = join
                    .execute()
                    .into_iter()
                    .filter(|pair| pair.left_item < pair.right_item);
                ordered.for_each(|pair| tally.add(pair.left_item as u32, pair.right_item as u32));
            } else {
                tally.add_many((join.count() - count) / 2);
            }
        },
    })
}
