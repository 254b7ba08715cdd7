//! Neighbours by the distance of surfaces: the search compares the distances of bounds, and
//! measures the bodies whose bounds are near enough.

use std::cmp::Ordering;

use bytemuck::Zeroable;
use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::points::coordinate::{Coordinate, WIDTH};
use crate::broad_phase::points::search::WHAT;
use crate::broad_phase::points::tree::PointTree;
use crate::broad_phase::points::walk::{Asking, bits};
use crate::broad_phase::points::wrap::{self, image_in_cell};
use crate::geometry::bounds::{BOUNDS, Bounds};
use crate::geometry::period::Period;
use crate::geometry::rounding::above;
use crate::narrow_phase::images::PeriodicPair;
use crate::outputs::neighbours::{Neighbours, Part};
use crate::questions::neighbours::places::Places;
use crate::questions::neighbours::search::Search;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::obb64::around::Surrounded;
use crate::shapes::obb64::record::Obb64;

/// The nearest bodies of one so far: distances and positions, in no particular order until there
/// are as many as sought.
type Nearest = Vec<(f64, u32)>;

/// Finds the neighbours.
pub(super) fn neighbours(search: &Search<'_>) -> Result<Neighbours> {
    let double = search.is_double();
    let found = search.found.to_bodies(double)?;
    let asking = search.asking.map(|places| places.to_bodies(double)).transpose()?;
    let [of_found, of_asking] = match &search.period {
        None => bounds_of(&found, asking.as_ref(), 0.0)?,
        Some(period) => {
            let asking = asking.as_ref().map(|places| in_cell(places, period)).transpose()?;
            let rounding = above(period.longest() * f64::EPSILON);
            let found = in_cell(&found, period)?;
            let mut bounds = bounds_of(&found, asking.as_ref(), rounding)?;
            for (places, bounds) in [Some(&found), asking.as_ref()].into_iter().flatten().zip(&mut bounds) {
                move_bounds(places, bounds, period);
            }
            bounds
        }
    };
    let [mut sites, mut own_sites] = search.sites(1.0);
    (sites.bounds, own_sites.bounds) = (Some(&of_found[..]), Some(&of_asking[..]));
    let tree = PointTree::<f32>::new(&sites)?;
    let own = match &asking {
        Some(_) => Some(PointTree::<f32>::new(&own_sites)?),
        None => None,
    };
    let points = own.as_ref().unwrap_or(&tree);
    let allow = search.allow(&tree, points);
    let asking = asking.as_ref().unwrap_or(&found);
    let measure = Measure {
        search,
        distance: |id, other| match &search.period {
            None => Ok(distance(asking, id, &found, other)),
            Some(period) => periodic_distance([asking, &found], [id, other], period),
        },
        count: search.reach.sought(tree.points),
    };
    search.answer(&tree, points, |asking, lists: &mut [Nearest; WIDTH], part| {
        measure.answer(asking, allow, lists, part)
    })
}

/// The measurement of bodies near others.
struct Measure<'a, D> {
    search: &'a Search<'a>,
    distance: D,
    count: Option<usize>,
}

impl<D: Fn(u32, u32) -> Result<f64>> Measure<'_, D> {
    /// Compares two candidates.
    fn order(&self, a: &(f64, u32), b: &(f64, u32)) -> Ordering {
        let tie = |id: u32| self.search.tie(id);
        a.0.total_cmp(&b.0).then_with(|| tie(a.1).cmp(&tie(b.1)))
    }

    /// Adds the rows of a block.
    fn answer(
        &self,
        asking: Asking<'_, f32>,
        allow: Option<impl Fn(u32, u32) -> bool>,
        lists: &mut [Nearest; WIDTH],
        part: &mut Part,
    ) -> Result<()> {
        lists.iter_mut().for_each(Vec::clear);
        let mut outcome = Ok(());
        if self.count != Some(0) {
            asking.walk::<true>(asking.limits(self.limit(&[])), |lane, hits, squares, base| {
                let (position, list) = (asking.position(lane), &mut lists[lane]);
                for hit in bits(hits) {
                    let other = base + hit as u32;
                    let allowed = || allow.as_ref().is_none_or(|allow| allow(position, other));
                    if outcome.is_ok()
                        && squares[hit] <= self.limit(list)
                        && asking.are_two(position, other)
                        && allowed()
                    {
                        outcome = self.offer(list, asking.points.id(position), asking.tree.id(other));
                    }
                }
                self.limit(list)
            });
        }
        outcome?;
        for (lane, list) in lists.iter_mut().enumerate().take(asking.points.points_of(asking.block)) {
            list.sort_unstable_by(|a, b| self.order(a, b));
            let (kept, cut) = self.search.reach.kept(list.len());
            let found = list[..kept].iter().map(|&(distance, id)| (id, distance));
            part.push(asking.points.id(asking.position(lane)), cut, found)?;
        }
        Ok(())
    }

    /// Returns the limit of the squared distance of bounds. Bounds contain their bodies.
    fn limit(&self, list: &[(f64, u32)]) -> f32 {
        let full = self.count.filter(|&count| list.len() == count);
        let farthest = full.and_then(|count| Some(list.get(count.checked_sub(1)?)?.0));
        let radius = self.search.reach.radius.unwrap_or(f64::INFINITY);
        let most = farthest.unwrap_or(f64::INFINITY).min(radius);
        f32::limit(((most * most) as f32).next_up())
    }

    /// Measures a body, and keeps it if it is near enough.
    fn offer(&self, list: &mut Nearest, id: u32, other: u32) -> Result<()> {
        let here = ((self.distance)(id, other)?, other);
        if self.search.reach.radius.is_some_and(|radius| here.0 > radius) {
            return Ok(());
        }
        match self.count {
            Some(count) if list.len() == count => {
                if self.order(&here, &list[count - 1]).is_gt() {
                    return Ok(());
                }
                list.pop();
            }
            _ => {}
        }
        memory::push(list, here, WHAT)?;
        if self.count == Some(list.len()) {
            // The last of a full list is the farthest.
            list.sort_unstable_by(|a, b| self.order(a, b));
        }
        Ok(())
    }
}

