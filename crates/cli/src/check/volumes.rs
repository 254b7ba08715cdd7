//! The volumes that the boxes of colliding pairs share.

use std::borrow::Cow;

use obbligato::{Pair, contact::Overlap, shape::Image};
use obbligato_support::memory;

use super::scenes::Scenes;
use crate::failure::Failure;

/// The number of pairs that are tested for collision at once.
const CHUNK_PAIRS: usize = 1 << 16;

/// Label for out-of-memory errors.
const PAIRS: &str = "the colliding pairs";

/// The overlaps of pairs, and the images of the second boxes if space repeats.
pub struct Volumes<'a> {
    pub pairs: Cow<'a, [Pair]>,
    pub overlaps: Vec<Overlap>,
    pub images: Vec<Image>,
}

/// Returns the overlaps of those `pairs` that collide. `some_are_near` means that others are among
/// them.
pub fn find<'a>(scenes: &Scenes, pairs: &'a [Pair], some_are_near: bool) -> Result<Volumes<'a>, Failure> {
    let pairs = match some_are_near {
        true => Cow::Owned(colliding(scenes, pairs)?),
        false => Cow::Borrowed(pairs),
    };
    let (overlaps, images) = scenes.overlaps(&pairs)?;
    Ok(Volumes {
        pairs,
        overlaps,
        images,
    })
}

fn colliding(scenes: &Scenes, pairs: &[Pair]) -> Result<Vec<Pair>, Failure> {
    let mut found = Vec::new();
    for chunk in pairs.chunks(CHUNK_PAIRS) {
        let collide = scenes.which_collide(chunk)?;
        memory::reserve(&mut found, chunk.len(), PAIRS)?;
        let those = chunk.iter().zip(collide).filter(|(_, collides)| *collides);
        found.extend(those.map(|(pair, _)| *pair));
    }
    Ok(found)
}

/// Returns a failure if a scene has bodies of which no volume is offered.
pub fn expect_boxes(scenes: &Scenes) -> Result<(), Failure> {
    let is_round = scenes.bodies().iter().any(|bodies| bodies.only_boxes().is_none());
    match is_round {
        true => Err(Failure::Input(
            "--volumes is offered for boxes and upright cuboids, and the scene has spheres or capsules: leave out \
             --volumes, or these bodies"
                .into(),
        )),
        false => Ok(()),
    }
}
