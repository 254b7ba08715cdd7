//! Times and verifies one row of the benchmark.

use obbligato::{
    Checker, Config, Output, Pair, Report, Set,
    report::{Operations, checksum},
};
use obbligato_files::SceneFile;

use super::{
    resident::{self, DeviceRates},
    row::Row,
    subject::Subject,
};
use crate::{
    args::bench::BenchOptions,
    args::choices::PrecisionName,
    compare::{self, Extent, Verdict},
    failure::Failure,
    measure,
    progress::Progress,
};

/// The options for timing and verifying rows.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Set for frames that stay on the GPU instead of checks.
    pub resident: bool,
    /// Set if such frames keep the order of the first.
    pub refit: bool,
    /// The peak rates of the device's memory.
    pub rates: Option<DeviceRates>,
    pub frames: Option<u32>,
    pub precision: PrecisionName,
    pub verify: bool,
    pub verify_boxes: Option<Extent>,
}

impl Manner {
    pub fn new(options: &BenchOptions, rates: Option<DeviceRates>) -> Self {
        Self {
            resident: options.resident,
            refit: options.refit,
            rates,
            frames: options.frames,
            precision: options.precision,
            verify: !options.no_verify,
            verify_boxes: options.verify_boxes,
        }
    }
}

/// Times and verifies a scene.
pub fn time(
    checker: &mut Checker,
    config: &Config,
    (subject, scene): (&Subject, &SceneFile),
    manner: Manner,
    progress: &Progress,
) -> Result<Row, Failure> {
    let name = subject.name();
    progress.stage(name.clone());
    let (mut measured, resident) = match manner.resident {
        false => (measure::measure(checker, scene.set(), manner.frames, progress)?, None),
        true if compare::ruled(scene, &[]).is_some() => {
            return Err(Failure::Input(format!(
                "{name}: has rules, which --resident does not support: drop --resident, or the columns owner, world and static"
            )));
        }
        true => {
            let (frames, refit, rates) = (manner.frames, manner.refit, manner.rates);
            let (measured, resident) = resident::measure(checker, scene.bodies(), frames, refit, rates, progress)?;
            (measured, Some(resident))
        }
    };
    if let Some(rows) = &scene.rows {
        // The rows of a file name its bodies, as in `check`.
        let row = |position: u32| rows[position as usize];
        let named = |pair: &Pair| checksum(&[Pair::new(row(pair.a), row(pair.b))]);
        let pairs = measured.report.pairs()?;
        measured.checksum = pairs.iter().map(named).fold(0, u64::wrapping_add);
    }
    progress.stage(format!("verifying {name}"));
    let verdict = match manner.precision {
        // Fast guarantees nothing about pairs that nearly touch, so there is nothing to verify.
        PrecisionName::Fast if measured.steady => None,
        _ if !manner.verify => None,
        _ if !measured.steady => Some(Verdict {
            boxes: 0,
            of: scene.len(),
            difference: Some("its frames differ from each other".into()),
        }),
        _ => Some(verify(checker, scene, &measured.report, manner)?),
    };
    Ok(Row {
        subject: subject.clone(),
        precision: manner.precision,
        operations: operations(config, scene.set())?,
        measured,
        verdict,
        resident,
    })
}

/// Compares the result with the reference, which does not know the rules of files: those are
/// applied to the pairs that it confirms.
fn verify(checker: &mut Checker, scene: &SceneFile, report: &Report, manner: Manner) -> Result<Verdict, Failure> {
    let bodies = scene.bodies();
    let judge = |report: &Report| match manner.precision {
        PrecisionName::Conservative => compare::quick_superset(bodies, report, manner.verify_boxes),
        _ => compare::quick(bodies, report, manner.verify_boxes),
    };
    if compare::ruled(scene, &[]).is_none() {
        return judge(report);
    }
    let free = checker.check(bodies)?;
    let verdict = judge(&free)?;
    let allowed: Option<Vec<Pair>> = compare::ruled(scene, free.pairs()?);
    let found = report.pairs()?;
    let agrees = allowed.is_none_or(|allowed| allowed == found);
    let difference = (!agrees).then(|| "the result and the rules by definition differ".into());
    Ok(Verdict {
        difference: verdict.difference.or(difference),
        ..verdict
    })
}

/// Counts the broad phase's work on these bodies, in a separate call that is not timed.
fn operations(config: &Config, bodies: Set<'_>) -> Result<Option<Operations>, Failure> {
    let mut counting = Checker::new(Config {
        output: Output::Count,
        count_operations: true,
        ..config.clone()
    })?;
    Ok(counting.check(bodies)?.operations)
}
