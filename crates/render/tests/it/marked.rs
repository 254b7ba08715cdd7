//! The mark of each body, by the result of a check.

use obbligato::Obb;
use obbligato::glam::Vec3;
use obbligato_render::Mark;
use obbligato_verify::scenes::Scene;

use super::{few, marks_of};

/// The marks agree with the caller's pairs.
#[test]
fn marks_match_the_pairs() {
    let boxes = Scene::Bricks.generate(300, 1);
    let mut boxes: Vec<Obb> = boxes.into_iter().chain(few()).collect();
    boxes[7].half_extents *= 1.1;
    boxes.push(Obb::axis_aligned(Vec3::splat(1000.0), Vec3::ONE));
    let mut expected = vec![Mark::Free; boxes.len()];
    for a in 0..boxes.len() {
        for b in 0..a {
            let found = boxes[a].contact(&boxes[b]);
            let mark = match () {
                () if !found.collides() => continue,
                () if found == obbligato::contact::Contact::Touching => Mark::Touching,
                () => Mark::Overlapping,
            };
            expected[a] = expected[a].max(mark);
            expected[b] = expected[b].max(mark);
        }
    }
    assert!(Mark::ALL.iter().all(|mark| expected.contains(mark)));
    assert_eq!(marks_of(&boxes), expected);
}
