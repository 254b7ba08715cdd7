//! Checks of boxes that have margins of their own: the device finds the pairs whose bounds, wider by these margins, overlap, and
//! the host, by the code of the CPU backend, which of them are near enough.

use std::time::Instant;

use crate::base::config::{Config, Output, Precision};
use crate::base::error::Result;
use crate::base::problem::COORDINATE_LIMIT;
use crate::base::timings::milliseconds;
use crate::base::{memory, parallel};
use crate::engine::cpu::{CpuChecker, Subject};
use crate::engine::gpu::GpuChecker;
use crate::engine::gpu::input::Input;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{Bounds, half_margin};
use crate::geometry::pair::Pair;
use crate::geometry::pair::validate_pairs;
use crate::outputs::report::Report;
use crate::rules::filter::PairRules;
use crate::shapes::aabb::aabb_bounds_cpu;
use crate::shapes::obb::obb_bounds_cpu::bounds_of;
use crate::shapes::obb::record::Obb;

impl GpuChecker {
    pub(super) async fn run_with_margins(
        &mut self,
        input: Input<'_>,
        rules: &PairRules<'_>,
        candidates: Option<&[Pair]>,
    ) -> Result<Report> {
        let start = Instant::now();
        let config = self.config.clone();
        let to_host = Config {
            output: Output::Pairs,
            max_pairs: None,
            precision: Precision::Conservative,
            list_touching: false,
            ..config.clone()
        };
        input.validate()?;
        // Margins are no rules to the device, which widens by that of all pairs itself.
        let own = |id: u32| rules.sets[1].widening(id, 0.0);
        let (subject, found) = match input {
            Input::Bounds(bounds) => {
                let widened = widened(bounds.len(), |i| wider(&bounds[i], own(i as u32)))?;
                return self.run_with(&config, Input::Bounds(&widened), rules, None).await;
            }
            Input::Boxes(boxes) => {
                let subject = Subject::Boxes(boxes);
                if let Some(pairs) = candidates {
                    validate_pairs(boxes.len(), pairs)?;
                    return CpuChecker::test_pairs(subject, pairs, rules, start, &config);
                }
                let bounds = widened(boxes.len(), |i| {
                    let Bounds { low, high, .. } = bounds_of(&boxes[i], own(i as u32), i as u32);
                    clamped(Aabb::new(low, high))
                })?;
                (
                    subject,
                    self.run_with(&to_host, Input::Bounds(&bounds), rules, None).await?,
                )
            }
            Input::Movers { scene, movers } => {
                let of_scene = half_margin(2.0 * scene.rules.largest_margin());
                let around = widened(movers.len(), |i| box_around(&movers[i], own(i as u32) + of_scene))?;
                let input = Input::Movers { scene, movers: &around };
                let subject = Subject::Movers {
                    scene: &scene.boxes,
                    movers,
                };
                (subject, self.run_with(&to_host, input, rules, None).await?)
            }
        };
        let tested = CpuChecker::test_pairs(subject, found.pairs(), rules, start, &config)?;
        let mut timings = found.timings;
        timings.wall.extend(tested.timings.wall);
        timings.total = milliseconds(start.elapsed());
        Ok(Report {
            engine: found.engine,
            grid: found.grid,
            operations: found.operations,
            device_bytes: found.device_bytes,
            traffic: found.traffic,
            named: found.named,
            timings,
            ..tested
        })
    }
}

fn widened<T: bytemuck::Pod + Send>(count: usize, item: impl Fn(usize) -> T + Sync + Send) -> Result<Vec<T>> {
    let mut all = memory::zeroed(count, "the bounds of boxes with margins")?;
    parallel::fill(&mut all, item);
    Ok(all)
}

/// The same bounds, wider by `margin`, rounded outwards as on the CPU backend.
fn wider(bounds: &Aabb, margin: f32) -> Aabb {
    let Bounds { low, high, .. } = aabb_bounds_cpu::bounds_of(bounds, margin, 0);
    clamped(Aabb::new(low, high))
}

/// Bounds within the limit of coordinates: those of two boxes overlap as they did.
fn clamped(bounds: Aabb) -> Aabb {
    let limit = glam::Vec3::splat(COORDINATE_LIMIT);
    Aabb::new(bounds.min.clamp(-limit, limit), bounds.max.clamp(-limit, limit))
}

/// A box along the world's axes, with the same groups, that holds all points no further than `margin` from a box.
fn box_around(solid: &Obb, margin: f32) -> Obb {
    let Bounds { low, high, .. } = bounds_of(solid, margin, 0);
    let Aabb { min, max } = clamped(Aabb::new(low, high));
    let center = 0.5 * min + 0.5 * max;
    // Rounded up: the center may be off by a unit in the last place.
    let half_extents = (max - center).max(center - min) * (1.0 + 4.0 * f32::EPSILON) + f32::MIN_POSITIVE;
    Obb::axis_aligned(center, half_extents.min(glam::Vec3::splat(COORDINATE_LIMIT)))
        .with_groups(solid.memberships, solid.filter)
}
