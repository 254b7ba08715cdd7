//! Points and triangles that are near, inside of, or deep in meshes.

use obbligato::Result;
use obbligato::glam::{DVec3, Vec3};
use obbligato::region::PointState;
use rayon::prelude::*;

use super::distances::{between_triangles, to_triangle};
use super::meetings::{Meeting, least, levels, most};
use super::prepared::Prepared;
use crate::regions::number_of_point;

/// In metres: distances that are this much beyond a limit are still found.
const BEYOND: f64 = 1e-6;
/// In metres: bounds of distances are off by less.
const OFF: f64 = 1e-9;
/// Points whose distances are computed in one round, of each pair.
const ROUND: usize = 16;
/// Triangles whose distances are computed in the first round of a pair, and in one round at most.
const FEW: usize = 4;
const MANY: usize = 1024;

/// The number of a state that is not known, because the mesh is not closed; others are those of
/// `ClosedMesh.locate`.
pub const UNKNOWN: i8 = 3;

/// Returns the triangles of one mesh of each pair that are no further from the bounds of the other,
/// its second mesh, than a margin: sorted, each once.
pub fn faces_in_reach(meshes: &Prepared, pairs: &[[u32; 2]], margin: f64) -> Vec<u32> {
    let mut marks = vec![false; meshes.faces.len()];
    for &[mesh, other] in pairs {
        let [low, high] = meshes.bounds_of(other);
        let (low, high) = (low - margin, high + margin);
        for face in meshes.faces_of(mesh) {
            let [lowest, highest] = meshes.extents[face];
            marks[face] |= highest.cmpge(low).all() && lowest.cmple(high).all();
        }
    }
    let marked = marks.iter().enumerate().filter(|(_, mark)| **mark);
    marked.map(|(face, _)| face as u32).collect()
}

/// Returns the points of one mesh of each pair that are within the bounds of its second mesh:
/// places in the list of pairs, and positions of points.
pub fn corners_in_reach(meshes: &Prepared, pairs: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let of_pair = |(row, &[mesh, other]): (usize, &[u32; 2])| {
        let [low, high] = meshes.bounds[other as usize];
        let near = move |&at: &usize| {
            let point = meshes.rounded[at];
            point.cmpge(low).all() && point.cmple(high).all()
        };
        let points = meshes.points_of(mesh).filter(near);
        points.map(move |at| [row as u32, at as u32])
    };
    pairs.iter().enumerate().flat_map(of_pair).collect()
}

/// Returns where each point is relative to its mesh: numbers of `ClosedMesh.locate`, or `UNKNOWN`.
pub fn states(meshes: &Prepared, points: &[DVec3], of: &[u32]) -> Result<Vec<i8>> {
    let is_near = |point: Vec3, mesh: u32| {
        let [low, high] = meshes.bounds[mesh as usize];
        point.cmpge(low).all() && point.cmple(high).all()
    };
    let rounded = points.par_iter().map(|point| point.as_vec3()).zip(of);
    // Each solid is made once, not by several threads at a time.
    let mut asked: Vec<u32> = rounded
        .clone()
        .filter_map(|(point, &mesh)| is_near(point, mesh).then_some(mesh))
        .collect();
    asked.sort_unstable();
    asked.dedup();
    asked.par_iter().try_for_each(|&mesh| meshes.closed(mesh).map(drop))?;
    let state = |(point, &mesh): (Vec3, &u32)| {
        if !is_near(point, mesh) {
            return Ok(number_of_point(PointState::Outside));
        }
        let solid = meshes.closed(mesh)?;
        Ok(solid.map_or(UNKNOWN, |solid| number_of_point(solid.locate(point))))
    };
    rounded.map(state).collect()
}

/// Returns the distance of a point to the surface of a mesh, and its closest point; infinity if it
/// is beyond a limit.
pub fn to_surface(meshes: &Prepared, point: DVec3, mesh: u32, limit: f64) -> (f64, DVec3) {
    let mut reach = limit + BEYOND;
    let (mut best, mut closest) = (f64::INFINITY, DVec3::ZERO);
    for face in meshes.faces_of(mesh) {
        let [low, high] = meshes.extents[face];
        if point.cmpge(low - reach).all() && point.cmple(high + reach).all() {
            let (far, on) = to_triangle(point, &meshes.corners[face]);
            if far < best {
                (best, closest) = (far, on);
                reach = reach.min(far + BEYOND);
            }
        }
    }
    (best, closest)
}

/// A point of a pair that is inside of a mesh, no deeper than `limit`.
#[derive(Clone, Copy)]
pub struct Inside {
    pub pair: u32,
    pub point: DVec3,
    pub mesh: u32,
    pub limit: f64,
}

