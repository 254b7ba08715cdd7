//! Contact points that are followed from frame to frame.

use obbligato::{Pair, contact::Contacts};

/// The contact points of a frame, for
/// [`ResultFile::tracked_contacts`](crate::ResultFile::tracked_contacts).
#[derive(Clone, Copy, Debug)]
pub struct TrackedContacts<'a> {
    /// The pairs, by the numbers of their boxes.
    pub pairs: &'a [Pair],
    /// The contacts of these pairs.
    pub contacts: &'a Contacts,
    /// The number of frames that each point has been in contact without a gap, from 0.
    pub ages: &'a [u32],
    /// The place of each point in the previous frame; [`NEW`](obbligato::tracking::NEW) if it was
    /// not there.
    pub previous: &'a [u32],
}
