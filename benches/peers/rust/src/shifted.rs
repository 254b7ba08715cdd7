//! Cubes in a lattice against the same cubes half a cell further along each axis: of two sets, all
//! pairs between them. The number of pairs is known.

use std::ops::ControlFlow;

use obbligato::glam::Vec3;
use obbligato::shape::Aabb;
use obbligato::{Output, Query, Report};
use packed_spatial_index::{Box3D, Index3D, Index3DBuilder};

use crate::tally::{InSteps, Peer, Sum, Tally, Whole};
use crate::{Problem, checker};

/// The two sets.
pub struct Shifted {
    side: usize,
    sets: [Vec<Aabb>; 2],
}

impl Shifted {
    /// `count` cubes in each set, or the largest cubic number below.
    pub fn new(count: usize) -> Self {
        let side = (1..)
            .take_while(|side: &usize| side.pow(3) <= count)
            .last()
            .unwrap_or(1);
        Self {
            side,
            sets: [0.0, 0.5].map(|shift| {
                let at = |k: usize| Vec3::new((k % side) as f32, (k / side % side) as f32, (k / side / side) as f32);
                let cube = |k| Aabb {
                    min: at(k) + shift,
                    max: at(k) + shift + 1.0,
                };
                (0..side.pow(3)).map(cube).collect()
            }),
        }
    }

    /// The pairs: along an axis each cube meets two of the other set, except the first.
    pub fn pairs(&self) -> u64 {
        (2 * self.side as u64 - 1).pow(3)
    }

    pub fn peers(self) -> Result<Vec<Box<dyn Peer>>, Problem> {
        let boxes = self.sets.each_ref().map(|set| {
            let corner = |of: Vec3| of.as_dvec3();
            let of = |of: &Aabb| (corner(of.min), corner(of.max));
            let of = set
                .iter()
                .map(of)
                .map(|(low, high)| Box3D::new(low.x, low.y, low.z, high.x, high.y, high.z));
            of.collect::<Vec<_>>()
        });
        let mut checker = checker(Output::Count)?;
        let mut report = Report::default();
        let known = self.pairs();
        let own = Whole {
            name: "obbligato",
            comparable: true,
            run: move |_| {
                let [first, second] = &self.sets;
                checker.check_into(Query::between(&first[..], &second[..]), &mut report)?;
                match report.colliding_pairs == known {
                    true => Ok(Sum::new(known, 0)),
                    false => Err(format!("{} pairs, not {known}", report.colliding_pairs).into()),
                }
            },
        };
        let packed = InSteps {
            name: "packed",
            build: move || {
                boxes.each_ref().map(|set| {
                    let mut builder = Index3DBuilder::new(set.len()).parallel(false);
                    set.iter().for_each(|of| builder.add(*of));
                    builder.finish().expect("boxes")
                })
            },
            pairs: |[first, second]: &[Index3D; 2], tally: &mut Tally| {
                let mut count = 0;
                let _: ControlFlow<()> = first.join_each(second, |_, _| {
                    count += 1;
                    ControlFlow::Continue(())
                });
                tally.add_many(count);
            },
        };
        Ok(vec![Box::new(own), Box::new(packed)])
    }
}
