//! The CPU broad phases that work on bounds, by name, with their memory.

use crate::base::config::BroadPhase;
use crate::base::error::Result;
use crate::broad_phase::all_pairs_cpu::AllPairs;
use crate::broad_phase::grid::layout::GridLevel;
use crate::broad_phase::grid::phase::GridPhase;
use crate::broad_phase::layered::Layered;
use crate::broad_phase::lbvh::lbvh_tree_cpu::Lbvh;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::OverBounds;
use crate::broad_phase::sweep::sweep_cpu::Sweep;
use crate::broad_phase::tree::phase::{Octree, Tree};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;

/// Declares the broad phases.
macro_rules! phases {
    ($($name:ident($type:ty): $field:ident;)+) => {
        /// The broad phases. Each keeps its memory once used.
        #[derive(Default)]
        pub(crate) struct Phases {
            $(pub $field: Layered<$type>,)+
        }

        impl Phases {
            /// Returns the number of bytes held.
            pub fn bytes(&self) -> u64 {
                0 $(+ self.$field.bytes())+
            }

            /// Returns the maximum number of bytes that one of them needs for this many boxes.
            pub fn bytes_for(phase: BroadPhase, boxes: u64) -> u64 {
                match phase {
                    $(BroadPhase::$name => <$type>::bytes_for(boxes),)+
                    BroadPhase::Auto => 0,
                }
            }
        }

        /// Bounds at rest, sorted once.
        pub(crate) enum AtRest {
            $($name(Layered<$type>),)+
        }

        impl AtRest {
            /// Sorts bounds at rest, given their statistics, by a phase that is not
            /// [`BroadPhase::Auto`].
            pub fn over(phase: BroadPhase, bounds: &mut [Bounds], stats: &Gathered, rules: &SetRules) -> Result<Self> {
                Ok(match phase {
                    $(BroadPhase::$name => {
                        let mut built = Layered::<$type>::default();
                        built.build_for_movers(bounds, stats, rules)?;
                        built.release_scratch();
                        Self::$name(built)
                    })+
                    BroadPhase::Auto => unreachable!("what is chosen is never the choice"),
                })
            }

            /// Appends the levels of the grid, if it is one.
            pub fn list_levels(&self, list: &mut Vec<GridLevel>) {
                match self {
                    $(Self::$name(built) => built.list_levels(list),)+
                }
            }

            /// Calls `found` for the pairs of a record at rest and a mover whose bounds overlap.
            /// See [`OverBounds::meet_ids`].
            pub fn meet_ids<const COUNT: bool>(
                &self,
                movers: &[Bounds],
                rules: &SetRules,
                found: impl FnMut(Pair),
            ) -> Operations {
                match self {
                    $(Self::$name(built) => built.meet_ids::<COUNT>(movers, rules, found),)+
                }
            }

            /// Groups movers that are close to each other, if that pays.
            pub fn sort_movers(&self, movers: Vec<Bounds>, rules: &SetRules) -> Result<Vec<Bounds>> {
                match self {
                    $(Self::$name(built) => built.sort_movers(movers, rules),)+
                }
            }
        }

        /// Evaluates an expression with the broad phase of this name, which is not
        /// [`BroadPhase::Auto`].
        macro_rules! with_phase {
            ($phases:expr, $used:expr, $phase:ident => $body:expr) => {
                match $used {
                    $(BroadPhase::$name => { let $phase = &mut $phases.$field; $body })+
                    BroadPhase::Auto => unreachable!("what is chosen is never the choice"),
                }
            };
        }
    };
}

phases! {
    AllPairs(AllPairs): all_pairs;
    Grid(GridPhase): grid;
    Sweep(Sweep): sweep;
    Tree(Tree): tree;
    Octree(Octree): octree;
    Lbvh(Lbvh): lbvh;
}
