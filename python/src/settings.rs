//! Settings by name.

use std::path::PathBuf;
use std::time::Duration;

use obbligato::{Backend, BroadPhase, Config, Error, Output, Precision};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{raise, shown};

/// The maximum number of threads: more threads than cores gain nothing, and each takes memory.
const MOST_THREADS: usize = 1024;

/// The parsed settings.
pub struct Settings {
    pub config: Config,
    /// The number of threads, if given.
    threads: Option<usize>,
    /// The settings as given, in the order of their names.
    pub written: String,
}

impl Settings {
    pub fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let (mut config, mut threads, mut written) = (Config::default(), None, Vec::new());
        for (name, value) in given.into_iter().flatten() {
            let name: String = name.extract()?;
            match &name[..] {
                "threads" => threads = number_of_threads(&value)?,
                _ => set(&mut config, &name, &value)?,
            }
            written.push(format!("{name}={}", value.repr()?));
        }
        written.sort();
        Ok(Self {
            config,
            threads,
            written: written.join(", "),
        })
    }

    /// A checker's own threads.
    pub fn pool(&self) -> PyResult<Option<ThreadPool>> {
        let Some(threads) = self.threads else { return Ok(None) };
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let unavailable = |_| {
            raise(Error::Unavailable {
                what: "with so many threads",
                hint: "the system refuses to start them: ask for fewer",
            })
        };
        pool.map(Some).map_err(unavailable)
    }
}

fn number_of_threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let wanted = format!("a number from 1 to {}, or None for one per core", MOST_THREADS - 1);
    match read("threads", value, &wanted)? {
        Some(0) | Some(MOST_THREADS..) => Err(PyValueError::new_err(format!(
            "threads is {}: give {wanted}",
            shown(value)?
        ))),
        threads => Ok(threads),
    }
}

/// The value of a setting or an argument.
pub fn read<'py, T: FromPyObjectOwned<'py>>(name: &str, value: &Bound<'py, PyAny>, wanted: &str) -> PyResult<T> {
    value.extract().map_err(Into::into).map_err(|error: PyErr| {
        let message = match shown(value) {
            Ok(shown) => format!("{name} is {shown}: give {wanted}"),
            Err(error) => return error,
        };
        match error.is_instance_of::<PyOverflowError>(value.py()) {
            true => PyValueError::new_err(message),
            false => PyTypeError::new_err(message),
        }
    })
}

fn set(config: &mut Config, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match name {
        "backend" => {
            let all = [("auto", Backend::Auto), ("gpu", Backend::Gpu), ("cpu", Backend::Cpu)];
            config.backend = chosen("backend", &read::<String>(name, value, "a text")?, all)?;
        }
        "adapter" => config.adapter = read(name, value, "a text, such as part of a GPU's name, or None")?,
        "broad_phase" => {
            let all: Vec<_> = BroadPhase::ALL.iter().map(|phase| (phase.name(), *phase)).collect();
            config.broad_phase = chosen("broad_phase", &read::<String>(name, value, "a text")?, all)?;
        }
        "output" => {
            let all = [
                ("pairs", Output::Pairs),
                ("degrees", Output::Degrees),
                ("count", Output::Count),
            ];
            config.output = chosen("output", &read::<String>(name, value, "a text")?, all)?;
        }
        "precision" => {
            let all = [
                ("exact", Precision::Exact),
                ("fast", Precision::Fast),
                ("conservative", Precision::Conservative),
            ];
            config.precision = chosen("precision", &read::<String>(name, value, "a text")?, all)?;
        }
        "margin" => config.margin = read(name, value, "a distance")?,
        "list_touching" => config.list_touching = read(name, value, "True or False")?,
        "max_pairs" => config.max_pairs = read(name, value, "a number of pairs, or None")?,
        "count_operations" => config.count_operations = read(name, value, "True or False")?,
        "least_boxes" => config.gpu.least_boxes = read(name, value, "a number of boxes")?,
        "pipeline_cache" => config.gpu.pipeline_cache = read::<Option<PathBuf>>(name, value, "a path, or None")?,
        "timeout" => {
            let wanted = "a number of seconds that is not negative";
            config.gpu.timeout = Duration::try_from_secs_f64(read(name, value, wanted)?).or_else(|_| {
                Err(PyValueError::new_err(format!(
                    "timeout is {}: give {wanted}",
                    shown(value)?
                )))
            })?;
        }
        _ => {
            return Err(PyTypeError::new_err(format!(
                "there is no setting {name}: the settings are backend, adapter, broad_phase, output, precision, margin, \
                 list_touching, max_pairs, count_operations, least_boxes, pipeline_cache, timeout and threads; rules, such as \
                 owners, go to each call"
            )));
        }
    }
    Ok(())
}

/// The choice with a given name.
pub fn chosen<T: Copy>(what: &str, name: &str, all: impl AsRef<[(&'static str, T)]>) -> PyResult<T> {
    let all = all.as_ref();
    let found = all.iter().find(|(other, _)| *other == name);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names = all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        PyValueError::new_err(format!("no {what} is named {name:?}: choose one of {names}"))
    })
}
