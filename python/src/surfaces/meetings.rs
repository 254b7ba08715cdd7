//! Surfaces that meet: lines that triangles have in common, and edges that pass through triangles.

use obbligato::glam::DVec3;
use rayon::prelude::*;

use super::prepared::Prepared;

/// Rays that are followed from the lines of a triangle and another mesh, at most.
const RAYS: usize = 8;
/// Triangles are parallel below this sine of their angle.
const PARALLEL: f64 = 1e-9;
/// In metres: corners that are no further from a plane are in it.
const FLAT: f64 = 1e-9;
/// In metres: where a ray begins, and surfaces that run through that.
const START: f64 = 1e-7;
/// Slower directions run along a plane.
const SLOW: f64 = 1e-12;

/// Triangles that share a point: the position of a pair of meshes, a triangle of the first one, and
/// one of the second.
#[derive(Clone, Copy)]
pub struct Meeting {
    pub pair: u32,
    pub first: u32,
    pub second: u32,
}

impl Meeting {
    /// The triangle first, by which those that the engine finds are sorted.
    fn key(&self) -> (u32, u32) {
        (self.first, self.pair)
    }

    fn swapped(self) -> Self {
        Self {
            first: self.second,
            second: self.first,
            ..self
        }
    }
}

/// Returns the meetings among pairs of triangles, which are places in two lists, whose meshes are
/// one of some pairs; `None` if there is no such place.
pub fn matched(meshes: &Prepared, found: &[[u32; 2]], lists: [&[u32]; 2], pairs: &[[u32; 2]]) -> Option<Vec<Meeting>> {
    let mut wanted: Vec<([u32; 2], u32)> = pairs.iter().copied().zip(0..).collect();
    wanted.sort_unstable();
    let mut all = Vec::with_capacity(found.len());
    let mut last = ([u32::MAX; 2], None);
    for &[a, b] in found {
        let (first, second) = (*lists[0].get(a as usize)?, *lists[1].get(b as usize)?);
        let owners = [first, second].map(|face| meshes.owners[face as usize]);
        if owners != last.0 {
            let place = wanted.binary_search_by_key(&owners, |one| one.0);
            last = (owners, place.ok().map(|at| wanted[at].1));
        }
        if let Some(pair) = last.1 {
            all.push(Meeting { pair, first, second });
        }
    }
    Some(all)
}

/// Returns for each of some pairs the middle of where its triangles may meet, or NaN if none do.
pub fn middles(meshes: &Prepared, all: &[Meeting], pairs: usize) -> Vec<DVec3> {
    let mut sums = vec![(DVec3::ZERO, 0_u32); pairs];
    for one in all {
        let [low, high] = meshes.extents[one.first as usize];
        let [other_low, other_high] = meshes.extents[one.second as usize];
        let (sum, count) = &mut sums[one.pair as usize];
        *sum += (low.max(other_low) + high.min(other_high)) / 2.0;
        *count += 1;
    }
    // 0 / 0 is NaN.
    sums.into_iter().map(|(sum, count)| sum / f64::from(count)).collect()
}

/// A point of the first mesh of a pair that may be in the second one: on a triangle, and no deeper
/// than `depth`.
pub struct Halfway {
    pub pair: u32,
    pub point: DVec3,
    pub depth: f64,
    pub face: u32,
}

/// The heights of the corners of a triangle above the plane of another.
pub fn levels(meshes: &Prepared, of: u32, over: u32) -> [f64; 3] {
    let (normal, plane) = (meshes.normals[over as usize], meshes.planes[over as usize]);
    meshes.corners[of as usize].map(|corner| corner.dot(normal) - plane)
}

pub fn least([a, b, c]: [f64; 3]) -> f64 {
    a.min(b).min(c)
}

pub fn most([a, b, c]: [f64; 3]) -> f64 {
    a.max(b).max(c)
}

/// Tests whether each of two triangles reaches behind the plane of the other, by more than the
/// tolerance. Where bodies overlap, the border of what they have in common runs along such
/// triangles. Of a mesh that is not oriented both sides count as behind.
pub fn enters(meshes: &Prepared, meeting: Meeting, tolerance: f64) -> bool {
    [meeting, meeting.swapped()].into_iter().all(|one| {
        let level = levels(meshes, one.first, one.second);
        let is_oriented = meshes.oriented[meshes.owners[one.second as usize] as usize];
        least(level) < -tolerance || (most(level) > tolerance && !is_oriented)
    })
}

/// Tests whether each of two triangles is on both sides of the other one's plane, by more than the
/// tolerance.
pub fn crosses(meshes: &Prepared, meeting: Meeting, tolerance: f64) -> bool {
    [meeting, meeting.swapped()].into_iter().all(|one| {
        let level = levels(meshes, one.first, one.second);
        least(level) < -tolerance && most(level) > tolerance
    })
}

