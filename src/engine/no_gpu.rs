//! Stand-in for the GPU backend if the library is built without it.

use crate::base::config::{Backend, Config};
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::waiting::Waiting;
use crate::engine::memory_estimate::MemoryEstimate;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::resolved::Resolved;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contacts::Contacts;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::outputs::report::Report;
use crate::regions::room::{Enclosure, Room};
use crate::rules::model::Rules;
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::obb::record::Obb;

/// Uninhabited stand-in without the `gpu` feature. Code that uses a real engine compiles with it,
/// too.
pub(crate) enum GpuEngine {}

impl GpuEngine {
    /// Returns no engine and the reason, or an error if the configuration requires a GPU.
    pub async fn choose(config: &Config) -> Result<(Option<Self>, String)> {
        let wanted = match (config.backend, &config.adapter) {
            (Backend::Cpu, _) => return Ok((None, "the CPU backend was requested".to_owned())),
            (_, Some(adapter)) => format!("\"{adapter}\""),
            (Backend::Gpu, None) => "the GPU backend".to_owned(),
            (Backend::Auto, None) => return Ok((None, "the library was built without the feature `gpu`".to_owned())),
        };
        Err(Error::NoAdapter {
            wanted,
            found: "none, as the library was built without the feature `gpu`".to_owned(),
        })
    }

    pub fn engine(&self) -> &Engine {
        match *self {}
    }

    pub fn margin(&self) -> f64 {
        match *self {}
    }

    pub fn warnings(&self) -> &[String] {
        match *self {}
    }

    pub fn waiting(&mut self, _: Waiting) -> &mut Self {
        match *self {}
    }

    pub fn memory_estimate(&self, _: BodyCounts, _: usize) -> MemoryEstimate {
        match *self {}
    }

    pub fn sweep_memory_estimate(&self, _: BodyCounts, _: usize) -> MemoryEstimate {
        match *self {}
    }

    pub async fn prepare(&mut self, _: Bodies<'_>, _: Rules<'_>) -> Result<PreparedScene> {
        match *self {}
    }

    pub async fn check(&mut self, _: &Resolved<'_>, _: Report) -> Result<Report> {
        match *self {}
    }

    pub async fn check_as(&mut self, _: &Resolved<'_>, _: &Config, _: Report) -> Result<Report> {
        match *self {}
    }

    pub async fn contacts(&mut self, _: [&[Obb]; 2], _: &[Pair]) -> Result<Contacts> {
        match *self {}
    }

    pub async fn closest_points(&mut self, _: [&[Obb]; 2], _: &[Pair]) -> Result<Vec<ClosestPoints>> {
        match *self {}
    }

    pub async fn enclosures(&mut self, _: &Room, _: Bodies<'_>) -> Result<Vec<Enclosure>> {
        match *self {}
    }
}
