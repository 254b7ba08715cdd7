//! The settings of a checker.

use std::time::Duration;

use js_sys::{Reflect, global};
use obbligato::{Backend, BroadPhase, Config, Error, Output, Precision};
use wasm_bindgen::JsValue;

use crate::errors::{Result, invalid, raise};
use crate::options::Options;

const KNOWN: [&str; 10] = [
    "backend",
    "broadPhase",
    "output",
    "precision",
    "margin",
    "listTouching",
    "maxPairs",
    "leastBoxes",
    "timeout",
    // Which module answers depends on it, so the JavaScript API reads it.
    "threads",
];

/// The configuration in an object of settings.
pub fn config(value: &JsValue) -> Result<Config> {
    let (options, mut config) = (Options::new(value, &KNOWN)?, Config::default());
    let backends = [("auto", Backend::Auto), ("gpu", Backend::Gpu), ("cpu", Backend::Cpu)];
    config.backend = options.choice("backend", &backends)?.unwrap_or_default();
    let phases: Vec<_> = BroadPhase::ALL.iter().map(|phase| (phase.name(), *phase)).collect();
    config.broad_phase = options.choice("broadPhase", &phases)?.unwrap_or_default();
    let outputs = [
        ("pairs", Output::Pairs),
        ("degrees", Output::Degrees),
        ("count", Output::Count),
    ];
    config.output = options.choice("output", &outputs)?.unwrap_or_default();
    let precisions = [
        ("exact", Precision::Exact),
        ("fast", Precision::Fast),
        ("conservative", Precision::Conservative),
    ];
    config.precision = options.choice("precision", &precisions)?.unwrap_or_default();
    config.margin = options.number("margin")?.unwrap_or_default();
    config.list_touching = options.flag("listTouching")?;
    config.max_pairs = options.count("maxPairs")?;
    if let Some(least) = options.count("leastBoxes")? {
        config.gpu.least_boxes = least;
    }
    if let Some(seconds) = options.number("timeout")? {
        config.gpu.timeout = Duration::try_from_secs_f64(seconds)
            .map_err(|error| invalid(&format!("timeout: {error}: give seconds")))?;
    }
    if !has_webgpu() {
        match config.backend {
            Backend::Auto => config.backend = Backend::Cpu,
            Backend::Gpu => {
                return Err(raise(Error::NoAdapter {
                    wanted: "the GPU backend".to_owned(),
                    found: "no WebGPU".to_owned(),
                }));
            }
            Backend::Cpu => {}
        }
    }
    Ok(config)
}

/// Returns `true` if there is WebGPU here, even if it has no adapter.
fn has_webgpu() -> bool {
    let get = |object: &JsValue, name: &str| {
        let value = Reflect::get(object, &name.into()).ok()?;
        (!value.is_undefined() && !value.is_null()).then_some(value)
    };
    let navigator = get(&global(), "navigator");
    navigator.is_some_and(|navigator| get(&navigator, "gpu").is_some())
}
