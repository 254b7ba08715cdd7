//! Tracking of boxes from frame to frame: pairs that begin and end, and the parts of a frame that
//! need no new check.

pub(crate) mod coherent;
pub(crate) mod fat_aabbs;
pub(crate) mod id_map;
pub(crate) mod lifetime;
pub(crate) mod measured;
pub(crate) mod pair_cache;
pub(crate) mod shapes;
pub(crate) mod survey;
pub(crate) mod sweep_and_prune;
pub(crate) mod sweep_lists;
pub(crate) mod tracker;

pub use crate::outputs::carried_cpu::{NEW, previous_pairs, previous_points};
pub use crate::outputs::events_cpu::{Event, EventKind};
pub use crate::tracking::sweep_and_prune::{SweepAndPrune, SweepChanges};
pub use crate::tracking::tracker::Tracker;
pub use crate::tracking::tracker::config::{Coherence, TrackerConfig};
pub use crate::tracking::tracker::frame::{FoundBy, FrameWork, TrackedFrame};
