//! `obbligato verify`: compares the pairs of the GPU, the CPU and an independent reference on one
//! scene.

mod grounds;
mod page;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use obbligato::{
    Backend, Checker, Pair, Rules,
    report::{Engine, checksum},
};
use obbligato_files as files;
use obbligato_files::{ReadOptions, SceneFile};
use obbligato_verify::compare::Verification;
use serde_json::{Value, json};

use self::grounds::Ground;
use super::{
    adversarial,
    args::values::DEFAULT_SEED,
    args::verify::VerifyArguments,
    compare::{self, Effort, Extent, Reference, Subject, Verdict},
    determinism, engine,
    failure::{Failure, note},
    generate, json,
    output::{self, Sink},
    period,
    progress::Progress,
    replay,
    table::{self, counted, grouped},
};

pub fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    if arguments.determinism {
        return determinism::run(arguments);
    }
    let config = arguments.search.config()?;
    check_outputs(arguments)?;
    if let Some(count) = arguments.adversarial {
        return adversarial::run(count as u64, seed(arguments), arguments);
    }
    let progress = Progress::spinner("reading");
    let (name, scene) = load(arguments)?;
    replay::check(arguments.replay_out.as_deref(), &scene)?;
    progress.stage("checking");
    let asked_for = config.backend;
    let mut checker = engine::best_checker(config)?;
    let outcome = compare_all(&mut checker, &scene, arguments, &progress)?;
    drop(progress);
    if asked_for == Backend::Auto && matches!(checker.engine(), Engine::Cpu { .. }) {
        note(&format!("verifying without a GPU: {}", checker.choice()));
    }

    let page = arguments.html.as_ref();
    let written = output::write_page(page, || outcome.page(&name, &scene, arguments));
    let printed = written.and_then(|()| {
        output::show_beside(
            page.map(Sink::target),
            arguments.json.as_ref(),
            || outcome.json(&name, &scene, arguments),
            || outcome.text(&name, &scene, arguments),
        )
    });
    match outcome.failed() {
        // A difference matters even if stdout is closed.
        Some(failed) => {
            let replay = replay::write(arguments.replay_out.as_deref(), &scene);
            Err(Failure::Difference(format!("{failed}; {replay}")))
        }
        None => printed.and_then(|()| outcome.unnoticed().map_or(Ok(()), Err)),
    }
}

/// Returns the seed of generated scenes, and of the fault.
fn seed(arguments: &VerifyArguments) -> u64 {
    arguments.seed.unwrap_or(DEFAULT_SEED)
}

/// Checks, before the work, that the outputs can be written.
fn check_outputs(arguments: &VerifyArguments) -> Result<(), Failure> {
    let reports = [&arguments.json, &arguments.html]
        .into_iter()
        .flatten()
        .map(Sink::target);
    let outputs: Vec<&Path> = arguments.replay_out.as_deref().into_iter().chain(reports).collect();
    let inputs: Vec<&Path> = arguments.file.iter().map(PathBuf::as_path).collect();
    output::check_paths(&outputs, &inputs, &arguments.search.kept())?;
    Ok(arguments
        .replay_out
        .as_deref()
        .map_or(Ok(()), files::check_output_path)?)
}

/// Returns the scene and its name.
fn load(arguments: &VerifyArguments) -> Result<(String, SceneFile), Failure> {
    match (&arguments.file, arguments.scene, arguments.count) {
        (Some(file), ..) => {
            let options = ReadOptions {
                frame: arguments.frame,
                id_column: arguments.id_column.clone(),
                f64: arguments.f64,
                ..ReadOptions::default()
            };
            let scene = files::read_scene_with(file, &options)?;
            Ok((file.display().to_string(), scene))
        }
        (None, Some(scene), Some(count)) => {
            let bodies = generate::scene(scene, count, seed(arguments))?;
            Ok((scene.name().to_owned(), bodies))
        }
        _ => Err(Failure::Input("name a scene file, or --scene with --count".into())),
    }
}

/// The results of a backend.
struct Found {
    engine: Engine,
    pairs: Vec<Pair>,
    touching: Option<u64>,
}

