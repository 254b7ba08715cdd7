//! Twin of `shaders/narrow_phase/triangle_triangle/triangle_pairs.wgsl`: tests two triangles in
//! `f32` with three answers, as many pairs at a time as the machine has lanes. The formulas are in
//! [`filter`](super::filter).

use bytemuck::Zeroable;
use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::geometry::pair::Pair;
use crate::narrow_phase::triangle_triangle::filter::{AREA_ERROR, FLUSH, VOLUME_ERROR};
use crate::narrow_phase::triangle_triangle::neighbours_cpu::{Common, test_neighbours};
use crate::narrow_phase::triangle_triangle::vectors::{
    Masks, Plan, UNIT, Vectors, cross, difference, dot, scale_of, size,
};
use crate::shapes::triangle::lanes::TriangleLanes;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::set::{Neighbours, Triangles};

/// The decisions of `f32` about some pairs, one bit each. Pairs that do not count, or are
/// separated, have neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdicts {
    /// The triangles share a point.
    pub meeting: u32,
    /// Rounding may have changed the answer.
    pub undecided: u32,
}

/// Tests `pairs` of these triangles, and calls `found` with batches of pairs and their verdicts. A
/// pair may be in two batches, but has a verdict in at most one. The verdict of a pair does not
/// depend on the others.
#[inline]
pub(crate) fn triangle_pairs(triangles: Triangles<'_>, pairs: &[Pair], found: impl FnMut(&[Pair], Verdicts)) {
    dispatch!(lanes::level(), simd => test_all(simd, triangles, pairs, found));
}

#[inline(always)]
fn test_all<S: Simd>(simd: S, triangles: Triangles<'_>, pairs: &[Pair], mut found: impl FnMut(&[Pair], Verdicts)) {
    let list = triangles.list;
    let mut waiting = Waiting {
        pairs: [Pair::zeroed(); MOST_LANES],
        count: 0,
    };
    for chunk in pairs.chunks(S::f32s::LEN) {
        let [a, b] = gather(simd, list, chunk);
        let common = Common::of(&a, &b);
        let neighbours = common.any();
        let mut certain = of_neighbours(simd, triangles.neighbours, &a, &b, &common);
        let mut asked = !0u32 >> (32 - chunk.len());
        let others = asked & !(neighbours.to_bitmask() as u32);
        if others.count_ones() as usize > chunk.len() / 2 {
            let answer = test(simd, &a, &b, neighbours);
            certain.separated |= !neighbours & answer.separated;
            certain.meeting |= !neighbours & answer.meeting;
        } else {
            asked &= !others;
        }
        if asked != 0 {
            found(chunk, certain.verdicts(asked));
        }
        let mut left = others & !asked;
        while left != 0 {
            waiting.pairs[waiting.count] = chunk[left.trailing_zeros() as usize];
            waiting.count += 1;
            left &= left - 1;
            if waiting.count == S::f32s::LEN {
                waiting.test(simd, list, &mut found);
            }
        }
    }
    waiting.test(simd, list, &mut found);
}

/// The number of lanes of the widest vectors.
const MOST_LANES: usize = 16;

/// Pairs without a common corner that wait until they fill all lanes. In a mesh they are few among
/// neighbours, and their test is the longer one.
struct Waiting {
    pairs: [Pair; MOST_LANES],
    count: usize,
}

impl Waiting {
    #[inline(always)]
    fn test<S: Simd>(&mut self, simd: S, list: &[Triangle], found: &mut impl FnMut(&[Pair], Verdicts)) {
        let pairs = &self.pairs[..self.count];
        if pairs.is_empty() {
            return;
        }
        let [a, b] = gather(simd, list, pairs);
        let none = S::mask32s::splat(simd, false);
        let certain = test(simd, &a, &b, none);
        found(pairs, certain.verdicts(!0u32 >> (32 - pairs.len())));
        self.count = 0;
    }
}

/// Returns the triangles of some pairs, at most as many as there are lanes. Lanes beyond them have
/// copies of the last pair, whose answers are ignored.
#[inline(always)]
fn gather<S: Simd>(simd: S, list: &[Triangle], pairs: &[Pair]) -> [TriangleLanes<S>; 2] {
    let pair = |lane: usize| pairs[lane.min(pairs.len() - 1)];
    [
        TriangleLanes::gather(simd, |lane| &list[pair(lane).a as usize]),
        TriangleLanes::gather(simd, |lane| &list[pair(lane).b as usize]),
    ]
}

