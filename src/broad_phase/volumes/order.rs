//! The order of parts in a tree, which are repeatedly halved along the axis with the largest spread
//! of their middles.

use glam::Vec3;

use crate::base::parallel;
use crate::geometry::eigenvectors::{Spread, eigenvectors};

/// Number of parts below which they are halved along an axis of the frame, because their principal
/// axes are almost meaningless.
const FEW: usize = 16;
/// Number of pieces per thread.
const PIECES: usize = 8;

/// Returns the number of parts in the left child of a node of `count` parts.
pub(super) const fn left_of(count: usize) -> usize {
    count / 2
}

/// Sorts parts, given as positions, by their middles.
pub(super) fn sort(parts: &mut [u32], middles: &[Vec3]) {
    let wanted = PIECES * parallel::threads();
    let mut pieces = vec![parts];
    while pieces.len() < wanted && pieces.iter().any(|piece| piece.len() > parallel::GRAIN) {
        let halved = parallel::map(pieces, |piece| halve(piece, middles));
        pieces = halved.into_iter().flatten().collect();
    }
    parallel::for_each(pieces, |piece| sort_piece(piece, middles));
}

fn sort_piece(parts: &mut [u32], middles: &[Vec3]) {
    if parts.len() > 1 {
        halve(parts, middles)
            .into_iter()
            .for_each(|half| sort_piece(half, middles));
    }
}

/// Returns both halves, first the one with the smaller places along the axis.
fn halve<'a>(parts: &'a mut [u32], middles: &[Vec3]) -> [&'a mut [u32]; 2] {
    let left = left_of(parts.len());
    if left > 0 {
        let axis = axis_of_most_spread(parts, middles);
        let place = |part: &u32| middles[*part as usize].dot(axis);
        parts.select_nth_unstable_by(left, |a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)));
    }
    parts.split_at_mut(left).into()
}

/// Returns the axis along which the middles have the largest variance.
fn axis_of_most_spread(parts: &[u32], middles: &[Vec3]) -> Vec3 {
    // Differences from one of them lose no precision far from the origin.
    let first = middles[parts[0] as usize].as_dvec3();
    let mut spread = Spread::default();
    for &part in parts {
        spread.add(middles[part as usize].as_dvec3() - first);
    }
    let covariance = spread.covariance();
    let axes = match parts.len() < FEW {
        true => glam::DMat3::IDENTITY,
        false => eigenvectors(covariance),
    };
    let variance = |k: &usize| axes.col(*k).dot(covariance * axes.col(*k));
    let most = (0..3).max_by(|a, b| variance(a).total_cmp(&variance(b)));
    axes.col(most.unwrap_or_default()).as_vec3()
}
