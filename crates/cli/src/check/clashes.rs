//! The clashes of pairs: depth, position and direction.

use obbligato::{
    Pair,
    contact::{ClosestPoints, ContactPoint, Contacts, Penetration},
    glam::DVec3,
    shape::Image,
};
use obbligato_files::{Clash, Kind};
use obbligato_support::memory;

use super::{
    kinds,
    scenes::{Orders, Scenes},
};
use crate::failure::Failure;

/// The number of pairs whose contacts are in memory at once.
const CHUNK_PAIRS: usize = 1 << 16;

/// Label for out-of-memory errors.
const CLASHES: &str = "the clashes";

/// Returns the clashes of `pairs`, which are in the order of results, in the same order. Pairs that
/// are only near have none unless `with_near` is set. `touching` has the pairs that only touch, if
/// known, as the report lists them.
pub fn find(
    scenes: &Scenes,
    pairs: &[Pair],
    touching: Option<&[Pair]>,
    with_near: bool,
) -> Result<Vec<Clash>, Failure> {
    let touches = |pair: Pair| touching.map(|touching| touching.binary_search(&scenes.as_reported(pair)).is_ok());
    let mut clashes = Vec::new();
    let mut contacts = Contacts::default();
    for chunk in pairs.chunks(CHUNK_PAIRS) {
        let images = scenes.find_contacts(chunk, &mut contacts)?;
        memory::reserve(&mut clashes, chunk.len(), CLASHES)?;
        let penetrations = chunk.iter().zip(contacts.penetrations());
        let near = penetrations.filter(|(_, found)| with_near && found.is_none());
        let near: Vec<Pair> = near.map(|(pair, _)| *pair).collect();
        let mut near = near_clashes(scenes, &near, touching.is_some())?.into_iter();
        for (k, (&pair, penetration)) in chunk.iter().zip(contacts.penetrations()).enumerate() {
            if penetration.is_none() && with_near {
                clashes.extend(near.next());
            }
            if let Some(penetration) = penetration {
                let image = images.get(k).copied().unwrap_or_default();
                let touching = touches(pair);
                let [a, b] = scenes.rounded(pair, image);
                clashes.push(Clash {
                    image,
                    // Without a list of touching pairs, those without depth touch.
                    kind: kinds::kind(&a, &b, touching.unwrap_or(penetration.depth <= 0.0)),
                    ..clash(pair, penetration, contacts.points_of(k), touching)
                });
            }
        }
    }
    Ok(clashes)
}

/// Returns the clashes of pairs that are only near.
fn near_clashes(scenes: &Scenes, pairs: &[Pair], knows_touching: bool) -> Result<Vec<Clash>, Failure> {
    let (closest, images) = match pairs {
        [] => return Ok(Vec::new()),
        _ => scenes.closest_points(pairs)?,
    };
    let clash = |(k, (pair, closest)): (usize, (&Pair, &ClosestPoints))| Clash {
        pair: *pair,
        depth: 0.0,
        touching: knows_touching.then_some(false),
        normal: (closest.on_b - closest.on_a).normalize_or_zero() + DVec3::ZERO,
        point: (closest.on_a + closest.on_b) * 0.5 + DVec3::ZERO,
        image: images.get(k).copied().unwrap_or_default(),
        is_new: None,
        kind: Kind::Near,
        group: None,
        distance: closest.distance,
        rule: None,
    };
    Ok(pairs.iter().zip(&closest).enumerate().map(clash).collect())
}

fn clash(pair: Pair, penetration: &Penetration, points: &[ContactPoint], touching: Option<bool>) -> Clash {
    let sum: DVec3 = points.iter().map(|point| (point.on_a + point.on_b) * 0.5).sum();
    Clash {
        pair,
        depth: penetration.depth,
        touching,
        // The sum turns negative zeros into zeros.
        normal: penetration.normal + DVec3::ZERO,
        point: sum / points.len().max(1) as f64 + DVec3::ZERO,
        image: Image::default(),
        is_new: None,
        kind: Kind::Overlap,
        group: None,
        distance: 0.0,
        rule: None,
    }
}

/// Marks clashes as new or not, given the flags of these pairs, which include those of the clashes
/// in the same order.
pub fn mark(clashes: &mut [Clash], pairs: &[Pair], is_new: &[bool]) {
    let mut marks = pairs.iter().zip(is_new);
    for clash in clashes {
        clash.is_new = marks.find(|(pair, _)| **pair == clash.pair).map(|(_, is_new)| *is_new);
    }
}

/// Sorts clashes: the deepest first, then the nearest, then by ids.
pub fn sort(clashes: &mut [Clash], orders: &Orders<'_>) {
    clashes.sort_unstable_by(|one, other| {
        let by_depth = other.depth.total_cmp(&one.depth);
        let by_distance = by_depth.then(one.distance.total_cmp(&other.distance));
        by_distance.then_with(|| orders.ranks(one.pair).cmp(&orders.ranks(other.pair)))
    });
}
