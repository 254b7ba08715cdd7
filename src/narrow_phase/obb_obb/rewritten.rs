//! Tests of the fifteen axes of the `f32` shader, rewritten as a compiler with fast math may do it
//! ([`rewriting`](crate::base::rewriting)), against the error bound of shaders.

use crate::base::rewriting::Formula;
use crate::base::split_mix::SplitMix;
use crate::geometry::rotation::others;
use crate::made_up;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Terms;
use crate::narrow_phase::obb_obb::separating_axes::{
    FLUSH_ERROR_F32, KAPPA, SHADER_DISTANCE_ERROR, SHADER_RADIUS_ERROR,
};
use crate::shapes::obb::record::Obb;

use Formula::{Product, Sum};

const U: f32 = 1.0 / (1u32 << 23) as f32;

/// The parameters of a trial.
#[derive(Clone, Copy)]
struct Trial {
    /// K_T and K_G.
    factors: [f64; 2],
    /// `true` if the difference of the centers is fenced.
    fenced: bool,
}

/// Gives numbers their names: a random generator and the last name.
pub(crate) struct Named<'a>(pub &'a mut SplitMix, pub u32);

impl Named<'_> {
    pub fn numbers<const N: usize>(&mut self, values: [f32; N]) -> [Formula; N] {
        values.map(|value| {
            self.1 += 1;
            Formula::Number(self.1, value)
        })
    }

    /// Returns the values of the formulas as new numbers, as behind a fence.
    pub fn fenced<const N: usize>(&mut self, formulas: [Formula; N]) -> [Formula; N] {
        let values = formulas.map(|formula| value_of(formula, self.0.next().is_multiple_of(2), self.0));
        self.numbers(values)
    }
}

/// Returns the value of a formula after random rewriting.
pub(crate) fn value_of(formula: Formula, upwards: bool, random: &mut SplitMix) -> f32 {
    let mut formula = formula;
    for _ in 0..random.next() % 3 {
        formula = formula.rewritten(random);
    }
    formula.rounded(upwards, random)
}

/// Returns M(q) by rows, and |q|².
pub(crate) fn matrix([x, y, z, w]: [Formula; 4]) -> ([[Formula; 3]; 3], Formula) {
    let by = |a: &Formula, b: &Formula| a.clone().times(b.clone());
    let diagonal = |signs: [bool; 4]| {
        let squares = [by(&w, &w), by(&x, &x), by(&y, &y), by(&z, &z)];
        Sum(squares
            .into_iter()
            .zip(signs)
            .map(|(square, plus)| if plus { square } else { square.negated() })
            .collect())
    };
    let plus = |a: [&Formula; 2], b: [&Formula; 2]| by(a[0], a[1]).plus(by(b[0], b[1])).twice();
    let minus = |a: [&Formula; 2], b: [&Formula; 2]| by(a[0], a[1]).minus(by(b[0], b[1])).twice();
    let rows = [
        [
            diagonal([true, true, false, false]),
            minus([&x, &y], [&w, &z]),
            plus([&x, &z], [&w, &y]),
        ],
        [
            plus([&x, &y], [&w, &z]),
            diagonal([true, false, true, false]),
            minus([&y, &z], [&w, &x]),
        ],
        [
            minus([&x, &z], [&w, &y]),
            plus([&y, &z], [&w, &x]),
            diagonal([true, false, false, true]),
        ],
    ];
    (rows, diagonal([true; 4]))
}

/// Computes conj(a) b.
pub(crate) fn relative(a: &[Formula; 4], b: &[Formula; 4]) -> [Formula; 4] {
    let by = |i: usize, j: usize| a[i].clone().times(b[j].clone());
    let part = |i: usize| {
        let [j, k] = others(i);
        Sum(vec![by(3, i), by(i, 3).negated(), by(j, k).negated(), by(k, j)])
    };
    [part(0), part(1), part(2), Sum((0..4).map(|i| by(i, i)).collect())]
}

/// The values that the shader computes for a pair before it looks at axes.
struct Shader {
    t: [Formula; 3],
    g_a: [Formula; 3],
    g_b: [Formula; 3],
    c: [[Formula; 3]; 3],
    s: Formula,
    factors: [f32; 2],
}

impl Shader {
    fn new(a: &Obb, b: &Obb, trial: Trial, random: &mut SplitMix) -> Self {
        let mut named = Named(random, 0);
        let [center_a, center_b, h_a, h_b] =
            [a.center, b.center, a.half_extents, b.half_extents].map(|v| named.numbers(v.to_array()));
        let [q_a, q_b] = [a.rotation, b.rotation].map(|q| named.numbers(q.to_array()));
        let d = std::array::from_fn(|k| center_b[k].clone().minus(center_a[k].clone()));
        let d: [Formula; 3] = if trial.fenced { named.fenced(d) } else { d };
        let (m, n) = matrix(q_a.clone());
        let t = std::array::from_fn(|i| Sum((0..3).map(|k| m[k][i].clone().times(d[k].clone())).collect()));
        let t = named.fenced(t);
        let [n] = named.fenced([n]);
        let (c, s) = matrix(named.fenced(relative(&q_a, &q_b)));
        Self {
            t,
            g_a: h_a.map(|h| n.clone().times(h)),
            g_b: h_b.map(|h| n.clone().times(h)),
            c,
            s,
            factors: trial.factors.map(|factor| factor as f32 * U),
        }
    }

    fn c_abs(&self, i: usize, j: usize) -> Formula {
        self.c[i][j].clone().abs()
    }

    fn radius(&self, extent: &Formula, i: usize, j: usize) -> Formula {
        extent.clone().times(self.c_abs(i, j)).negated()
    }