/// Returns the certain answers for pairs with a common corner, as far as these count. Nothing is
/// certain about other pairs.
#[inline(always)]
fn of_neighbours<S: Simd>(
    simd: S,
    counted: Neighbours,
    a: &TriangleLanes<S>,
    b: &TriangleLanes<S>,
    common: &Common<S>,
) -> Masks<S> {
    let neighbours = common.any();
    let none = S::mask32s::splat(simd, false);
    let (separated, meeting) = match counted {
        Neighbours::All => (none, neighbours),
        Neighbours::None => (neighbours, none),
        Neighbours::Crossing if neighbours.any_true() => {
            let answer = test_neighbours(simd, a, b, common);
            (neighbours & answer.separated, neighbours & answer.meeting)
        }
        Neighbours::Crossing => (none, none),
    };
    Masks { separated, meeting }
}

impl<S: Simd> Masks<S> {
    /// Returns the verdicts of the pairs in `asked`, one bit each.
    #[inline(always)]
    fn verdicts(&self, asked: u32) -> Verdicts {
        let near = asked & !(self.separated.to_bitmask() as u32);
        let meeting = self.meeting.to_bitmask() as u32;
        Verdicts {
            meeting: near & meeting,
            undecided: near & !meeting,
        }
    }
}

/// Tests pairs, one per lane. Answers for pairs in `settled` do not matter.
#[inline(always)]
fn test<S: Simd>(simd: S, a: &TriangleLanes<S>, b: &TriangleLanes<S>, settled: S::mask32s) -> Masks<S> {
    let [p, q] = scaled(simd, &a.corners, &b.corners);
    let (of_a, _) = heights::<S>(&p, &q);
    let (of_b, normal) = heights::<S>(&q, &p);
    let mut separated: S::mask32s = of_a.apart() | of_b.apart();
    let mut meeting = settled & !settled;
    let crossing: S::mask32s = of_a.are_clear() & of_b.are_clear() & !separated;
    if (crossing & !settled).any_true() {
        let masks = intervals::<S>(&p, &q, &of_a, &of_b);
        separated |= crossing & masks.separated;
        meeting = crossing & masks.meeting;
    }
    let open: S::mask32s = !(settled | separated | meeting);
    if open.any_true() {
        separated |= open & separated_in_plan(simd, &p, &q, normal);
    }
    Masks { separated, meeting }
}

/// Returns the corners in units of about the largest of some differences.
#[inline(always)]
fn scaled<S: Simd>(simd: S, a: &[Vectors<S>; 3], b: &[Vectors<S>; 3]) -> [[Vectors<S>; 3]; 2] {
    let from = |corner: Vectors<S>| size(difference(corner, a[0]));
    let of_a = from(a[1]).max(from(a[2]));
    let scale = scale_of(simd, from(b[0]).max(from(b[1])).max(from(b[2])).max(of_a));
    let times = |corners: &[Vectors<S>; 3]| axes!(|i| axes!(|k| corners[i][k] * scale));
    [times(a), times(b)]
}

/// The sides of the plane of a triangle on which the corners of another are.
struct Heights<S: Simd> {
    /// Those certainly above it.
    above: [S::mask32s; 3],
    /// Those certainly below it.
    below: [S::mask32s; 3],
}

impl<S: Simd> Heights<S> {
    /// Returns the lanes in which all are on one side.
    #[inline(always)]
    fn apart(&self) -> S::mask32s {
        let ([a, b, c], [d, e, f]) = (self.above, self.below);
        (a & b & c) | (d & e & f)
    }

    /// Returns the lanes in which none may be in the plane.
    #[inline(always)]
    fn are_clear(&self) -> S::mask32s {
        let clear = axes!(|i| self.above[i] | self.below[i]);
        clear[0] & clear[1] & clear[2]
    }
}

