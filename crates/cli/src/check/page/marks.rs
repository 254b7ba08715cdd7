//! The marks of bodies, for the picture of a check.

use obbligato::{Bodies, shape::OwnedBodies};
use obbligato_render::{Mark, View};
use obbligato_support::memory;

use crate::check::{answer::Answer, scenes::Scenes};
use crate::failure::Failure;

/// Label for out-of-memory errors.
const WHAT: &str = "the marks of bodies";

/// The marks of the bodies of FILE and, if present, of FILE_B.
pub struct Marks([Vec<Mark>; 2]);

impl Marks {
    pub fn of(answer: &Answer<'_>, margin: f64) -> Result<Self, Failure> {
        let scenes = answer.scenes;
        let counts = [
            scenes.scene.len(),
            scenes.against.as_ref().map_or(0, |against| against.len()),
        ];
        let none = |count: usize| memory::collect((0..count).map(|_| Mark::Free), WHAT);
        let mut marks = [none(counts[0])?, none(counts[1])?];
        let side_of_b = usize::from(scenes.against.is_some());
        for &pair in &answer.pairs {
            let touching = answer.touching.as_deref().unwrap_or_default();
            let mark = match touching.binary_search(&scenes.as_reported(pair)) {
                Ok(_) => Mark::Touching,
                Err(_) if margin > 0.0 && !scenes.collide(pair) => continue,
                Err(_) => Mark::Overlapping,
            };
            for (side, body) in [(0, pair.a), (side_of_b, pair.b)] {
                let known = &mut marks[side][body as usize];
                *known = mark.max(*known);
            }
        }
        Ok(Self(marks))
    }

    /// All bodies with their marks.
    pub fn with<T>(&self, scenes: &Scenes, then: impl FnOnce(&View<'_>) -> T) -> Result<T, Failure> {
        let Self([first, second]) = self;
        let Some(against) = &scenes.against else {
            return Ok(then(&View {
                bodies: scenes.scene.bodies(),
                marks: first,
                ..View::default()
            }));
        };
        let (one, other) = (scenes.scene.bodies(), against.bodies());
        let bodies = OwnedBodies {
            boxes: chain(one.boxes, other.boxes)?,
            capsules: chain(one.capsules, other.capsules)?,
            spheres: chain(one.spheres, other.spheres)?,
        };
        let (first, second) = (kinds(one, first), kinds(other, second));
        let mut marks = Vec::new();
        memory::reserve(&mut marks, bodies.all().len(), WHAT)?;
        for kind in 0..3 {
            marks.extend_from_slice(first[kind]);
            marks.extend_from_slice(second[kind]);
        }
        Ok(then(&View {
            bodies: bodies.all(),
            marks: &marks,
            ..View::default()
        }))
    }
}

fn chain<T: Copy>(one: &[T], other: &[T]) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    memory::reserve(&mut all, one.len() + other.len(), "the bodies of a picture")?;
    all.extend_from_slice(one);
    all.extend_from_slice(other);
    Ok(all)
}

/// Returns the marks of boxes, capsules and spheres.
fn kinds<'a>(bodies: Bodies<'_>, marks: &'a [Mark]) -> [&'a [Mark]; 3] {
    let (boxes, round) = marks.split_at(bodies.boxes.len());
    let (capsules, spheres) = round.split_at(bodies.capsules.len());
    [boxes, capsules, spheres]
}
