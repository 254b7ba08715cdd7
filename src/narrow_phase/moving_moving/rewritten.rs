//! Tests the error bound of the 21 axes of `moving_sat.wgsl`, rewritten as a compiler with fast
//! math may do it ([`rewriting`](crate::base::rewriting)).
//!
//! Only the answer "apart" must be true, so only gaps that come out too wide count. Errors of a
//! record's own numbers are not tested here.

use crate::base::rewriting::Formula;
use crate::base::split_mix::SplitMix;
use crate::geometry::rotation::others;
use crate::made_up;
use crate::narrow_phase::moving_moving::moving_sat_cpu::{FLUSH_ERROR, LEAST_WAY, SIZE_ERROR, WAY_ERROR};
use crate::narrow_phase::obb_obb::rewritten::{Named, matrix, relative, value_of};

use Formula::Sum;

type Vector = [Formula; 3];

/// The parameters of a trial.
#[derive(Clone, Copy)]
struct Trial {
    /// The divisor of the parts of E.
    divisor: f32,
    /// Set if the differences of both records are fenced.
    fenced: bool,
}

/// The numbers of two records.
struct Records {
    centers: [Vector; 2],
    halves: [Vector; 2],
    rotations: [[Formula; 4]; 2],
    paths: [Vector; 2],
    bends: [Vector; 2],
}

impl Records {
    /// Returns boxes that are hard to decide, with displacements of all lengths, which may be
    /// almost common to both.
    fn hard(index: u64, named: &mut Named<'_>) -> Self {
        let (a, b) = made_up::pair(index, 21);
        let size = (b.center - a.center).abs().element_sum() + (a.half_extents + b.half_extents).element_sum();
        let mut way = |most: f32| [0; 3].map(|_| (2.0 * named.0.unit() - 1.0) as f32 * most);
        let mut ways = |part: f32| {
            let most = size.clamp(1e-25, 1e25) * part;
            let common = way(if index.is_multiple_of(2) { 1e3 * most } else { 0.0 });
            [0; 2].map(|_| {
                let own = way(most);
                std::array::from_fn(|k| common[k] + own[k])
            })
        };
        let parts = [0.0, 0.01, 1.0, 50.0];
        let [paths, bends] = [13, 52].map(|every| ways(parts[(index / every % 4) as usize]));
        let boxes = [a, b];
        Self {
            centers: boxes.map(|obb| named.numbers(obb.center.to_array())),
            halves: boxes.map(|obb| named.numbers(obb.half_extents.to_array())),
            rotations: boxes.map(|obb| named.numbers(obb.rotation.to_array())),
            paths: paths.map(|path| named.numbers(path)),
            bends: bends.map(|bend| named.numbers(bend)),
        }
    }
}

/// The terms from which the axes are computed.
struct Terms {
    t: Vector,
    chord: Vector,
    bulge: Vector,
    g_a: Vector,
    g_b: Vector,
    /// The columns of C.
    c: [Vector; 3],
    s: Formula,
}

/// The origin of fenced numbers: differences of the records, or others.
#[derive(PartialEq)]
enum Fence {
    Differences,
    Others,
}