/// Returns the distance of two bodies. Both sets have centers of the same type.
fn distance(a: &Places<'_>, k: u32, b: &Places<'_>, other: u32) -> f64 {
    match (a, b) {
        (Places::Bodies(a), Places::Bodies(b)) => a.all().at(k).distance(b.all().at(other)),
        (Places::Boxes64(a), Places::Boxes64(b)) => a[k as usize].distance(&b[other as usize]),
        _ => f64::INFINITY,
    }
}

/// Returns the distance of a body and the nearest image of another.
fn periodic_distance([a, b]: [&Places<'_>; 2], [k, other]: [u32; 2], period: &Period) -> Result<f64> {
    let of = |bodies, centers| {
        PeriodicPair {
            bodies,
            centers,
            period,
            in_plane: false,
        }
        .distance()
    };
    match (a, b) {
        (Places::Bodies(a), Places::Bodies(b)) => {
            let bodies = [a.all().at(k), b.all().at(other)];
            of(bodies, bodies.map(|body| body.center().as_dvec3()))
        }
        (Places::Boxes64(a), Places::Boxes64(b)) => {
            let boxes = [&a[k as usize], &b[other as usize]];
            let own = boxes.map(|obb| obb.centered_at(Vec3::ZERO));
            of(own.each_ref().map(BodyRef::from), boxes.map(|obb| obb.center))
        }
        _ => Ok(f64::INFINITY),
    }
}

/// Returns boxes with centers in `f64` moved into the cell around 0, rounded; other bodies where
/// they are.
fn in_cell<'a>(places: &'a Places<'_>, period: &Period) -> Result<Places<'a>> {
    Ok(match places {
        Places::Boxes64(boxes) => {
            let moved = |k: usize| Obb64 {
                center: wrap::in_cell(boxes[k].center, period),
                ..boxes[k]
            };
            Places::Boxes64(parallel::collect(boxes.len(), BOUNDS, moved)?.into())
        }
        others => others.to_bodies(false)?,
    })
}

/// Moves the bounds of bodies into the cell around 0, unless they are already in it.
fn move_bounds(places: &Places<'_>, bounds: &mut [Bounds], period: &Period) {
    if let Places::Bodies(bodies) = places {
        parallel::update(bounds, |k, bounds| {
            let image = image_in_cell(bodies.all().at(k as u32).center().as_dvec3(), period);
            *bounds = bounds.moved(DVec3::from_array(period.moved(image).map(|(rounded, _)| rounded)));
        });
    }
}

/// Returns the bounds of both sets; of one set, if there is one, twice. Those of boxes with centers
/// in `f64` are wider by `rounding`.
fn bounds_of(found: &Places<'_>, asking: Option<&Places<'_>>, rounding: f32) -> Result<[Vec<Bounds>; 2]> {
    let of_bodies = |places: &Places<'_>| -> Result<Vec<Bounds>> {
        let mut bounds = memory::filled(places.len(), Bounds::zeroed(), BOUNDS)?;
        if let Places::Bodies(bodies) = places {
            let () = bodies.all().bounds(|_| 0.0, &mut bounds)?;
        }
        Ok(bounds)
    };
    let sets = [Some(found), asking];
    let boxes = sets.map(|places| match places {
        Some(Places::Boxes64(boxes)) => &boxes[..],
        _ => &[],
    });
    if boxes[0].is_empty() {
        return Ok([of_bodies(found)?, asking.map_or(Ok(Vec::new()), of_bodies)?]);
    }
    // Both must have the same origin.
    let mut all = Vec::new();
    memory::extend(&mut all, boxes[0], BOUNDS)?;
    memory::extend(&mut all, boxes[1], BOUNDS)?;
    let around = Surrounded::new(all.into(), true)?;
    let mut bounds = memory::filled(around.all().len(), Bounds::zeroed(), BOUNDS)?;
    let () = around.all().bounds(|_| rounding, &mut bounds)?;
    let of_asking = parallel::collect(boxes[1].len(), BOUNDS, |k| bounds[boxes[0].len() + k])?;
    bounds.truncate(boxes[0].len());
    Ok([bounds, of_asking])
}
