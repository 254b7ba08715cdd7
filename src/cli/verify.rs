//! `obbligato verify`: compares the pairs of the GPU, the CPU and an independent reference on one scene.

use std::path::{Path, PathBuf};

use obbligato::files::{self, Ids, ReadOptions, SceneFile};
use obbligato::{Backend, Checker, Engine, Pair, checksum, reference, verify};

use super::{
    adversarial,
    args::{DEFAULT_SEED, VerifyArguments},
    compare::{self, Effort, Reference},
    engine,
    failure::{Failure, note},
    generate, output,
    progress::Progress,
    replay,
    table::grouped,
};

pub fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let config = arguments.backend.config()?;
    if let Some(path) = &arguments.replay_out {
        let inputs: Vec<&Path> = arguments.file.iter().map(PathBuf::as_path).collect();
        output::check_paths(&[path], &inputs)?;
        files::check_output_path(path)?;
    }

    if let Some(count) = arguments.adversarial {
        return adversarial::run(count as u64, arguments.seed.unwrap_or(DEFAULT_SEED), arguments);
    }
    let progress = Progress::spinner("reading");
    let (name, scene) = load(arguments)?;
    replay::check(arguments.replay_out.as_deref(), &scene)?;
    progress.stage("checking");
    let asked_for = config.backend;
    let mut checker = engine::checker(config)?;
    let (text, failed) = compare_all(&mut checker, &scene, arguments.inject_fault, &progress)?;
    drop(progress);
    if asked_for == Backend::Auto && matches!(checker.engine(), Engine::Cpu { .. }) {
        note(&format!("verifying without a GPU: {}", checker.choice()));
    }

    let printed = output::print(&format!("{name}: {} boxes\n{text}", grouped(scene.boxes.len() as u64)));
    match failed {
        // A difference matters even if stdout is closed.
        Some(failed) => {
            let replay = replay::write(arguments.replay_out.as_deref(), &scene);
            Err(Failure::Difference(format!("{failed}; {replay}")))
        }
        None => printed,
    }
}

/// The scene and its name.
fn load(arguments: &VerifyArguments) -> Result<(String, SceneFile), Failure> {
    match (&arguments.file, arguments.scene, arguments.count) {
        (Some(file), ..) => {
            let options = ReadOptions {
                frame: arguments.frame,
                id_column: arguments.id_column.clone(),
                ..ReadOptions::default()
            };
            let scene = files::read_scene_with(file, &options)?;
            Ok((file.display().to_string(), scene))
        }
        (None, Some(scene), Some(count)) => {
            let seed = arguments.seed.unwrap_or(DEFAULT_SEED);
            let boxes = generate::scene(scene, count, seed)?;
            let named = SceneFile {
                boxes,
                ..SceneFile::default()
            };
            Ok((format!("{} (seed {seed})", scene.name()), named))
        }
        _ => Err(Failure::Input("name a scene file, or --scene with --count".into())),
    }
}

/// Compares everything with everything. Returns the report and the first difference.
fn compare_all(
    checker: &mut Checker,
    scene: &SceneFile,
    inject_fault: bool,
    progress: &Progress,
) -> Result<(String, Option<String>), Failure> {
    let set = scene.set();
    let boxes = set.boxes;
    let report = checker.check(boxes)?;
    let device = engine::describe(&report.engine);
    let on_gpu = matches!(report.engine, Engine::Gpu { .. });
    let touching = report.touching_pairs;
    let mut found = report.into_pairs();

    progress.stage("running the reference");
    let reference = Reference::new(boxes, Effort::FULL);
    let mut text = String::new();
    if inject_fault {
        text += &format!(
            "fault injected: {}\n",
            compare::inject_fault(&mut found, &reference, scene)
        );
    }
    text += &summary(&device, &found, touching, scene)?;
    let mut comparisons = vec![("the reference against the backend", reference.verify(&found, touching))];
    if on_gpu {
        progress.stage("running the CPU backend");
        let cpu = compare::on_cpu(boxes)?;
        text += &summary(&engine::describe(&cpu.engine), cpu.pairs(), cpu.touching_pairs, scene)?;
        comparisons.push((
            "the CPU backend against the GPU",
            compare::against(&cpu, &found, touching, boxes),
        ));
        if cpu.pairs() != found || cpu.touching_pairs != touching {
            let against_cpu = reference.verify(cpu.pairs(), cpu.touching_pairs);
            comparisons.push(("the reference against the CPU backend", against_cpu));
        }
    }

    if set.rules.owners.is_some() || set.rules.worlds.is_some() || set.rules.statics.is_some() {
        progress.stage("checking with the file's rules");
        let allowed = |pair: &&Pair| reference::allowed(&set.rules, **pair);
        let expected: Vec<Pair> = found.iter().filter(allowed).copied().collect();
        let ruled = checker.check(set)?;
        comparisons.push((
            "the rules by definition against the backend",
            verify::compare(&expected, ruled.pairs(), boxes),
        ));
    }

    let mut failed = None;
    for (what, verification) in comparisons {
        let verification = match scene.ids.as_ref().and_then(Ids::numbers) {
            Some(ids) => verification.named(ids),
            None => verification,
        };
        text += &format!("\n{what}: {verification}\n");
        if !verification.passed() && failed.is_none() {
            failed = Some(format!("{what}: {}", compare::numbers(&verification)));
        }
    }
    Ok((text, failed))
}

fn summary(device: &str, pairs: &[Pair], touching: Option<u64>, scene: &SceneFile) -> Result<String, Failure> {
    let keys = scene.keys()?;
    let key = |position: u32| match &keys {
        Some(keys) => keys.get(position as usize).copied().unwrap_or(position),
        None => position,
    };
    let keyed: Vec<Pair> = pairs.iter().map(|pair| Pair::new(key(pair.a), key(pair.b))).collect();
    let touching = touching.map(|number| format!(" ({} only touch)", grouped(number)));
    Ok(format!(
        "{device}: {} pairs{}, checksum {:016x}\n",
        grouped(pairs.len() as u64),
        touching.unwrap_or_default(),
        checksum(&keyed)
    ))
}
