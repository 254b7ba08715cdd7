//! The axes along which points spread most and least: the eigenvectors of their covariance.

use glam::{DMat3, DVec3};

/// More rounds than Jacobi's method ever takes for three axes: each round squares the remainder.
const ROUNDS: usize = 16;

/// Sums over points, from which the covariance is computed. Far from the origin, differences from
/// one of the points keep the precision.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spread {
    count: f64,
    sum: DVec3,
    squares: DMat3,
}

impl Spread {
    /// Adds a point.
    pub fn add(&mut self, point: DVec3) {
        self.count += 1.0;
        self.sum += point;
        self.squares += outer(point);
    }

    /// Merges the sums over the points of both.
    pub fn merge(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    /// Returns the covariance. There must be at least one point.
    pub fn covariance(&self) -> DMat3 {
        let share = 1.0 / self.count;
        self.squares * share - outer(self.sum * share)
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Returns the eigenvectors of a symmetric matrix, right-handed and of length 1, by Jacobi's
/// rotations (Golub and Van Loan, "Matrix Computations", 8.5).
pub(crate) fn eigenvectors(mut matrix: DMat3) -> DMat3 {
    let mut vectors = DMat3::IDENTITY;
    for _ in 0..ROUNDS {
        let mut done = true;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = matrix.col(q)[p];
            let difference = matrix.col(q)[q] - matrix.col(p)[p];
            // A number this small changes nothing.
            if off.abs() <= f64::EPSILON * 1e-3 * (matrix.col(p)[p].abs() + matrix.col(q)[q].abs()) {
                continue;
            }
            done = false;
            let ratio = difference / (2.0 * off);
            let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let mut turn = DMat3::IDENTITY;
            (turn.col_mut(p)[p], turn.col_mut(q)[q]) = (cosine, cosine);
            (turn.col_mut(q)[p], turn.col_mut(p)[q]) = (tangent * cosine, -tangent * cosine);
            matrix = turn.transpose() * matrix * turn;
            vectors *= turn;
        }
        if done {
            break;
        }
    }
    vectors
}
