//! The work of a GPU's walk compared with that of the CPU's walk of the same cells.

use bytemuck::Zeroable;

use crate::base::config::{Backend, BroadPhase, Config};
use crate::broad_phase::grid::phase::GridPhase;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::PairSearch;

use crate::checker::Checker;
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::query::Query;
use crate::engine::query::resolved::Holder;
use crate::geometry::bounds::Bounds;
use crate::geometry::scene_stats::Gathered;
use crate::made_up::{self, Scene};
use crate::outputs::report::Report;
use crate::rules::filter::SetRules;
use crate::shapes::obb::obb_bounds_cpu::obb_bounds;
use crate::shapes::obb::record::Obb;

/// The work of the CPU in cells that are as large as the largest record, as those of a GPU are.
fn on_cpu(boxes: &[Obb]) -> Operations {
    let mut bounds = vec![Bounds::zeroed(); boxes.len()];
    let stats: Gathered = obb_bounds(boxes, |_| 0.0, &mut bounds).expect("valid boxes");
    let (mut phase, rules) = (<GridPhase>::default(), SetRules::default());
    phase.sort(&mut bounds, &stats, &rules).expect("memory");
    phase.pairs::<true>(&rules, 0..boxes.len(), &mut |_, _| {})
}

/// The work of the GPU: without the checker, whose other backend would be compiled into this test.
fn on_gpu(engine: &mut GpuEngine, boxes: &[Obb]) -> Operations {
    let holder = Holder::new(Query::from(boxes), engine.margin()).expect("valid boxes");
    let query = holder.resolve().expect("valid rules");
    let report = pollster::block_on(engine.check(&query, Report::default()));
    report.expect("valid boxes").operations.expect("counts")
}

#[test]
fn a_gpu_walks_as_the_cpu_does() {
    let config = Config {
        backend: Backend::Gpu,
        broad_phase: BroadPhase::Grid,
        count_operations: true,
        ..Config::default()
    };
    let mut checker = Checker::new(config).expect("a GPU adapter, a software one will do");
    let engine = checker.gpu().expect("a GPU");
    for (scene, count) in [(Scene::Uniform, 20_000), (Scene::Mixed, 20_000)] {
        let boxes = made_up::boxes(scene, count, 7);
        let (cpu, gpu) = (on_cpu(&boxes), on_gpu(engine, &boxes));
        // Cells differ by rounding, and blocks of slots cut some rows.
        let near = |gpu: u64, cpu: u64, part: f64| (gpu as f64 / cpu as f64 - 1.0).abs() < part;
        assert!(near(gpu.comparisons, cpu.comparisons, 1e-3), "{gpu:?} {cpu:?}");
        assert!(near(gpu.rows, cpu.rows, 2e-2), "{gpu:?} {cpu:?}");
    }
}
