//! The relation of two convex solids: in `f64` where that is certain, and else without rounding.
//!
//! The search for their distance ([`gjk`](super::gjk)) ends with certainty for nearly all pairs: at
//! a direction along which they are further apart than rounding explains, or at a tetrahedron of
//! points of their difference that contains the origin by more than rounding explains, which proves
//! that their interiors meet. Both take a few looks at the vertices. [`exact`](super::exact)
//! decides the rest, which touch or nearly do, and flat solids that meet.

use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::solid_solid::gjk::{Said, relation};
use crate::shapes::solid::record::Solid;

impl Solid {
    /// Returns the relation of this solid and `other`: the true answer for the stored numbers, free
    /// of rounding.
    ///
    /// [`Contact`] defines its meaning for flat solids, segments and points. Takes time
    /// proportional to the vertices, a few times.
    ///
    /// ```
    /// use obbligato::{contact::Contact, glam::Vec3, shape::Solid};
    /// # fn main() -> obbligato::Result<()> {
    /// let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let solid = Solid::from_points(&corner)?;
    /// let moved = |by: Vec3| Solid::from_points(&corner.map(|point| point + by));
    /// assert_eq!(solid.contact(&solid), Contact::Overlapping);
    /// assert_eq!(solid.contact(&moved(Vec3::X)?), Contact::Touching);
    /// assert_eq!(solid.contact(&moved(Vec3::splat(0.5))?), Contact::Separated);
    /// # Ok(())
    /// # }
    /// ```
    pub fn contact(&self, other: &Self) -> Contact {
        match self.bounds().overlaps(&other.bounds()) {
            true => contact_in_bounds(self, other),
            false => Contact::Separated,
        }
    }
}

/// Returns the relation of solids whose bounds overlap.
fn contact_in_bounds(a: &Solid, b: &Solid) -> Contact {
    match relation(a, b) {
        Said::Apart => Contact::Separated,
        Said::Collide => Contact::Overlapping,
        Said::Unsure => a.exact_contact(b),
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::split_mix::SplitMix;

    /// Points in a cube with the edge 2 about a center.
    fn cloud(points: usize, center: Vec3, random: &mut SplitMix) -> Solid {
        let mut unit = || (2.0 * random.unit() - 1.0) as f32;
        let points: Vec<Vec3> = (0..points)
            .map(|_| center + Vec3::new(unit(), unit(), unit()))
            .collect();
        Solid::from_points(&points).expect("finite points")
    }

    /// Compares with the exact relation, and returns the numbers of pairs that are apart, collide
    /// and are left to it.
    fn compare(pairs: impl Iterator<Item = [Solid; 2]>) -> [usize; 3] {
        let mut said = [0; 3];
        for [a, b] in pairs {
            assert_eq!(contact_in_bounds(&a, &b), a.exact_contact(&b), "{a:?} {b:?}");
            said[match relation(&a, &b) {
                Said::Apart => 0,
                Said::Collide => 1,
                Said::Unsure => 2,
            }] += 1;
        }
        said
    }

    #[test]
    fn what_is_certain_is_exact() {
        let mut random = SplitMix(11);
        let far = [0.0, 1000.0];
        let clouds = (0..4000).map(|k| {
            let at = Vec3::splat(far[k % 2]);
            let apart = Vec3::from_array([0; 3].map(|_| (3.0 * random.unit() - 1.5) as f32));
            let mut of = |at| cloud(4 + (k % 13), at, &mut random);
            [of(at), of(at + apart)]
        });
        let [apart, collide, unsure] = compare(clouds);
        assert!(apart > 500 && collide > 500 && unsure < 5, "{apart} {collide} {unsure}");
    }

    #[test]
    fn what_nearly_touches_is_exact() {
        let mut random = SplitMix(12);
        let mut said = [0; 3];
        // The same solid, moved by about its width along an axis, by units in the last place.
        for case in 0..2000 {
            let a = cloud(4 + case % 9, Vec3::ZERO, &mut random);
            let (axis, bounds) = (Vec3::AXES[case % 3], a.bounds());
            let width = (bounds.max - bounds.min).dot(axis);
            let nearly = f32::from_bits(width.to_bits() + (case % 7) as u32 - 3);
            let moved: Vec<Vec3> = a.vertices().iter().map(|point| *point + nearly * axis).collect();
            let b = Solid::from_points(&moved).expect("finite points");
            let of = compare(std::iter::once([a, b]));
            (0..3).for_each(|k| said[k] += of[k]);
        }
        // Flat solids, and cubes that share a face, an edge or a corner.
        let corners = |at: Vec3, flat: f32| {
            let corner = |k: usize| at + Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, flat * (k >> 2) as f32);
            Solid::from_points(&(0..8).map(corner).collect::<Vec<_>>()).expect("finite points")
        };
        let steps = (0..27).map(|k| Vec3::new((k % 3) as f32, (k / 3 % 3) as f32, (k / 9) as f32) - 1.0);
        for flat in [0.0, 1.0] {
            let of = compare(
                steps
                    .clone()
                    .map(|step| [corners(Vec3::ZERO, flat), corners(0.5 * step, flat)]),
            );
            (0..3).for_each(|k| said[k] += of[k]);
            let of = compare(
                steps
                    .clone()
                    .map(|step| [corners(Vec3::ZERO, flat), corners(step, flat)]),
            );
            (0..3).for_each(|k| said[k] += of[k]);
        }
        let [apart, _, unsure] = said;
        assert!(apart > 30 && unsure > 30, "{said:?}");
    }
}
