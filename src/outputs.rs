//! Result forms computed from all pairs: sorted pairs, every box's partners, events and reports.

#[cfg(feature = "gpu")]
pub(crate) mod adjacency;
pub(crate) mod adjacency_cpu;
pub(crate) mod approaches;
#[cfg(feature = "gpu")]
pub(crate) mod carried;
pub(crate) mod carried_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod events;
pub(crate) mod events_cpu;
#[cfg(feature = "gpu")]
pub(crate) mod image_degrees;
#[cfg(feature = "gpu")]
pub(crate) mod image_pairs;
pub(crate) mod impacts;
#[cfg(feature = "gpu")]
pub(crate) mod nearest_rows;
pub(crate) mod neighbours;
pub(crate) mod report;
pub(crate) mod sort_as_found;
#[cfg(feature = "gpu")]
pub(crate) mod sort_pairs;
pub(crate) mod sort_pairs_cpu;

use crate::base::error::Error;

/// The reason why a form made of pairs is unavailable.
pub(crate) const WITHOUT_PAIRS: &str = "the check returns no pairs; set `Config::output` to `Output::Pairs`";

/// The error for an adjacency in both directions between two sets, whose rows would need two
/// numberings.
pub(crate) const BOTH_OF_TWO_SETS: Error = Error::Unavailable {
    what: "an adjacency in both directions",
    hint: "the pairs join two sets of boxes; use `Direction::AToB` or `Direction::BToA`",
};