impl Terms {
    fn new(records: &Records, mut fence: impl FnMut(Vector, Fence) -> Vector) -> Self {
        let minus = |[a, b]: &[Vector; 2]| -> Vector { map(|k| b[k].clone().minus(a[k].clone())) };
        let constant = Formula::constant;
        let d = fence(minus(&records.centers), Fence::Differences);
        let p = fence(minus(&records.paths), Fence::Differences);
        let g = fence(minus(&records.bends), Fence::Differences);
        let part = |of: &Vector, k: usize, factor: f32| constant(factor).times(of[k].clone());
        let middle = map(|k| Sum(vec![d[k].clone(), part(&p, k, 0.5), part(&g, k, 0.375)]));
        let middle = fence(middle, Fence::Differences);
        let chord = fence(map(|k| part(&p, k, 0.5).plus(part(&g, k, 0.5))), Fence::Differences);
        let [q_a, q_b] = &records.rotations;
        let (rows, n) = matrix(q_a.clone());
        let mut into_frame = |v: Vector| {
            let turned = map(|i| Sum((0..3).map(|k| rows[k][i].clone().times(v[k].clone())).collect()));
            fence(turned, Fence::Others)
        };
        let t = into_frame(middle);
        let chord = into_frame(chord);
        let bulge = into_frame(map(|k| part(&g, k, 0.125)));
        let [n, ..] = fence([n, constant(0.0), constant(0.0)], Fence::Others);
        let [x, y, z, w] = relative(q_a, q_b);
        let [x, y, z] = fence([x, y, z], Fence::Others);
        let [w, ..] = fence([w, constant(0.0), constant(0.0)], Fence::Others);
        let (rows, s) = matrix([x, y, z, w]);
        let scaled = |half: &Vector| map(|k| n.clone().times(half[k].clone()));
        Self {
            t,
            chord,
            bulge,
            g_a: scaled(&records.halves[0]),
            g_b: scaled(&records.halves[1]),
            c: [0, 1, 2].map(|j| map(|i| rows[i][j].clone())),
            s,
        }
    }

    /// Returns the distance along an axis less the part that the motion takes of it; `along`
    /// projects a vector.
    fn gap(&self, along: impl Fn(&Vector) -> Formula) -> Formula {
        let way = [&self.chord, &self.bulge].map(|v| along(v).abs().negated());
        Sum(std::iter::once(along(&self.t).abs()).chain(way).collect())
    }

    /// Returns F of all axes, with `v` along the displacement.
    fn gaps(&self, v: &Vector) -> Vec<Formula> {
        let (s, c) = (&self.s, &self.c);
        let by = |a: &Formula, b: Formula| a.clone().times(b).negated();
        let abs = |j: usize, i: usize| c[j][i].clone().abs();
        let mut gaps = Vec::new();
        for i in 0..3 {
            let [i1, i2] = others(i);
            let own = self.gap(|x| x[i].clone()).minus(self.g_a[i].clone());
            let radii = (0..3).map(|j| by(&self.g_b[j], abs(j, i)));
            gaps.push(Sum(std::iter::once(s.clone().times(own)).chain(radii).collect()));

            let radii = (0..3).map(|k| by(&self.g_a[k], abs(i, k)));
            let own = [self.gap(|x| dot(x, &c[i])), by(s, self.g_b[i].clone())];
            gaps.push(Sum(own.into_iter().chain(radii).collect()));

            let across = [
                self.gap(|x| cross(v, x, i)),
                by(&self.g_a[i1], v[i2].clone().abs()),
                by(&self.g_a[i2], v[i1].clone().abs()),
            ];
            let across = s.clone().times(Sum(across.to_vec()));
            let radii = (0..3).map(|j| by(&self.g_b[j], cross(v, &c[j], i).abs()));
            gaps.push(Sum(std::iter::once(across).chain(radii).collect()));

            let turned = |x: &Vector| dot(&map(|k| cross(v, x, k)), &c[i]);
            let radii = (0..3).map(|k| by(&self.g_a[k], cross(v, &c[i], k).abs()));
            let own = [
                self.gap(turned),
                by(&self.g_b[i1], dot(v, &c[i2]).abs()),
                by(&self.g_b[i2], dot(v, &c[i1]).abs()),
            ];
            gaps.push(Sum(own.into_iter().chain(radii).collect()));

            for (j, edge) in c.iter().enumerate() {
                let [j1, j2] = others(j);
                gaps.push(Sum(vec![
                    self.gap(|x| cross(edge, x, i)),
                    by(&self.g_a[i1], abs(j, i2)),
                    by(&self.g_a[i2], abs(j, i1)),
                    by(&self.g_b[j1], abs(j2, i)),
                    by(&self.g_b[j2], abs(j1, i)),
                ]));
            }
        }
        gaps
    }

