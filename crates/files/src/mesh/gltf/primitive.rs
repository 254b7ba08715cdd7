//! The points, lines and triangles of a glTF primitive.

/// The number of points, lines or triangles.
#[derive(Clone, Copy)]
pub(super) enum Drawn {
    Points(u64),
    Lines(u64),
    Triangles(Pattern, u64),
}

/// The way in which triangles share corners.
#[derive(Clone, Copy)]
pub(super) enum Pattern {
    Apart,
    Strip,
    Fan,
}

impl Drawn {
    /// Returns the contents of a primitive of a mode with this number of corners.
    pub fn new(mode: u32, corners: u64) -> Result<Self, String> {
        let (pattern, triangles) = match mode {
            0 => return Ok(Self::Points(corners)),
            1 => return Ok(Self::Lines(corners / 2)),
            2 => return Ok(Self::Lines(corners)),
            3 => return Ok(Self::Lines(corners.saturating_sub(1))),
            4 => (Pattern::Apart, corners.is_multiple_of(3).then_some(corners / 3)),
            5 => (Pattern::Strip, shared(corners)),
            6 => (Pattern::Fan, shared(corners)),
            _ => return Err(format!("has a primitive of mode {mode}, which glTF does not know")),
        };
        match triangles {
            Some(triangles) => Ok(Self::Triangles(pattern, triangles)),
            None => Err(format!("has triangles of {corners} corners, which leaves some over")),
        }
    }
}

/// Returns the number of triangles of a strip or a fan.
fn shared(corners: u64) -> Option<u64> {
    match corners {
        0 => Some(0),
        _ => corners.checked_sub(2).filter(|&triangles| triangles > 0),
    }
}

impl Pattern {
    /// Returns the corners of a triangle.
    pub fn corners(self, k: u64) -> [u64; 3] {
        match self {
            Self::Apart => [3 * k, 3 * k + 1, 3 * k + 2],
            // Every other triangle of a strip has the opposite orientation.
            Self::Strip => [k, k + 1 + k % 2, k + 2 - k % 2],
            Self::Fan => [0, k + 1, k + 2],
        }
    }
}
