//! Recorded frames of upright and of tilted boxes in turn.

use obbligato::gpu::FrameQuery;
use obbligato::{Config, Obb, Pair, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{Outcome, Recorded},
};
use obbligato_verify::reference::pairs_against;
use obbligato_verify::scenes::Scene;

use crate::five_axes::{COLUMNS, UNDECIDED, and_another, columns, settings, tilted};
use crate::support::application::Application;
use crate::support::gpu::{cpu_pairs, expect_pairs};

/// Copies of the results of a frame.
struct Copies([wgpu::Buffer; 3]);

impl Copies {
    fn of(application: &Application, encoder: &mut wgpu::CommandEncoder, recorded: &Recorded) -> Self {
        let buffers = [&recorded.outcome, &recorded.pairs, &recorded.undecided];
        Self(buffers.map(|buffer| application.copy(encoder, buffer)))
    }

    /// The pairs that collide, and the number of pairs that `f32` could not decide.
    fn read(&self, application: &Application, [of_a, of_b]: [&[Obb]; 2]) -> (Vec<Pair>, u32) {
        let [outcome, pairs, undecided] = &self.0;
        let outcome: Outcome = application.read(outcome)[0];
        assert_eq!(outcome.fits, 1, "{outcome:?}");
        let collides = |pair: &Pair| of_a[pair.a as usize].contact(&of_b[pair.b as usize]).collides();
        let mut found = application.read::<Pair>(pairs);
        found.truncate(outcome.pairs as usize);
        let left = application.read::<Pair>(undecided);
        found.extend(left.into_iter().take(outcome.undecided as usize).filter(collides));
        found.sort_unstable();
        (found, outcome.undecided_needed)
    }
}

#[test]
fn recorded_frames_in_turn() {
    let application = Application::new();
    for (settings, gpu) in settings() {
        let mut checker: GpuChecker = application.checker(Config {
            gpu,
            ..Config::default()
        });
        let crowd = Scene::Crowd.generate(1500, 5);
        let scenes = [
            (columns(COLUMNS), Some(0)),
            (and_another(columns(COLUMNS)), Some(UNDECIDED as u32)),
            (crowd.clone(), None),
            (tilted(&crowd, 2), None),
            (columns(COLUMNS), Some(0)),
        ];
        // All of them in one submission.
        let mut encoder = application.encoder();
        let frames = scenes.each_ref().map(|(boxes, _)| {
            let buffer = application.boxes(boxes);
            let recorded = checker.record(&mut encoder, FrameQuery::boxes(&buffer, boxes.len() as u32));
            Copies::of(&application, &mut encoder, &recorded.expect("a recorded frame"))
        });
        application.queue.submit([encoder.finish()]);
        for (k, (frame, (boxes, expected))) in frames.iter().zip(&scenes).enumerate() {
            let (pairs, undecided) = frame.read(&application, [boxes, boxes]);
            expect_pairs(&format!("frame {k}, {settings}"), &cpu_pairs(boxes), &pairs);
            assert!(
                expected.is_none_or(|expected| expected == undecided),
                "frame {k}: {undecided}"
            );
        }
    }
}

#[test]
fn recorded_movers_in_turn() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let sets = [columns(COLUMNS), and_another(columns(COLUMNS))];
    let scenes = sets
        .each_ref()
        .map(|boxes| checker.checker().prepare(boxes).expect("valid boxes"));
    let mut encoder = application.encoder();
    let mut frames = Vec::new();
    for (rests, scene) in scenes.iter().enumerate() {
        for (moves, movers) in sets.iter().enumerate() {
            let buffer = application.boxes(movers);
            let recorded = checker.record(&mut encoder, FrameQuery::against(scene, &buffer, movers.len() as u32));
            let copies = Copies::of(&application, &mut encoder, &recorded.expect("a recorded frame"));
            frames.push((rests, moves, copies));
        }
    }
    application.queue.submit([encoder.finish()]);
    for (rests, moves, frame) in frames {
        let what = format!("tilted: at rest {rests}, movers {moves}");
        let (pairs, undecided) = frame.read(&application, [&sets[rests], &sets[moves]]);
        expect_pairs(&what, &pairs_against(&sets[rests], &sets[moves]), &pairs);
        let expected = if rests + moves > 0 { 2 * UNDECIDED as u32 } else { 0 };
        assert_eq!(undecided, expected, "{what}");
    }
}
