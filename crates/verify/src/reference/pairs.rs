//! All pairs of one scene or of two.

use crate::reference::bodies::{collides, contact};
use crate::reference::distance::distance;
use crate::reference::separation::contact64;
use crate::reference::sphere::Sphere;
use crate::reference::sweep::{sweep, sweep64};
use obbligato::{Bodies, Obb, Obb64, Pair, contact::Contact, shape::Aabb};
use obbligato_support::parallel;

/// Returns every colliding pair, sorted and without duplicates. Touching counts, and the groups of
/// the records of both bodies must meet.
///
/// A sweep finds the pairs whose extents along the axes of the world overlap, and those are tested
/// in full; on all cores with the feature `rayon`. A million boxes of `uniform` take a few seconds.
pub fn colliding_pairs<'a>(bodies: impl Into<Bodies<'a>>) -> Vec<Pair> {
    contacts(bodies).into_iter().map(|(pair, _)| pair).collect()
}

/// Returns the pairs of [`colliding_pairs`], each classified as touching or overlapping.
pub fn contacts<'a>(bodies: impl Into<Bodies<'a>>) -> Vec<(Pair, Contact)> {
    let bodies = bodies.into();
    sweep(bodies, 0.0, |Pair { a, b }| {
        let (a, b) = (bodies.at(a), bodies.at(b));
        let meet = || Some(contact(a, b)).filter(|contact| contact.collides());
        a.groups_meet(b).then(meet).flatten()
    })
}

/// Returns the [`contacts`] of boxes with centers in `f64`.
pub fn contacts64(boxes: &[Obb64]) -> Vec<(Pair, Contact)> {
    sweep64(boxes, |Pair { a, b }| {
        let (a, b) = (&boxes[a as usize], &boxes[b as usize]);
        let meet = || Some(contact64(a, b)).filter(|contact| contact.collides());
        a.groups_meet(b).then(meet).flatten()
    })
}

/// Returns every colliding pair of a body in `scene` (a) and one in `movers` (b), sorted and
/// without duplicates; see [`colliding_pairs`].
///
/// O(scene x movers).
pub fn pairs_against<'a>(scene: impl Into<Bodies<'a>>, movers: impl Into<Bodies<'a>>) -> Vec<Pair> {
    let (scene, movers) = (scene.into(), movers.into());
    let spheres: Vec<Sphere> = (0..movers.len())
        .map(|id| Sphere::around(movers.at(id as u32)))
        .collect();
    gather(scene.len(), |i| {
        let own = scene.at(i as u32);
        let sphere = Sphere::around(own);
        (0..movers.len())
            .filter(|&j| sphere.reaches(&spheres[j]) && collides(own, movers.at(j as u32)))
            .map(|j| Pair {
                a: i as u32,
                b: j as u32,
            })
            .collect()
    })
}

/// Returns every pair of `bounds` that share a point, sorted and without duplicates.
///
/// In the order of their starts along x, the partners of each follow it, up to the first that
/// begins behind its end. O(n^2) for bounds that all overlap along x.
pub fn overlapping_bounds(bounds: &[Aabb]) -> Vec<Pair> {
    // Along each axis, the later start is not after the earlier end.
    let meet = |a: &Aabb, b: &Aabb| (0..3).all(|axis| a.min[axis].max(b.min[axis]) <= a.max[axis].min(b.max[axis]));
    let mut order: Vec<usize> = (0..bounds.len()).collect();
    order.sort_by(|&i, &j| bounds[i].min.x.total_cmp(&bounds[j].min.x));
    let mut pairs = gather(bounds.len(), |place| {
        let i = order[place];
        let others = order[place + 1..].iter();
        others
            .take_while(|&&j| bounds[j].min.x <= bounds[i].max.x)
            .filter(|&&j| meet(&bounds[i], &bounds[j]))
            .map(|&j| Pair::new(i.min(j) as u32, i.max(j) as u32))
            .collect()
    });
    pairs.sort_unstable();
    pairs
}

/// Returns every body that collides with body `index`, before or after it in their numbering,
/// ascending. O(n).
///
/// Empty if `index` is out of range.
pub fn partners<'a>(bodies: impl Into<Bodies<'a>>, index: usize) -> Vec<u32> {
    let bodies = bodies.into();
    if index >= bodies.len() {
        return Vec::new();
    }
    let own = bodies.at(index as u32);
    let sphere = Sphere::around(own);
    (0..bodies.len() as u32)
        .filter(|&other| other as usize != index && sphere.reaches(&Sphere::around(bodies.at(other))))
        .filter(|&other| collides(own, bodies.at(other)))
        .collect()
}

/// Returns every pair of boxes no further apart than `margin`, sorted, with its distance; the
/// groups of both boxes must meet.
///
/// A sweep as in [`colliding_pairs`], over extents that are wider by the margin.
pub fn pairs_within(boxes: &[Obb], margin: f64) -> Vec<(Pair, f64)> {
    sweep(boxes.into(), margin, |Pair { a, b }| {
        let (a, b) = (&boxes[a as usize], &boxes[b as usize]);
        let near = || Some(distance(a, b)).filter(|distance| *distance <= margin);
        a.groups_meet(b).then(near).flatten()
    })
}

/// Returns the results of `f` for `0..count`, concatenated in order, computed on all cores with the
/// feature `rayon`.
pub(crate) fn gather<T: Send>(count: usize, f: impl Fn(usize) -> Vec<T> + Sync + Send) -> Vec<T> {
    let parts = parallel::map_ranges_of(1, count, |range| range.flat_map(&f).collect::<Vec<T>>());
    parts.into_iter().flatten().collect()
}