/// The deepest of some points.
pub struct Deepest {
    /// Its place in the list of points.
    pub place: usize,
    pub depth: f64,
    /// The closest point of the surface.
    pub on: DVec3,
}

/// Returns for each pair that has points the deepest one.
///
/// Those with the highest limits are examined first, and the others of a pair as long as they may
/// be deeper.
pub fn deepest(meshes: &Prepared, points: &[Inside]) -> Vec<Deepest> {
    let limited = |one: &Inside| {
        let [low, high] = meshes.bounds_of(one.mesh);
        let side = (one.point - low).min(high - one.point).min_element();
        one.limit.min(side)
    };
    let limits: Vec<f64> = points.par_iter().map(limited).collect();
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        let pairs = points[a].pair.cmp(&points[b].pair);
        pairs.then(limits[b].total_cmp(&limits[a]))
    });
    let groups: Vec<&[usize]> = order.chunk_by(|&a, &b| points[a].pair == points[b].pair).collect();
    groups
        .into_par_iter()
        .map(|group| deepest_of(meshes, points, &limits, group))
        .collect()
}

/// Returns the deepest of the points of a pair, which are in descending order of their limits.
fn deepest_of(meshes: &Prepared, points: &[Inside], limits: &[f64], group: &[usize]) -> Deepest {
    let mut best = Deepest {
        place: group[0],
        depth: 0.0,
        on: DVec3::ZERO,
    };
    let (mut done, mut step) = (0, 1);
    while done < group.len() && limits[group[done]].max(0.0) > best.depth {
        let end = group.len().min(done + step);
        for &place in &group[done..end] {
            let one = &points[place];
            let (far, on) = to_surface(meshes, one.point, one.mesh, limits[place].max(0.0));
            if far > best.depth {
                best = Deepest { place, depth: far, on };
            }
        }
        (done, step) = (end, (step * 2).min(ROUND));
    }
    best
}

/// The shortest distance of two meshes, and the closest points of both.
pub struct Nearest {
    pub pair: u32,
    pub distance: f64,
    pub on: [DVec3; 2],
}

/// Returns for each pair that is no further apart than its clearance the shortest distance, given
/// triangles that may be that near.
pub fn nearest(meshes: &Prepared, candidates: &[Meeting], clearances: &[f64]) -> Vec<Nearest> {
    let with_gap = |one: &Meeting| {
        let gap = gap(meshes, *one);
        (gap <= clearances[one.pair as usize]).then_some((*one, gap))
    };
    let mut near: Vec<(Meeting, f64)> = candidates.par_iter().filter_map(with_gap).collect();
    near.par_sort_by(|(a, gap), (b, other)| a.pair.cmp(&b.pair).then(gap.total_cmp(other)));
    let groups: Vec<&[(Meeting, f64)]> = near.chunk_by(|a, b| a.0.pair == b.0.pair).collect();
    let of_pair = |group: &[(Meeting, f64)]| nearest_of(meshes, group, clearances[group[0].0.pair as usize]);
    groups.into_par_iter().filter_map(of_pair).collect()
}

/// A distance that that of two triangles is no less than.
fn gap(meshes: &Prepared, meeting: Meeting) -> f64 {
    let [low, high] = meshes.extents[meeting.first as usize];
    let [other_low, other_high] = meshes.extents[meeting.second as usize];
    let apart = (other_low - high).max(low - other_high).max(DVec3::ZERO);
    let beyond = |of: u32, over: u32| {
        let level = levels(meshes, of, over);
        least(level).max(-most(level))
    };
    let (first, second) = (meeting.first, meeting.second);
    let gap = apart.length().max(beyond(first, second)).max(beyond(second, first));
    // Heights are off by rounding errors.
    (gap - OFF).max(0.0)
}

/// Returns the shortest distance of the triangles of a pair, which are in ascending order of their
/// gaps.
fn nearest_of(meshes: &Prepared, group: &[(Meeting, f64)], clearance: f64) -> Option<Nearest> {
    let (mut best, mut found) = (clearance, None);
    let (mut done, mut step) = (0, FEW);
    while done < group.len() && group[done].1 <= best {
        let end = group.len().min(done + step);
        let mut round: Option<Nearest> = None;
        for (meeting, _) in &group[done..end] {
            let [a, b] = [meeting.first, meeting.second].map(|face| &meshes.corners[face as usize]);
            let (distance, on) = between_triangles(a, b);
            if round.as_ref().is_none_or(|one| distance < one.distance) {
                let pair = meeting.pair;
                round = Some(Nearest { pair, distance, on });
            }
        }
        if let Some(one) = round.filter(|one| one.distance <= best) {
            best = one.distance;
            found = Some(one);
        }
        (done, step) = (end, (step * 4).min(MANY));
    }
    found
}
