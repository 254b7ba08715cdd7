//! The engines to compare: the CPU with several numbers of threads and lanes, and every adapter.

use std::process::Command;

use obbligato::{Backend, Checker, Config, report::Engine as Found};

use crate::{engine, failure::Failure, failure::note, lanes};

/// The numbers of threads of the CPU backend. More threads than cores run in a less regular order.
const THREADS: [usize; 4] = [1, 2, 4, 8];

/// The numbers of threads of lavapipe, Mesa's software adapter.
const LAVAPIPE_THREADS: [usize; 2] = [1, 2];

/// The variables that an engine sets, which others must not inherit.
const RAYON: &str = "RAYON_NUM_THREADS";
const LAVAPIPE: &str = "LP_NUM_THREADS";

/// An engine, and the numbers that it is run with.
#[derive(Clone, Debug, PartialEq)]
pub enum Engine {
    /// The CPU backend.
    Cpu { threads: usize, lanes: usize },
    /// An adapter, named as `--adapter` names it.
    Adapter {
        named: String,
        described: String,
        threads: Option<usize>,
    },
}

impl Engine {
    /// Returns its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Cpu { .. } => "CPU",
            Self::Adapter { described, .. } => described,
        }
    }

    /// Returns the number of threads, if it is known.
    pub fn threads(&self) -> Option<usize> {
        match self {
            Self::Cpu { threads, .. } => Some(*threads),
            Self::Adapter { threads, .. } => *threads,
        }
    }

    /// Returns the number of lanes, if it is known.
    pub fn lanes(&self) -> Option<usize> {
        match self {
            Self::Cpu { lanes, .. } => Some(*lanes),
            Self::Adapter { .. } => None,
        }
    }

    /// Returns its name and numbers.
    pub fn words(&self) -> String {
        let numbers = [
            (self.threads(), ["thread", "threads"]),
            (self.lanes(), ["lane", "lanes"]),
        ];
        let mut words = self.name().to_owned();
        for (number, [one, many]) in numbers {
            if let Some(number) = number {
                words += &format!(", {}", crate::table::counted(number as u64, one, many));
            }
        }
        words
    }

    /// Returns the options of a command that choose it; `fit` has none.
    pub fn options(&self, command: &str) -> Vec<String> {
        let words: &[&str] = match self {
            _ if command.starts_with("fit ") => &[],
            Self::Cpu { .. } => &["--backend", "cpu"],
            Self::Adapter { named, .. } => &["--backend", "gpu", "--adapter", named],
        };
        words.iter().map(|&word| word.to_owned()).collect()
    }

    /// Returns the variables of the environment that set its numbers.
    pub fn variables(&self) -> Vec<(&'static str, usize)> {
        match self {
            Self::Cpu { threads, lanes } => vec![(RAYON, *threads), (lanes::VARIABLE, *lanes)],
            Self::Adapter { threads, .. } => threads.map(|threads| (LAVAPIPE, threads)).into_iter().collect(),
        }
    }

    /// Sets these variables, and no others, for a command.
    pub fn set(&self, command: &mut Command) {
        for name in [RAYON, LAVAPIPE, lanes::VARIABLE] {
            command.env_remove(name);
        }
        for (name, number) in self.variables() {
            command.env(name, number.to_string());
        }
    }
}

/// Returns every engine that the options allow, those of the CPU first.
pub fn all(config: &Config) -> Result<Vec<Engine>, Failure> {
    let mut engines = Vec::new();
    if config.backend != Backend::Gpu && config.adapter.is_none() {
        for lanes in lanes::widths()? {
            engines.extend(THREADS.map(|threads| Engine::Cpu { threads, lanes }));
        }
    }
    if config.backend != Backend::Cpu {
        let adapters = match &config.adapter {
            Some(named) => vec![(named.clone(), chosen(config)?)],
            None => adapters(),
        };
        match (adapters.is_empty(), config.backend) {
            // The error says why there is none.
            (true, Backend::Gpu) => {
                chosen(config)?;
            }
            (true, _) => note("there is no adapter: the CPU alone is compared"),
            (false, _) => engines.extend(adapters.into_iter().flat_map(with_threads)),
        }
    }
    Ok(engines)
}

/// Returns the description of the adapter that the options choose.
fn chosen(config: &Config) -> Result<String, Failure> {
    let checker = Checker::new(Config {
        backend: Backend::Gpu,
        ..config.clone()
    })?;
    match checker.engine() {
        Found::Gpu { adapter, .. } => Ok(adapter.clone()),
        engine @ Found::Cpu { .. } => Ok(engine::describe(engine)),
    }
}

/// Returns the engines of an adapter.
fn with_threads((named, described): (String, String)) -> Vec<Engine> {
    let engine = |threads| Engine::Adapter {
        named: named.clone(),
        described: described.clone(),
        threads,
    };
    match described.contains("llvmpipe") {
        true => LAVAPIPE_THREADS.map(|threads| engine(Some(threads))).into(),
        false => vec![engine(None)],
    }
}

/// Returns the number and the name of every adapter.
#[cfg(feature = "gpu")]
fn adapters() -> Vec<(String, String)> {
    let adapters = obbligato::gpu::adapters().into_iter();
    adapters
        .map(|adapter| (adapter.index.to_string(), adapter.name))
        .collect()
}

#[cfg(not(feature = "gpu"))]
fn adapters() -> Vec<(String, String)> {
    Vec::new()
}