    /// Returns E, with its parts divided.
    fn error(&self, records: &Records, divisor: f32) -> Formula {
        let all = |vectors: &[&Vector]| {
            Sum(vectors
                .iter()
                .flat_map(|v| v.each_ref().map(|x| x.clone().abs()))
                .collect())
        };
        let size = all(&[&self.t, &self.chord, &self.bulge, &self.g_a, &self.g_b]);
        let ([p_a, p_b], [b_a, b_b]) = (&records.paths, &records.bends);
        Sum(vec![
            Formula::constant(SIZE_ERROR / divisor).times(size),
            Formula::constant(WAY_ERROR / divisor).times(all(&[p_a, p_b, b_a, b_b])),
            Formula::constant(FLUSH_ERROR),
        ])
    }

    /// Returns the direction of the displacement with largest component 1, rounded as a product
    /// with a reciprocal; 0 if there is none.
    fn along_the_way(&self) -> [f32; 3] {
        let chord = self.chord.each_ref().map(Formula::exactly);
        let longest = chord.iter().fold(0f64, |most, x| most.max(x.abs()));
        match longest > f64::from(LEAST_WAY) {
            true => chord.map(|x| (x / longest) as f32),
            false => [0.0; 3],
        }
    }
}

fn map(of_axis: impl Fn(usize) -> Formula) -> Vector {
    std::array::from_fn(of_axis)
}

fn dot(u: &Vector, v: &Vector) -> Formula {
    Sum((0..3).map(|k| u[k].clone().times(v[k].clone())).collect())
}

/// Returns a component of the cross product.
fn cross(u: &Vector, v: &Vector, k: usize) -> Formula {
    let [i, j] = others(k);
    let by = |i: usize, j: usize| u[i].clone().times(v[j].clone());
    by(i, j).minus(by(j, i))
}

/// Returns the fraction of E that the worst of the gaps needs: above 1, boxes that meet may be
/// ruled out.
fn worst(pairs: std::ops::Range<u64>, trial: Trial) -> f64 {
    let mut random = SplitMix(31);
    let mut worst = 0f64;
    for index in pairs {
        let mut named = Named(&mut random, 0);
        let records = Records::hard(index, &mut named);
        let truth = Terms::new(&records, |numbers, _| numbers);
        let shader = Terms::new(&records, |numbers, fence| {
            match fence == Fence::Others || trial.fenced {
                true => named.fenced(numbers),
                false => numbers,
            }
        });
        let v = named.numbers(shader.along_the_way());
        let error = shader.error(&records, trial.divisor);
        let e = error.exactly();
        for (gap, truth) in shader.gaps(&v).into_iter().zip(truth.gaps(&v)) {
            let both = value_of(gap.minus(error.clone()), true, named.0);
            worst = worst.max((f64::from(both) - (truth.exactly() - e)) / e);
        }
    }
    worst
}

const PROVED: Trial = Trial {
    divisor: 1.0,
    fenced: true,
};

#[test]
fn rewritten_axes_of_moving_boxes_stay_within_their_bounds() {
    let worst = worst(0..13 * 16 * 5, PROVED);
    println!("at most {worst:.4} of the bound");
    assert!(worst <= 1.0, "{worst}");
    // Otherwise nothing is tested here.
    assert!(worst > 0.005, "{worst}");
}

#[test]
fn missing_fences_or_lower_bounds_separate_colliding_boxes() {
    let unfenced = worst(
        0..13 * 16 * 2,
        Trial {
            fenced: false,
            ..PROVED
        },
    );
    let too_low = worst(
        0..13 * 16 * 5,
        Trial {
            divisor: 256.0,
            ..PROVED
        },
    );
    println!("without fences {unfenced:.3}, with a 256th {too_low:.3} of the bound");
    assert!(unfenced > 1.0 && too_low > 1.0, "{unfenced} {too_low}");
}
