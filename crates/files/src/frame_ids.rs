//! The ids of the boxes of all frames, as numbers.

use std::borrow::Cow;

use crate::error::Result;
use crate::ids::{Id, Ids};
use crate::scene::SceneFile;
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the ids of all frames";

/// A number for each id of a file with several frames, equal in every frame. The numbers sort as
/// the ids do.
///
/// They are the ids themselves or, if ids are texts, their ranks among all texts of the file.
#[derive(Clone, Debug)]
pub struct FrameIds<'a> {
    frames: &'a [(i64, SceneFile)],
    /// All texts, sorted and without duplicates; empty if ids are numbers.
    texts: Vec<&'a str>,
}

impl<'a> FrameIds<'a> {
    /// Numbers the ids of these frames, which come from [`read_frames`](crate::read_frames).
    /// O(n log n) if ids are texts.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn new(frames: &'a [(i64, SceneFile)]) -> Result<Self> {
        let mut texts = Vec::new();
        for (_, scene) in frames {
            if let Some(Ids::Texts(more)) = &scene.ids {
                memory::reserve(&mut texts, more.len(), WHAT)?;
                texts.extend(more.iter());
                // Frames have nearly the same boxes, so this removes most texts.
                texts.sort_unstable();
                texts.dedup();
            }
        }
        Ok(Self { frames, texts })
    }

    /// Returns the numbers of the boxes of the frame at a position, in the order of its boxes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    ///
    /// # Panics
    /// If there is no frame at `index`.
    pub fn numbers(&self, index: usize) -> Result<Cow<'a, [u32]>> {
        let scene = &self.frames[index].1;
        match &scene.ids {
            Some(Ids::Numbers(numbers)) => Ok(Cow::Borrowed(numbers)),
            Some(Ids::Texts(texts)) => {
                let ranks = texts
                    .iter()
                    .map(|text| self.texts.partition_point(|&other| other < text));
                Ok(Cow::Owned(memory::collect(ranks.map(|rank| rank as u32), WHAT)?))
            }
            None => Ok(Cow::Owned(memory::collect(
                (0..scene.len()).map(|position| position as u32),
                WHAT,
            )?)),
        }
    }

    /// Returns the id that has a number.
    pub fn id(&self, number: u32) -> Id<'a> {
        match self.texts.get(number as usize) {
            Some(text) => Id::Text(text),
            None => Id::Number(number),
        }
    }
}
