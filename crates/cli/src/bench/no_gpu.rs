//! Stand-in for frames that stay on a GPU, without the `gpu` feature.

use std::path::Path;

use obbligato::{Bodies, Checker, Report, report::Operations};
use serde_json::Value;

use crate::{args::bench::BenchOptions, failure::Failure, measure::Measurement, progress::Progress};

/// Uninhabited stand-in without the `gpu` feature.
#[derive(Clone, Debug)]
pub enum Resident {}

/// Uninhabited stand-in without the `gpu` feature.
#[derive(Clone, Copy, Debug)]
pub enum DeviceRates {}

impl Resident {
    pub const fn mode(&self) -> &'static str {
        match *self {}
    }

    pub fn frames(&self) -> u32 {
        match *self {}
    }

    pub fn rates_json(&self) -> Value {
        match *self {}
    }

    pub fn table(&self, _: &str, _: &Report, _: Option<&Operations>) -> Option<String> {
        match *self {}
    }

    pub fn json(&self, _: &Report, _: Option<&Operations>) -> Value {
        match *self {}
    }
}

fn without() -> Failure {
    Failure::Input(
        "--resident and --hardware need a GPU, but the program was built without the feature `gpu`: build it with that feature"
            .into(),
    )
}

pub fn run(_: &Path, _: &BenchOptions) -> Result<(), Failure> {
    Err(without())
}

pub fn rates(_: &mut Checker) -> Result<Option<DeviceRates>, Failure> {
    Err(without())
}

pub fn bandwidth(rates: &DeviceRates) -> f64 {
    match *rates {}
}

pub fn rates_line(rates: &DeviceRates) -> String {
    match *rates {}
}

pub fn measure(
    _: &mut Checker,
    _: Bodies<'_>,
    _: Option<u32>,
    _: bool,
    _: Option<DeviceRates>,
    _: &Progress,
) -> Result<(Measurement, Resident), Failure> {
    Err(without())
}

#[allow(clippy::unnecessary_wraps, reason = "as with a GPU")]
pub fn memory_bandwidth(_: &mut Checker) -> Result<Option<f64>, Failure> {
    Ok(None)
}
