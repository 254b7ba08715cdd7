//! Descriptions of the engine of a check.

use obbligato::{Checker, Config, report::Engine};
use serde_json::{Value, json};

use super::failure::{Failure, note};

/// Returns a checker that takes the best device for scenes of any size: for measuring and verifying
/// it. Shows its warnings.
pub fn best_checker(mut config: Config) -> Result<Checker, Failure> {
    config.gpu.least_boxes = 0;
    let checker = Checker::new(config)?;
    warn(&checker);
    Ok(checker)
}

/// Shows a checker's warnings. It may have some once it has looked for a GPU, which small scenes do
/// not justify.
pub fn warn(checker: &Checker) {
    for warning in checker.warnings() {
        note(warning);
    }
}

/// Returns "gpu" or "cpu".
pub fn backend(engine: &Engine) -> &'static str {
    match engine {
        Engine::Gpu { .. } => "gpu",
        Engine::Cpu { .. } => "cpu",
    }
}

/// Returns the adapter's name, or the number of CPU threads.
pub fn adapter(engine: &Engine) -> String {
    match engine {
        Engine::Gpu { adapter, .. } => adapter.clone(),
        Engine::Cpu { threads } => format!("CPU, {}", plural(*threads, "thread")),
    }
}

/// Returns the driver, or null on the CPU.
pub fn driver(engine: &Engine) -> Value {
    match engine {
        Engine::Gpu { driver, .. } => json!(driver),
        Engine::Cpu { .. } => Value::Null,
    }
}

/// Returns `true` if the adapter is hardware. Times on a software adapter do not represent GPUs.
/// `None` on the CPU.
pub fn is_hardware(engine: &Engine) -> Option<bool> {
    match engine {
        Engine::Gpu { kind, .. } => Some(kind.is_hardware()),
        Engine::Cpu { .. } => None,
    }
}

/// Returns adapter and driver on one line.
pub fn describe(engine: &Engine) -> String {
    match engine {
        Engine::Gpu { adapter, driver, .. } if driver.is_empty() => format!("GPU {adapter}"),
        Engine::Gpu { adapter, driver, .. } => format!("GPU {adapter} ({driver})"),
        Engine::Cpu { threads } => format!("CPU backend, {}", plural(*threads, "thread")),
    }
}

fn plural(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