/// The range that a triangle covers, along a direction, in a plane over which its corners have
/// these levels.
fn span(corners: &[DVec3; 3], level: [f64; 3], along: DVec3) -> [f64; 2] {
    let places = corners.map(|corner| corner.dot(along));
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut add = |place: f64| (low, high) = (low.min(place), high.max(place));
    for k in 0..3 {
        if level[k].abs() <= FLAT {
            add(places[k]);
        }
        let m = (k + 1) % 3;
        if level[k] * level[m] < 0.0 {
            let share = level[k] / (level[k] - level[m]);
            add(places[k] + share * (places[m] - places[k]));
        }
    }
    [low, high]
}

/// The middle and the direction of the line that triangles have in common, if it is more than a
/// point.
fn line(meshes: &Prepared, meeting: Meeting) -> Option<[DVec3; 2]> {
    let [first, second] = [meeting.first as usize, meeting.second as usize];
    let (mine, other) = (meshes.normals[first], meshes.normals[second]);
    let along = mine.cross(other);
    let sine = along.length();
    if sine <= PARALLEL {
        return None;
    }
    let along = along / sine;
    let over = levels(meshes, meeting.first, meeting.second);
    let under = levels(meshes, meeting.second, meeting.first);
    let own = span(&meshes.corners[first], over, along);
    let others = span(&meshes.corners[second], under, along);
    let (low, high) = (own[0].max(others[0]), own[1].min(others[1]));
    if !(high > low && low.is_finite() && high.is_finite()) {
        return None;
    }
    // A point of the line: in both planes, from the corner of the first triangle that is nearest to
    // the second plane.
    let closer = |best: usize, k: usize| if over[k].abs() < over[best].abs() { k } else { best };
    let nearest = [1, 2].into_iter().fold(0, closer);
    let inward = along.cross(mine);
    let slope = inward.dot(other);
    let step = if slope.abs() > SLOW { over[nearest] / slope } else { 0.0 };
    let start = meshes.corners[first][nearest] - step * inward;
    let middle = (low + high) / 2.0 - start.dot(along);
    Some([start + middle * along, along])
}

/// The distance that a ray within a triangle runs until it leaves it.
fn exit(meshes: &Prepared, face: u32, start: DVec3, towards: DVec3) -> f64 {
    let out = |&(side, place): &(DVec3, f64)| {
        let (speed, left) = (towards.dot(side), place - start.dot(side));
        if speed > SLOW { left / speed } else { f64::INFINITY }
    };
    let reach = meshes.rims[face as usize].iter().map(out).fold(f64::INFINITY, f64::min);
    reach.max(0.0)
}

/// Tests whether a point in the plane of a triangle is in it, or no further away than the slack.
fn is_within(meshes: &Prepared, point: DVec3, face: u32, slack: f64) -> bool {
    let rims = &meshes.rims[face as usize];
    rims.iter().all(|&(side, place)| point.dot(side) - place <= slack)
}

/// Returns how far a ray runs until it meets one of some triangles, other than where it starts.
fn first_hit(meshes: &Prepared, faces: impl Iterator<Item = u32>, [start, towards]: [DVec3; 2], slack: f64) -> f64 {
    let mut best = f64::INFINITY;
    for face in faces {
        let normal = meshes.normals[face as usize];
        let (speed, height) = (towards.dot(normal), meshes.planes[face as usize] - start.dot(normal));
        let at = if speed.abs() > SLOW {
            height / speed
        } else {
            f64::INFINITY
        };
        if at > slack && at < best && is_within(meshes, start + at * towards, face, slack) {
            best = at;
        }
    }
    best
}

/// Returns how far a ray runs until it meets a surface of a mesh, other than where it starts.
pub fn hit_along(meshes: &Prepared, mesh: u32, ray: [DVec3; 2], slack: f64) -> f64 {
    let faces = meshes.faces_of(mesh).map(|face| face as u32);
    first_hit(meshes, faces, ray, slack)
}

