//! Many small scenes, checked one by one and as worlds in one call.
//!
//! ```sh
//! cargo bench --bench worlds                     # 1,000 worlds of 1,000 boxes, CPU and GPU
//! cargo bench --bench worlds -- 100000 20 cpu    # 100,000 worlds of 20 boxes, only on the CPU
//! cargo bench --bench worlds -- mixed cpu        # another scene than uniform
//! ```
//!
//! Prints medians over the rounds, which alternate: of all worlds one by one and in one call, of as
//! many boxes in one world, the time one by one and that of one call relative to this, and
//! nanoseconds of one call for each world. For one thread, set `RAYON_NUM_THREADS=1`.

use std::time::Instant;

use obbligato::{Backend, Checker, Config, Error, Obb, Rules, Set};
use obbligato_verify::scenes::Scene;

/// Rounds of each measurement.
const ROUNDS: usize = 5;

fn main() -> Result<(), Error> {
    let arguments: Vec<usize> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    let [count, boxes_each] = arguments[..].try_into().unwrap_or([1000, 1000]);
    let scene = std::env::args()
        .find_map(|text| text.parse().ok())
        .unwrap_or(Scene::Uniform);
    let scenes: Vec<Vec<Obb>> = (0..count).map(|seed| scene.generate(boxes_each, seed as u64)).collect();
    let boxes = scenes.concat();
    let world_of: Vec<u32> = (0..boxes.len()).map(|i| (i / boxes_each) as u32).collect();
    let rules = Rules {
        worlds: Some(&world_of),
        ..Rules::default()
    };

    let together = scene.generate(boxes.len(), 1);
    let on_cpu = std::env::args().any(|text| text == "cpu");
    let backends = &[Backend::Cpu, Backend::Gpu][..if on_cpu { 1 } else { 2 }];

    println!("{count} worlds of {boxes_each} boxes, ms: one by one, in one call, one world; ratios; ns for each world");
    for &backend in backends {
        let config = Config {
            backend,
            ..Config::default()
        };
        let mut checker = match Checker::new(config) {
            Err(Error::NoAdapter { .. }) => {
                println!("no GPU adapter");
                continue;
            }
            other => other?,
        };
        let [mut one_by_one, mut in_one, mut one_world] = [const { Vec::new() }; 3];
        // The first round creates the buffers.
        for round in 0..=ROUNDS {
            let start = Instant::now();
            let mut pairs = 0;
            for scene in &scenes {
                pairs += checker.check(scene)?.colliding_pairs;
            }
            let middle = Instant::now();
            let report = checker.check(Set::from(&boxes).with(rules))?;
            let end = Instant::now();
            assert_eq!(report.colliding_pairs, pairs, "worlds are independent");
            drop(report);
            let last = Instant::now();
            checker.check(&together)?;
            if round > 0 {
                one_by_one.push((middle - start).as_secs_f64() * 1e3);
                in_one.push((end - middle).as_secs_f64() * 1e3);
                one_world.push(last.elapsed().as_secs_f64() * 1e3);
            }
        }
        let [one_by_one, in_one, one_world] = [one_by_one, in_one, one_world].map(median);
        println!(
            "{:?}: {one_by_one:.1}, {in_one:.1}, {one_world:.1}; {:.2}, {:.2}; {:.0}",
            checker.engine(),
            one_by_one / in_one,
            in_one / one_world,
            1e6 * in_one / count as f64
        );
    }
    Ok(())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
