//! Polygons stored in one list.

/// Polygons, each given by the positions of its corners.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Faces {
    corners: Vec<u32>,
    /// The end of each polygon in the list of corners.
    ends: Vec<u32>,
}

impl Faces {
    /// Adds a corner to the current polygon.
    pub fn push_corner(&mut self, corner: u32) {
        self.corners.push(corner);
    }

    /// Ends the current polygon.
    pub fn end(&mut self) {
        self.ends.push(self.corners.len() as u32);
    }

    /// Adds a polygon.
    pub fn push(&mut self, corners: impl IntoIterator<Item = u32>) {
        self.corners.extend(corners);
        self.end();
    }

    /// Returns the number of polygons.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the corners of a polygon.
    pub fn get(&self, face: usize) -> &[u32] {
        let begin = if face == 0 { 0 } else { self.ends[face - 1] };
        &self.corners[begin as usize..self.ends[face] as usize]
    }

    /// Returns the polygons in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|face| self.get(face))
    }

    /// Returns the same polygons with renamed corners.
    pub fn renamed(mut self, name: impl Fn(u32) -> u32) -> Self {
        self.corners.iter_mut().for_each(|corner| *corner = name(*corner));
        self
    }
}

/// Returns the edges of polygons. Two directed sides of different polygons between the same
/// corners, in opposite directions, form one edge. Each edge is given by its ends, the smaller
/// first, and by the polygons that traverse it from the first end to the second and back. Returns
/// `None` if a side has no opposite, or more than one.
pub(crate) fn edges<'a>(faces: impl Iterator<Item = &'a [u32]>) -> Option<Vec<Edge>> {
    let mut sides: Vec<(u32, u32, bool, u32)> = Vec::new();
    for (face, corners) in faces.enumerate() {
        let next = corners.iter().cycle().skip(1);
        let of_face = corners.iter().zip(next);
        sides.extend(of_face.map(|(&from, &to)| (from.min(to), from.max(to), from > to, face as u32)));
    }
    sides.sort_unstable();
    let pairs = sides.chunks(2).map(|two| match *two {
        [(a, b, false, left), (c, d, true, right)] if (a, b) == (c, d) => Some(Edge {
            ends: [a, b],
            faces: [left, right],
        }),
        _ => None,
    });
    let edges: Option<Vec<Edge>> = pairs.collect();
    let edges = edges?;
    let is_unique = edges.windows(2).all(|two| two[0].ends != two[1].ends);
    is_unique.then_some(edges)
}

/// An edge between two polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub ends: [u32; 2],
    /// The polygons: first the one that traverses the edge from the first end to the second, then
    /// the other.
    pub faces: [u32; 2],
}
