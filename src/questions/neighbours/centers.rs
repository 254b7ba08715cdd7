//! Neighbours by the distance of centers: candidates of a search with rounded squares, which are
//! then compared without rounding.

use crate::base::error::Result;
use crate::base::memory;
use crate::broad_phase::points::coordinate::{Coordinate, WIDTH};
use crate::broad_phase::points::search::{Candidates, Sought, WHAT};
use crate::broad_phase::points::tree::{Centers, PointTree};
use crate::broad_phase::points::walk::Asking;
use crate::engine::prepared::PreparedScene;
use crate::narrow_phase::point_point::{Way, decided, is_within, length, nearest_way, order, square_of_way, way};
use crate::outputs::neighbours::{Neighbours, Part};
use crate::questions::neighbours::search::{Reach, Search};

/// Coordinates are scaled if all are below this, 2^-20, because squares of small numbers underflow.
const SMALL: f64 = 1.0 / (1u64 << 20) as f64;
/// Maximum exponent of the factor, which must be a stored number.
const MOST_SCALE: i32 = 1000;
/// No distance is longer, scaled or not: 2^63.
const LONGEST: f64 = (1u64 << 63) as f64;

/// Finds the neighbours.
pub(super) fn neighbours<T: Coordinate>(search: &Search<'_>) -> Result<Neighbours> {
    let scale = scale(search);
    let tree = PointTree::<T>::new(&search.sites(scale)[0])?;
    neighbours_with(search, &tree, scale)
}

/// Finds the neighbours in a scene, which keeps the tree.
pub(super) fn neighbours_in_scene(search: &Search<'_>, scene: &PreparedScene) -> Result<Neighbours> {
    if scale(search) != 1.0 {
        return neighbours::<f32>(search);
    }
    let centers = match scene.centers.get() {
        Some(centers) => centers,
        None => {
            let (summary, tree) = (search.summary, PointTree::new(&search.sites(1.0)[0])?);
            scene.centers.get_or_init(|| Centers { summary, tree })
        }
    };
    neighbours_with(search, &centers.tree, 1.0)
}

/// Returns the power of two by which coordinates are multiplied.
fn scale(search: &Search<'_>) -> f64 {
    if search.period.is_some() {
        return 1.0;
    }
    let of_asking = search.asking.map_or(0.0, |asking| asking.summary().largest);
    let largest = search.summary.largest.max(of_asking);
    match largest > 0.0 && largest < SMALL {
        true => 2f64.powi((1023 - (largest.to_bits() >> 52) as i32).min(MOST_SCALE)),
        false => 1.0,
    }
}

fn neighbours_with<T: Coordinate>(search: &Search<'_>, tree: &PointTree<T>, scale: f64) -> Result<Neighbours> {
    let own = match search.asking {
        Some(_) => Some(PointTree::new(&search.sites(scale)[1])?),
        None => None,
    };
    let points = own.as_ref().unwrap_or(tree);
    let radius = search.reach.radius.map(|radius| (radius * scale).min(LONGEST));
    let sought = Sought {
        count: search.reach.sought(tree.points),
        limit: radius.map_or(T::INFINITY, |radius| T::of(radius * radius)),
    };
    let allow = search.allow(tree, points);
    let settling = Settling {
        search,
        reach: Reach { radius, ..search.reach },
        scale,
    };
    search.answer(
        tree,
        points,
        |asking, (candidates, near): &mut (Candidates<T>, Vec<Near>), part| {
            if sought.count != Some(0) {
                let limit = asking.limit(sought.limit);
                candidates.find(asking, Sought { limit, ..sought }, allow)?;
            }
            for lane in 0..points.points_of(asking.block) {
                settling.settle(asking, lane, &candidates.lists[lane % WIDTH], near, part)?;
            }
            Ok(())
        },
    )
}

/// A candidate, with the square of its distance.
#[derive(Clone, Copy)]
struct Near {
    square: f64,
    id: u32,
    position: u32,
}

/// The exact part of a search.
struct Settling<'a> {
    search: &'a Search<'a>,
    /// With the radius in the unit of the tree.
    reach: Reach,
    scale: f64,
}

impl Settling<'_> {
    /// Returns the vector from a point to another, or to its nearest image.
    #[inline(always)]
    fn way<T: Coordinate>(&self, asking: Asking<'_, T>, position: u32, other: u32) -> Way {
        match &self.search.period {
            None => way(asking.points.point(position), asking.tree.point(other)),
            Some(period) => {
                let from = self.search.asking().center(asking.points.id(position));
                nearest_way(from, self.search.found.center(asking.tree.id(other)), period)
            }
        }
    }

    /// Adds the row of a point, given its candidates.
    fn settle<T: Coordinate>(
        &self,
        asking: Asking<'_, T>,
        lane: usize,
        candidates: &[T::Key],
        near: &mut Vec<Near>,
        part: &mut Part,
    ) -> Result<()> {
        let (tree, position) = (asking.tree, asking.position(lane));
        let way_to = |other: u32| self.way(asking, position, other);
        near.clear();
        memory::reserve(near, candidates.len(), WHAT)?;
        near.extend(candidates.iter().map(|&key| {
            let position = T::position(key);
            Near {
                square: square_of_way(&way_to(position)),
                id: tree.id(position),
                position,
            }
        }));
        if let Some(radius) = self.reach.radius {
            near.retain(|near| is_within(|| way_to(near.position), near.square, radius));
        }
        near.sort_unstable_by(|a, b| a.square.total_cmp(&b.square));
        // Squares that are clearly different are in order already.
        for run in near.chunk_by_mut(|a, b| decided([a.square, b.square]).is_none()) {
            run.sort_unstable_by(|a, b| {
                let ways = || [way_to(a.position), way_to(b.position)];
                order([a.square, b.square], ways).then_with(|| self.search.tie(a.id).cmp(&self.search.tie(b.id)))
            });
        }
        let (kept, cut) = self.reach.kept(near.len());
        let found = near[..kept].iter().map(|near| {
            let distance = length(|| way_to(near.position), near.square);
            (near.id, distance / self.scale)
        });
        part.push(asking.points.id(position), cut, found)
    }
}