/// Returns the heights of the corners `p` over the plane of `q`, and the normal of that plane.
#[inline(always)]
fn heights<S: Simd>(p: &[Vectors<S>; 3], q: &[Vectors<S>; 3]) -> (Heights<S>, Vectors<S>) {
    let (e, f) = (difference(q[1], q[0]), difference(q[2], q[0]));
    let normal = cross(e, f);
    let d = axes!(|i| difference(p[i], q[0]));
    let farthest = size(d[0]).max(size(d[1])).max(size(d[2]));
    let error = size(e) * size(f) * farthest * (VOLUME_ERROR * UNIT) + FLUSH;
    let height = axes!(|i| dot(normal, d[i]));
    let heights = Heights {
        above: axes!(|i| height[i].simd_gt(error)),
        below: axes!(|i| height[i].simd_lt(-error)),
    };
    (heights, normal)
}

/// A triangle with its corners in cyclic order from the one that is alone on its side of a plane.
struct FromLone<S: Simd> {
    corners: [Vectors<S>; 3],
    is_above: S::mask32s,
}

impl<S: Simd> FromLone<S> {
    #[inline(always)]
    fn of(corners: &[Vectors<S>; 3], Heights { above, .. }: &Heights<S>) -> Self {
        // If two corners are on one side, the third is the lone one.
        let is_first = !(above[1] ^ above[2]);
        let is_second = !(above[2] ^ above[0]) & !is_first;
        let corner = |first: Vectors<S>, second: Vectors<S>, third: Vectors<S>| {
            axes!(|k| is_first.select(first[k], is_second.select(second[k], third[k])))
        };
        let [a, b, c] = *corners;
        Self {
            corners: [corner(a, b, c), corner(b, c, a), corner(c, a, b)],
            is_above: (is_first & above[0]) | (is_second & above[1]) | (!(is_first | is_second) & above[2]),
        }
    }

    /// Returns the second corner and the third, or the reverse if swapped.
    #[inline(always)]
    fn others(&self, swapped: S::mask32s) -> [Vectors<S>; 2] {
        let [_, q, r] = self.corners;
        [
            axes!(|k| swapped.select(r[k], q[k])),
            axes!(|k| swapped.select(q[k], r[k])),
        ]
    }
}

/// Tests whether the intervals overlap in which both meet the line on which their planes cross.
#[inline(always)]
fn intervals<S: Simd>(p: &[Vectors<S>; 3], q: &[Vectors<S>; 3], of_p: &Heights<S>, of_q: &Heights<S>) -> Masks<S> {
    let (a, b) = (FromLone::<S>::of(p, of_p), FromLone::<S>::of(q, of_q));
    let of_a = a.others(!b.is_above);
    let of_b = b.others(!a.is_above);
    let v = difference(b.corners[0], a.corners[0]);
    let volume = |k: usize| {
        let e = difference(of_a[k], a.corners[0]);
        let f = difference(of_b[k], b.corners[0]);
        let error = size(v) * size(e) * size(f) * (VOLUME_ERROR * UNIT) + FLUSH;
        (dot(v, cross(e, f)), error)
    };
    let ((begin, error), (end, error_of_end)) = (volume(0), volume(1));
    Masks {
        separated: begin.simd_lt(-error) | end.simd_gt(error_of_end),
        meeting: begin.simd_gt(error) & end.simd_lt(-error_of_end),
    }
}

