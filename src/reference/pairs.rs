//! All pairs: every box is held against every other.

use crate::base::parallel;
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::reference::distance::distance;
use crate::reference::separation::{collides, contact};
use crate::reference::sphere::Sphere;
use crate::shapes::obb::record::Obb;

/// Every colliding pair, sorted, each once; touching counts, and the groups of both boxes must meet.
///
/// O(n^2) pairs, of which only those with overlapping bounding spheres are tested in full; on all cores with the
/// feature `rayon`.
pub fn colliding_pairs(boxes: &[Obb]) -> Vec<Pair> {
    contacts(boxes).into_iter().map(|(pair, _)| pair).collect()
}

/// [`colliding_pairs`], with whether each pair touches or overlaps.
pub fn contacts(boxes: &[Obb]) -> Vec<(Pair, Contact)> {
    let spheres: Vec<Sphere> = boxes.iter().map(Sphere::around).collect();
    gather(boxes.len(), |i| {
        (i + 1..boxes.len())
            .filter(|&j| spheres[i].reaches(&spheres[j]) && boxes[i].groups_meet(&boxes[j]))
            .map(|j| (Pair::new(i as u32, j as u32), contact(&boxes[i], &boxes[j])))
            .filter(|(_, contact)| contact.collides())
            .collect()
    })
}

/// Every colliding pair of a box in `scene` (a) and one in `movers` (b), sorted, each once; see [`colliding_pairs`].
///
/// O(scene x movers).
pub fn pairs_against(scene: &[Obb], movers: &[Obb]) -> Vec<Pair> {
    let spheres: Vec<Sphere> = movers.iter().map(Sphere::around).collect();
    gather(scene.len(), |i| {
        let sphere = Sphere::around(&scene[i]);
        (0..movers.len())
            .filter(|&j| sphere.reaches(&spheres[j]) && collides(&scene[i], &movers[j]))
            .map(|j| Pair {
                a: i as u32,
                b: j as u32,
            })
            .collect()
    })
}

/// Every pair of `bounds` that shares a point, sorted, each once. O(n^2).
pub fn overlapping_bounds(bounds: &[Aabb]) -> Vec<Pair> {
    // Along each axis, the later start is not after the earlier end.
    let meet = |a: &Aabb, b: &Aabb| (0..3).all(|axis| a.min[axis].max(b.min[axis]) <= a.max[axis].min(b.max[axis]));
    gather(bounds.len(), |i| {
        (i + 1..bounds.len())
            .filter(|&j| meet(&bounds[i], &bounds[j]))
            .map(|j| Pair::new(i as u32, j as u32))
            .collect()
    })
}

/// Every box that collides with box `index`, before or after it in the slice, ascending. O(n).
///
/// Empty if `index` is out of range.
pub fn partners(boxes: &[Obb], index: usize) -> Vec<u32> {
    let Some(own) = boxes.get(index) else {
        return Vec::new();
    };
    let sphere = Sphere::around(own);
    (0..boxes.len())
        .filter(|&other| other != index && sphere.reaches(&Sphere::around(&boxes[other])))
        .filter(|&other| collides(own, &boxes[other]))
        .map(|other| other as u32)
        .collect()
}

/// Every pair of boxes no further apart than `margin`, sorted, with its distance; the groups of both boxes must meet.
///
/// O(n^2) pairs, of which only those with bounding spheres within the margin are tested in full.
pub fn pairs_within(boxes: &[Obb], margin: f64) -> Vec<(Pair, f64)> {
    let spheres: Vec<Sphere> = boxes
        .iter()
        .map(|solid| Sphere::around(solid).widened(margin / 2.0))
        .collect();
    gather(boxes.len(), |i| {
        (i + 1..boxes.len())
            .filter(|&j| spheres[i].reaches(&spheres[j]) && boxes[i].groups_meet(&boxes[j]))
            .map(|j| (Pair::new(i as u32, j as u32), distance(&boxes[i], &boxes[j])))
            .filter(|&(_, distance)| distance <= margin)
            .collect()
    })
}

/// The results of `f` for `0..count`, concatenated in order, computed on all cores with the feature `rayon`.
pub(crate) fn gather<T: Send>(count: usize, f: impl Fn(usize) -> Vec<T> + Sync + Send) -> Vec<T> {
    let parts = parallel::map_ranges_of(1, count, |range| range.flat_map(&f).collect::<Vec<T>>());
    parts.into_iter().flatten().collect()
}
