//! The broad phases of the CPU that work on bounds, by name, with their memory.

use crate::base::config::BroadPhase;
use crate::base::error::Result;
use crate::broad_phase::all_pairs_cpu::AllPairs;
use crate::broad_phase::grid::grid_query_cpu::{GridAtRest, grid_query};
use crate::broad_phase::lbvh::lbvh_tree_cpu::Lbvh;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::OverBounds;
use crate::broad_phase::sweep::sweep_cpu::Sweep;
use crate::broad_phase::tree::phase::{Octree, Tree};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;

/// Declares those beside the grid.
macro_rules! phases {
    ($($name:ident($type:ty): $field:ident;)+) => {
        /// Those beside the grid. Each keeps its memory once it has been used.
        #[derive(Default)]
        pub(crate) struct Phases {
            $(pub $field: $type,)+
        }

        impl Phases {
            /// Bytes held.
            pub fn bytes(&self) -> u64 {
                0 $(+ self.$field.bytes())+
            }

            /// The most bytes that one of them, or of none if it is the grid, needs for so many boxes.
            pub fn bytes_for(phase: BroadPhase, boxes: u64) -> Option<u64> {
                match phase {
                    $(BroadPhase::$name => Some(<$type>::bytes_for(boxes)),)+
                    _ => None,
                }
            }
        }

        /// Bounds at rest, sorted once.
        #[expect(clippy::large_enum_variant, reason = "a scene has one, in a box")]
        pub(crate) enum AtRest {
            Grid(GridAtRest),
            $($name($type),)+
        }

        impl AtRest {
            /// Sorts bounds at rest; `None` if that is the grid's.
            pub fn over(phase: BroadPhase, bounds: &[Bounds], rules: &SetRules) -> Result<Option<Self>> {
                Ok(match phase {
                    $(BroadPhase::$name => {
                        let mut built = <$type>::default();
                        built.build(bounds, rules)?;
                        built.release_scratch();
                        Some(Self::$name(built))
                    })+
                    _ => None,
                })
            }

            /// Calls `found` for the pairs of a record at rest and a mover whose bounds overlap; see [`OverBounds::meet`].
            pub fn meet<const COUNT: bool>(
                &self,
                movers: &[Bounds],
                rules: &SetRules,
                found: impl FnMut(Pair),
            ) -> Operations {
                match self {
                    Self::Grid(grid) => grid_query::<COUNT>(grid, movers, rules, found),
                    $(Self::$name(built) => built.meet::<COUNT>(movers, rules, found),)+
                }
            }
        }

        /// Evaluates an expression with the broad phase of this name, or another one where that is the grid's.
        macro_rules! with_phase {
            ($phases:expr, $used:expr, $phase:ident => $body:expr, _ => $grid:expr) => {
                match $used {
                    $(BroadPhase::$name => { let $phase = &mut $phases.$field; $body })+
                    _ => $grid,
                }
            };
        }
    };
}

phases! {
    AllPairs(AllPairs): all_pairs;
    Sweep(Sweep): sweep;
    Tree(Tree): tree;
    Octree(Octree): octree;
    Lbvh(Lbvh): lbvh;
}

impl AtRest {
    /// Groups movers that are close to each other, where that pays.
    pub fn sort(&self, movers: Vec<Bounds>, rules: &SetRules) -> Result<Vec<Bounds>> {
        match self {
            Self::Grid(grid) => grid.sort(movers, rules),
            _ => Ok(movers),
        }
    }
}