/// Returns points of the first meshes that may be in the second ones, from some of all meetings,
/// which have both meshes the other way round if `swapped`.
///
/// From the middle of each line, a ray in the first triangle runs to where it leaves the triangle
/// or the second mesh. Its middle is such a point.
pub fn halfway(meshes: &Prepared, all: &[Meeting], chosen: &[u32], swapped: bool) -> Vec<Halfway> {
    let turned = |meeting: Meeting| if swapped { meeting.swapped() } else { meeting };
    let with_line = |&row: &u32| {
        let meeting = turned(all[row as usize]);
        Some((meeting, line(meshes, meeting)?))
    };
    let lines: Vec<(Meeting, [DVec3; 2])> = chosen.par_iter().filter_map(with_line).collect();
    let mut is_asked = vec![false; meshes.faces.len()];
    lines.iter().for_each(|(one, _)| is_asked[one.first as usize] = true);
    let others = all.iter().copied().map(turned);
    let mut sorted: Vec<Meeting> = others.filter(|one| is_asked[one.first as usize]).collect();
    sorted.par_sort_unstable_by_key(Meeting::key);
    let follow = |meeting: Meeting, start: DVec3, towards: DVec3| {
        let key = meeting.key();
        let begin = sorted.partition_point(|other| other.key() < key);
        let others = sorted[begin..].iter().take_while(|other| other.key() == key);
        let met = first_hit(meshes, others.map(|other| other.second), [start, towards], START);
        let reach = exit(meshes, meeting.first, start, towards).min(met);
        let depth = if reach.is_finite() { reach / 2.0 } else { 0.0 };
        Halfway {
            pair: meeting.pair,
            point: start + depth * towards,
            depth,
            face: meeting.first,
        }
    };
    let followed = |&row: &usize| {
        let (meeting, [middle, along]) = lines[row];
        let towards = along.cross(meshes.normals[meeting.first as usize]);
        let slope = towards.dot(meshes.normals[meeting.second as usize]);
        let towards = if slope > 0.0 { -towards } else { towards };
        // A mesh that is not oriented may have its inside on the other side.
        let is_sure = meshes.oriented[meshes.owners[meeting.second as usize] as usize];
        let other = (!is_sure).then(|| follow(meeting, middle, -towards));
        (follow(meeting, middle, towards), other)
    };
    let both: Vec<(Halfway, Option<Halfway>)> = spread_out(&lines).par_iter().map(followed).collect();
    let (mut found, unsure): (Vec<Halfway>, Vec<Option<Halfway>>) = both.into_iter().unzip();
    found.extend(unsure.into_iter().flatten());
    found
}

/// Returns which of some lines are followed: of those of a triangle and a mesh a few, at equal
/// steps.
fn spread_out(lines: &[(Meeting, [DVec3; 2])]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|&row| lines[row].0.key());
    let groups = order.chunk_by(|&a, &b| lines[a].0.key() == lines[b].0.key());
    let mut kept: Vec<usize> = groups
        .flat_map(|group| group.iter().copied().step_by(group.len().div_ceil(RAYS)))
        .collect();
    kept.sort_unstable();
    kept
}

/// Returns pairs, and the edges of their first meshes that pass through a triangle of their second
/// ones, sorted. The meetings have both meshes the other way round if `swapped`.
pub fn crossings(meshes: &Prepared, all: &[Meeting], swapped: bool, slack: f64) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    for &meeting in all {
        let meeting = if swapped { meeting.swapped() } else { meeting };
        let level = levels(meshes, meeting.first, meeting.second);
        let corners = meshes.corners[meeting.first as usize];
        for k in 0..3 {
            let m = (k + 1) % 3;
            let (low, high) = (level[k].min(level[m]), level[k].max(level[m]));
            if low < -slack && high > slack {
                let share = level[k] / (level[k] - level[m]);
                let hit = corners[k] + share * (corners[m] - corners[k]);
                if is_within(meshes, hit, meeting.second, slack) {
                    found.push([meeting.pair, meshes.sides[meeting.first as usize][k]]);
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Tests whether a mesh has a connected part whose corners outside of another mesh are not
/// connected outside, given which are outside, and the edges that pass through the other mesh,
/// sorted.
pub fn falls_apart(meshes: &Prepared, mesh: u32, outside: &[bool], cut: &[[u32; 2]]) -> bool {
    let first = meshes.points_of(mesh).start as u32;
    let mut whole: Vec<u32> = (0..outside.len() as u32).collect();
    let mut parts = whole.clone();
    for edge in meshes.edges_of(mesh) {
        let [a, b] = meshes.edges[edge].map(|point| point - first);
        join(&mut whole, a, b);
        let is_cut = cut.binary_search_by_key(&(edge as u32), |one| one[1]).is_ok();
        if outside[a as usize] && outside[b as usize] && !is_cut {
            join(&mut parts, a, b);
        }
    }
    // The part of the first corner outside of each connected part.
    let mut part_of = vec![u32::MAX; outside.len()];
    (0..outside.len() as u32)
        .filter(|&point| outside[point as usize])
        .any(|point| {
            let part = root(&mut parts, point);
            let known = &mut part_of[root(&mut whole, point) as usize];
            let is_other = *known != u32::MAX && *known != part;
            *known = part;
            is_other
        })
}

/// The node that stands for all that are connected with a node.
fn root(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        let above = parents[parents[node as usize] as usize];
        parents[node as usize] = above;
        node = above;
    }
    node
}

fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parents, a), root(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}