/// The comparisons and their outcomes.
struct Outcome<'a> {
    /// The numbers that replace the boxes' positions in the checksum, if any.
    keys: Option<Cow<'a, [u32]>>,
    /// The results of the backend.
    own: Found,
    /// The fault in it, if one was injected.
    fault: Option<String>,
    /// The results of the CPU backend, if the backend was a GPU.
    twin: Option<Found>,
    /// The comparisons, that of the reference with the backend first.
    comparisons: Vec<(&'static str, Verification)>,
}

/// Compares everything with everything.
fn compare_all<'a>(
    checker: &mut Checker,
    scene: &'a SceneFile,
    arguments: &VerifyArguments,
    progress: &Progress,
) -> Result<Outcome<'a>, Failure> {
    let boxes64 = scene.centers.as_ref().map(|_| scene.boxes64()).transpose()?;
    let subject = match &boxes64 {
        Some(boxes) => Subject::Boxes64(boxes),
        None => Subject::Bodies(scene.bodies()),
    };
    let check = |checker: &mut Checker, rules| {
        let report = subject.check(checker, rules, arguments.period);
        report.map_err(|error| period::named(scene, error))
    };
    let report = check(checker, Rules::default())?;
    let candidates = report.candidate_pairs;
    let mut own = Found {
        engine: report.engine.clone(),
        touching: report.touching_pairs,
        pairs: report.into_pairs()?,
    };
    let fault = arguments
        .inject_fault
        .then(|| compare::inject_fault(&mut own.pairs, seed(arguments), scene));

    progress.stage("running the reference");
    let extent = arguments.verify_boxes.or(fault.is_some().then_some(Extent::All));
    let reference = match arguments.period {
        Some(period) => Reference::periodic(subject, period),
        None => Reference::new(subject, extent, Effort::FULL, candidates),
    };
    let mut comparisons = vec![(
        "the reference against the backend",
        reference.verify(&own.pairs, own.touching),
    )];
    let mut twin = None;
    if matches!(own.engine, Engine::Gpu { .. }) {
        progress.stage("running the CPU backend");
        twin = Some(compare_with_cpu(&own, subject, &reference, &mut comparisons)?);
    }
    if let Some(expected) = compare::ruled(scene, &own.pairs) {
        progress.stage("checking with the file's rules");
        let ruled = check(checker, scene.rules())?;
        comparisons.push((
            "the rules by definition against the backend",
            subject.compare(&expected, ruled.pairs()?),
        ));
    }
    if let Some(names) = compare::names(scene) {
        let named = |(what, verification): (_, Verification)| (what, verification.named(names));
        comparisons = comparisons.into_iter().map(named).collect();
    }
    Ok(Outcome {
        keys: scene.keys()?,
        own,
        twin,
        fault,
        comparisons,
    })
}

