//! Broad phases other than the grid, and the choice among them.

use obbligato::{
    BroadPhase, Checker, Config, Report,
    tracking::{Coherence, Tracker, TrackerConfig},
};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use super::{check, on_cpu, on_gpu};

/// The report of a check with this broad phase, after comparing it with the reference.
fn found_by(broad_phase: BroadPhase, config: Config) -> Report {
    let boxes = Scene::Mixed.generate(3000, 4);
    let report = check(Config { broad_phase, ..config }, &boxes);
    assert!(
        report.pairs().expect("asked for") == colliding_pairs(&boxes),
        "{broad_phase}"
    );
    assert_eq!(report.broad_phase.map(|choice| choice.used), Some(broad_phase));
    report
}

/// Along one axis, and along three from frame to frame.
#[test]
fn p1_sort_and_sweep() {
    found_by(BroadPhase::Sweep, on_cpu());
    let config = TrackerConfig {
        coherence: Coherence::SweepLists,
        ..TrackerConfig::default()
    };
    let mut tracker = Tracker::new(Checker::new(on_cpu()).expect("the CPU serves"), config);
    let mut boxes = Scene::Crowd.generate(1000, 4);
    for frame in 0..5 {
        let found = tracker.update_by_position(&boxes).expect("valid boxes");
        assert!(found.pairs == colliding_pairs(&boxes), "frame {frame}");
        boxes.iter_mut().step_by(3).for_each(|moved| moved.center.x += 0.2);
    }
}

#[test]
fn p3_trees_of_bounds() {
    found_by(BroadPhase::Tree, on_cpu());
    found_by(BroadPhase::Lbvh, on_cpu());
    found_by(BroadPhase::Lbvh, on_gpu());
}

#[test]
fn p4_octree() {
    found_by(BroadPhase::Octree, on_cpu());
}

/// The report names the chosen broad phase and the reason.
#[test]
fn p6_a_broad_phase_is_chosen() {
    for (scene, count) in [(Scene::Uniform, 60), (Scene::Mixed, 3000), (Scene::Bricks, 3000)] {
        let boxes = scene.generate(count, 4);
        let report = check(on_cpu(), &boxes);
        assert!(report.pairs().expect("asked for") == colliding_pairs(&boxes));
        let choice = report.broad_phase.expect("pairs were looked for");
        assert_eq!(choice.used == BroadPhase::AllPairs, count < 100, "{}", choice.why);
        assert!(choice.why.split(' ').count() > 5, "{}", choice.why);
    }
}
