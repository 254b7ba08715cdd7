//! The edges of one convex solid that pass through another, and its vertices that are in the other.

use crate::geometry::orientation::above;
use crate::narrow_phase::contact::Contact;
use crate::shapes::solid::record::Solid;

/// An edge that passes through the inside of a solid. Places on it range from 0 at its first end to
/// 1 at its second.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Crossing {
    /// The position of the edge in [`Solid::edges`].
    pub edge: u32,
    /// The place where it enters; 0 if its first end is inside.
    pub entry: f64,
    /// The place where it leaves, not before the entry; 1 if its second end is inside.
    pub exit: f64,
    /// The position in [`Solid::faces`] of the face through which it enters; `None` if its first
    /// end is inside, or on the surface.
    pub entry_face: Option<u32>,
    /// The face through which it leaves, likewise.
    pub exit_face: Option<u32>,
}

impl Solid {
    /// Returns the edges of this solid that pass through `other`, in order: those that
    /// [overlap](Contact::Overlapping) it as segments. Edges that only graze its surface are not
    /// included. A flat `other` is entered and left at one place.
    ///
    /// The choice of edges is exact; their places are rounded to `f64`. If an edge goes through
    /// several faces at once, at an edge or a corner, any of them is named. Takes time proportional
    /// to the edges of this solid and the vertices and faces of the other.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::Solid};
    /// # fn main() -> obbligato::Result<()> {
    /// let rod = Solid::from_points(&[Vec3::new(0.25, 0.25, -1.0), Vec3::new(0.25, 0.25, 3.0)])?;
    /// let solid = Solid::from_points(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
    /// let [crossing] = rod.crossings(&solid)[..] else { panic!("one edge") };
    /// assert_eq!((crossing.entry, crossing.exit), (0.25, 0.375));
    /// # Ok(())
    /// # }
    /// ```
    pub fn crossings(&self, other: &Self) -> Vec<Crossing> {
        let segments = (0..).zip(self.edges());
        let crossing = |(edge, ends): (u32, [u32; 2])| {
            let ends = ends.map(|end| self.vertices()[end as usize]);
            let passes = other.contact_with_segment(ends) == Contact::Overlapping;
            passes.then(|| other.clip(edge, ends))
        };
        segments.filter_map(crossing).collect()
    }

    /// Returns the vertices of this solid that are in `other`, by their positions. Each is on its
    /// surface ([`Contact::Touching`]) or inside ([`Contact::Overlapping`]); free of rounding.
    pub fn vertices_in<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (usize, Contact)> {
        let contacts = self.vertices().iter().map(|&vertex| other.contact_with_point(vertex));
        contacts.enumerate().filter(|(_, contact)| contact.collides())
    }

    /// Returns the part of a segment that is in this solid; the segment must pass through it.
    fn clip(&self, edge: u32, ends: [glam::Vec3; 2]) -> Crossing {
        let mut crossing = Crossing {
            edge,
            entry: 0.0,
            exit: 1.0,
            entry_face: None,
            exit_face: None,
        };
        for (face, corners) in (0..).zip(self.faces()) {
            let [a, b, c] = [0, 1, 2].map(|k| self.vertices()[corners[k] as usize]);
            let [first, second] = ends.map(|end| above(a, b, c, end));
            let place = first / (first - second);
            if first > 0.0 && place >= crossing.entry {
                (crossing.entry, crossing.entry_face) = (place, Some(face));
            }
            if second > 0.0 && place <= crossing.exit {
                (crossing.exit, crossing.exit_face) = (place, Some(face));
            }
        }
        crossing.exit = crossing.exit.max(crossing.entry);
        crossing
    }
}