/// Returns the lanes in which an edge separates them, seen along the axis of the largest component
/// of the normal of one.
#[inline(always)]
fn separated_in_plan<S: Simd>(simd: S, p: &[Vectors<S>; 3], q: &[Vectors<S>; 3], normal: Vectors<S>) -> S::mask32s {
    let zero = S::f32s::splat(simd, 0.0);
    let plan = Plan::<S>::along(normal);
    let (p, q) = (axes!(|i| plan.seen(p[i])), axes!(|i| plan.seen(q[i])));
    let beside = |p: [[S::f32s; 2]; 3], q: [[S::f32s; 2]; 3]| {
        let beyond = axes!(|i| {
            let (from, to, opposite) = (p[i], p[(i + 1) % 3], p[(i + 2) % 3]);
            let e = [to[0] - from[0], to[1] - from[1]];
            let error = e[0].abs().max(e[1].abs()) * (AREA_ERROR * UNIT) + FLUSH;
            // The triangle's own area is computed from this edge too: from another edge it would
            // have another error.
            let own = e[0] * (opposite[1] - from[1]) - e[1] * (opposite[0] - from[0]);
            let area = axes!(|j| e[0] * (q[j][1] - from[1]) - e[1] * (q[j][0] - from[0]));
            let least = area[0].min(area[1]).min(area[2]);
            let largest = area[0].max(area[1]).max(area[2]);
            least.simd_gt(own.max(zero) + error) | largest.simd_lt(own.min(zero) - error)
        });
        beyond[0] | beyond[1] | beyond[2]
    };
    beside(p, q) | beside(q, p)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::split_mix::SplitMix;

    /// Tests the pairs of triangles 0 and 1, 2 and 3, and so on. Returns the number of those that
    /// meet, and of those that are undecided. Fails if an answer is wrong.
    fn tested(list: &[Triangle]) -> [usize; 2] {
        let triangles = Triangles {
            list,
            neighbours: Neighbours::All,
        };
        let pairs: Vec<Pair> = (0..list.len() as u32).step_by(2).map(|a| Pair::new(a, a + 1)).collect();
        let mut answers = vec![[false; 2]; pairs.len()];
        triangle_pairs(triangles, &pairs, |batch, verdicts| {
            for (bit, pair) in batch.iter().enumerate() {
                let found = [verdicts.meeting, verdicts.undecided].map(|bits| bits >> bit & 1 == 1);
                let answer = &mut answers[pair.a as usize / 2];
                assert!(*answer == [false; 2] || found == [false; 2], "{pair:?} twice");
                *answer = [answer[0] | found[0], answer[1] | found[1]];
            }
        });
        let mut counts = [0; 2];
        for (pair, [meeting, undecided]) in pairs.iter().zip(answers) {
            let [a, b] = [pair.a, pair.b].map(|id| list[id as usize]);
            let meet = a.meets(&b);
            assert!(undecided || meeting == meet, "{a:?} {b:?} {meet}");
            counts[0] += usize::from(meet);
            counts[1] += usize::from(undecided);
        }
        counts
    }

    fn triangles(count: usize, mut corner: impl FnMut(usize) -> Vec3) -> Vec<Triangle> {
        (0..count)
            .map(|k| Triangle::new(corner(k), corner(k), corner(k)))
            .collect()
    }

    #[test]
    fn f32_decides_nearly_all_pairs_and_never_wrongly() {
        let mut random = SplitMix(1);
        let mut unit = || random.unit() as f32 * 2.0 - 1.0;
        let mut point = |size: f32| Vec3::new(unit(), unit(), unit()) * size;
        // Anywhere, all scales; small next to large; far from the origin, where few digits are
        // left.
        let anywhere = triangles(200_000, |k| point(2f32.powi((k / 2 % 120) as i32 - 60)));
        let [meeting, undecided] = tested(&anywhere);
        assert!(meeting > 10_000 && undecided < 20, "{meeting} {undecided}");
        let unequal = triangles(200_000, |k| point(if k % 2 == 0 { 1.0 } else { 1e-3 }));
        let [meeting, undecided] = tested(&unequal);
        assert!(meeting > 20 && undecided < 1_000, "{meeting} {undecided}");
        let far = triangles(200_000, |_| Vec3::splat(1e6) + point(4.0));
        let [meeting, undecided] = tested(&far);
        assert!(meeting > 10_000 && undecided < 1_000, "{meeting} {undecided}");
        // In one plane: the plan decides.
        let flat = triangles(200_000, |_| point(1.0) * Vec3::new(1.0, 1.0, 0.0));
        let [meeting, undecided] = tested(&flat);
        assert!(meeting > 10_000 && undecided < meeting + 1_000, "{meeting} {undecided}");
    }

    #[test]
    fn exact_contacts_are_undecided_and_neighbours_are_not() {
        let mut random = SplitMix(2);
        for size in [1, 2, 4, 40] {
            let mut at = || (random.next() % (size + 1)) as f32;
            let [meeting, undecided] = tested(&triangles(100_000, |_| Vec3::new(at(), at(), at())));
            assert!(meeting > 5_000 && undecided < 25_000, "{size}: {meeting} {undecided}");
        }
        let [a, b] = [
            Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y),
            Triangle::new(Vec3::Z, -Vec3::ZERO, Vec3::ONE),
        ];
        assert_eq!(tested(&[a, b]), [1, 0]);
        let mesh = Triangles {
            list: &[a, b],
            neighbours: Neighbours::None,
        };
        triangle_pairs(mesh, &[Pair::new(0, 1)], |_, verdicts| {
            assert_eq!(
                verdicts,
                Verdicts {
                    meeting: 0,
                    undecided: 0
                }
            );
        });
    }
}