    fn face_a(&self, i: usize) -> Formula {
        let gap = self.t[i].clone().abs().minus(self.g_a[i].clone());
        let radii = (0..3).map(|j| self.radius(&self.g_b[j], i, j));
        Sum(std::iter::once(self.s.clone().times(gap)).chain(radii).collect())
    }

    fn face_b(&self, j: usize) -> Formula {
        let distance = Sum((0..3).map(|i| self.t[i].clone().times(self.c[i][j].clone())).collect());
        let own = self.s.clone().times(self.g_b[j].clone()).negated();
        let radii = (0..3).map(|i| self.radius(&self.g_a[i], i, j));
        Sum([distance.abs(), own].into_iter().chain(radii).collect())
    }

    fn edges(&self, i: usize, j: usize) -> Formula {
        let ([i1, i2], [j1, j2]) = (others(i), others(j));
        let by = |k: usize, l: usize| self.t[k].clone().times(self.c[l][j].clone());
        Sum(vec![
            by(i2, i1).minus(by(i1, i2)).abs(),
            self.radius(&self.g_a[i1], i2, j),
            self.radius(&self.g_a[i2], i1, j),
            self.radius(&self.g_b[j1], i, j2),
            self.radius(&self.g_b[j2], i, j1),
        ])
    }

    fn distance(&self) -> Vec<Formula> {
        self.t.iter().map(|t| t.clone().abs()).collect()
    }

    fn extents(&self) -> Vec<Formula> {
        [&self.g_a[..], &self.g_b].concat()
    }

    /// Returns E for these extents.
    fn error(&self, extents: Vec<Formula>) -> Formula {
        let [of_distance, of_radius] = self.factors.map(Formula::constant);
        Sum(vec![
            of_distance.times(Sum(self.distance())),
            Formula::constant(FLUSH_ERROR_F32),
            of_radius.times(Sum(extents)),
        ])
    }

    fn error_a(&self, i: usize) -> Formula {
        self.error([&self.g_a[i..=i], &self.g_b].concat())
    }

    fn error_b(&self, j: usize) -> Formula {
        self.error([&self.g_a[..], &self.g_b[j..=j]].concat())
    }
}

/// Returns the fraction of E that the worst of the answers needs: more than 1 is a wrong answer.
fn worst(pairs: std::ops::Range<u64>, seed: u64, trial: Trial) -> f64 {
    let mut random = SplitMix(seed);
    let (mut worst, mut broken) = (0f64, false);
    for index in pairs {
        let (a, b) = made_up::pair(index, seed);
        let truth = Terms::new(&a, &b);
        let shader = Shader::new(&a, &b, trial, &mut random);
        let mut hold = |f: Formula, error: Formula, truth: f64, random: &mut SplitMix| {
            let e = error.exactly();
            for upwards in [true, false] {
                let (sign, error) = if upwards {
                    (1.0, error.clone().negated())
                } else {
                    (-1.0, error.clone())
                };
                // `F > E` and `F < -E` may be decided by the sign of one sum.
                let both = value_of(f.clone().plus(error), upwards, random);
                let off = sign * (f64::from(both) - (truth - sign * e));
                worst = worst.max(off / e);
            }
        };
        for i in 0..3 {
            hold(shader.face_a(i), shader.error_a(i), truth.face_a(i), &mut random);
            hold(shader.face_b(i), shader.error_b(i), truth.face_b(i), &mut random);
        }
        let largest = |k: usize| if k < 3 { truth.face_a(k) } else { truth.face_b(k - 3) };
        let most = (0..6).max_by(|&k, &l| largest(k).total_cmp(&largest(l))).unwrap_or(0);
        let face = if most < 3 {
            shader.face_a(most)
        } else {
            shader.face_b(most - 3)
        };
        for (i, j) in (0..9).map(|k| (k % 3, k / 3)) {
            let error = shader.error(shader.extents());
            hold(shader.edges(i, j), error.clone(), truth.edges(i, j), &mut random);
            // The rule for parallel edges.
            let sine = truth.sine(i, j);
            if sine < 0.5 {
                let [i1, i2] = others(i);
                let size = Sum([shader.distance(), shader.extents()].concat());
                let sines = shader.c_abs(i1, j).plus(shader.c_abs(i2, j));
                let margin = Product(vec![Formula::constant(KAPPA as f32), size, sines]);
                let both = Sum(vec![face.clone(), margin, error.twice()]);
                let both = f64::from(value_of(both, false, &mut random));
                let proved = largest(most) + 1.158 * sine * truth.size();
                broken |= both < proved - 1e-9 * truth.size();
            }
        }
    }
    if broken { f64::INFINITY } else { worst }
}

const PROVED: Trial = Trial {
    factors: [SHADER_DISTANCE_ERROR, SHADER_RADIUS_ERROR],
    fenced: true,
};

#[test]
fn rewritten_axes_stay_within_their_bounds() {
    let worst = worst(0..13 * 150, 21, PROVED);
    println!("at most {worst:.3} of the bound");
    assert!(worst <= 1.0, "{worst}");
    // Otherwise the trials test nothing.
    assert!(worst > 0.1, "{worst}");
}

#[test]
fn a_missing_fence_or_lower_bounds_give_wrong_answers() {
    let unfenced = worst(
        0..13 * 20,
        22,
        Trial {
            fenced: false,
            ..PROVED
        },
    );
    let lower = PROVED.factors.map(|factor| factor / 10.0);
    let too_low = worst(
        0..13 * 100,
        21,
        Trial {
            factors: lower,
            ..PROVED
        },
    );
    println!("without a fence {unfenced:.3}, with a tenth {too_low:.3} of the bound");
    assert!(unfenced > 1.0 && too_low > 1.0, "{unfenced} {too_low}");
}