/// Compares the results of a GPU with those of the CPU backend, and these with the reference if
/// they differ. Returns the results of the CPU backend.
fn compare_with_cpu(
    own: &Found,
    subject: Subject<'_>,
    reference: &Reference<'_>,
    comparisons: &mut Vec<(&'static str, Verification)>,
) -> Result<Found, Failure> {
    let cpu = compare::on_cpu(subject)?;
    comparisons.push((
        "the CPU backend against the GPU",
        compare::against(&cpu, &own.pairs, own.touching, subject)?,
    ));
    if cpu.pairs()? != own.pairs || cpu.touching_pairs != own.touching {
        let against_cpu = reference.verify(cpu.pairs()?, cpu.touching_pairs);
        comparisons.push(("the reference against the CPU backend", against_cpu));
    }
    Ok(Found {
        engine: cpu.engine.clone(),
        touching: cpu.touching_pairs,
        pairs: cpu.into_pairs()?,
    })
}

impl Outcome<'_> {
    /// Describes the first difference, if any.
    fn failed(&self) -> Option<String> {
        let mut failed = self
            .comparisons
            .iter()
            .filter(|(_, verification)| !verification.passed());
        let (what, verification) = failed.next()?;
        Some(format!("{what}: {}", compare::numbers(verification)))
    }

    /// Returns a failure if an injected fault was not noticed.
    fn unnoticed(&self) -> Option<Failure> {
        let fault = self.fault.as_ref()?;
        let verdict = self.verdict();
        Some(Failure::Difference(format!(
            "the fault was not noticed: {fault} is in none of the boxes compared, {} of {}: use --verify-boxes all",
            grouped(verdict.boxes as u64),
            grouped(verdict.of as u64)
        )))
    }

    /// Returns the outcome of comparing the reference with the backend.
    fn verdict(&self) -> Verdict {
        let (_, against_reference) = &self.comparisons[0];
        let passed = against_reference.passed();
        Verdict::new(
            against_reference,
            (!passed).then(|| compare::numbers(against_reference)),
        )
    }

    /// Returns the outcome as text.
    fn text(&self, name: &str, scene: &SceneFile, arguments: &VerifyArguments) -> String {
        let seed = arguments.scene.map(|_| format!(" (seed {})", seed(arguments)));
        let [one, many] = table::bodies(scene);
        let bodies = counted(scene.len() as u64, one, many);
        let mut text = format!("{name}{}: {bodies}\n", seed.unwrap_or_default());
        if let Some(fault) = &self.fault {
            text += &format!("fault injected: {fault}\n");
        }
        for found in [&self.own].into_iter().chain(&self.twin) {
            let touching = found
                .touching
                .map(|number| format!(" ({} only touch)", grouped(number)));
            text += &format!(
                "{}: {}{}, checksum {:016x}\n",
                engine::describe(&found.engine),
                counted(found.pairs.len() as u64, "pair", "pairs"),
                touching.unwrap_or_default(),
                found.checksum(self.keys.as_deref())
            );
        }
        text += &format!("compared with the reference: {} {many}\n", self.verdict().extent());
        for (what, verification) in &self.comparisons {
            text += &format!("\n{what}: {verification}\n");
        }
        text += "\nwhat this rests on:\n";
        for ground in self.grounds(scene, arguments) {
            let [why, detail] = ground.why();
            text += &format!("- {}\n  {why}; {detail}\n", ground.statement);
        }
        text
    }

    /// Returns the outcome as JSON.
    fn json(&self, name: &str, scene: &SceneFile, arguments: &VerifyArguments) -> Value {
        let own = &self.own;
        let comparisons = self.comparisons.iter().map(|(what, compared)| {
            json!({
                "what": what,
                "boxes": compared.compared,
                "of": compared.boxes,
                "expected_pairs": compared.expected,
                "found_pairs": compared.found,
                "missing_pairs": compared.missing.len(),
                "extra_pairs": compared.extra.len(),
                "wrong_degrees": compared.degree_mismatches.len(),
                "expected_touching": compared.touching.map(|(expected, _)| expected),
                "found_touching": compared.touching.map(|(_, found)| found),
                "passed": compared.passed(),
            })
        });
        json!({
            "scene": name,
            "boxes": scene.len(),
            "seed": arguments.scene.map(|_| seed(arguments)),
            "backend": engine::backend(&own.engine),
            "adapter": engine::adapter(&own.engine),
            "driver": engine::driver(&own.engine),
            "colliding_pairs": own.pairs.len(),
            "touching_pairs": own.touching,
            "checksum": json::checksum(own.checksum(self.keys.as_deref())),
            "fault": self.fault,
            "verified": self.verdict().json(),
            "comparisons": comparisons.collect::<Vec<_>>(),
            "grounds": self.grounds(scene, arguments).iter().map(Ground::json).collect::<Vec<_>>(),
            "passed": self.failed().is_none() && self.unnoticed().is_none(),
        })
    }
}

impl Found {
    /// Returns the checksum as in a check: of the pairs by their ids.
    fn checksum(&self, keys: Option<&[u32]>) -> u64 {
        let key = |position: u32| {
            keys.and_then(|keys| keys.get(position as usize))
                .copied()
                .unwrap_or(position)
        };
        let keyed = |pair: &Pair| Pair::new(key(pair.a), key(pair.b));
        checksum(&self.pairs.iter().map(keyed).collect::<Vec<_>>())
    }
}
