//! The kernels of the broad phase: from bounds to candidate pairs, with the rules or without.

use crate::base::config::Config;
use crate::base::error::Result;
use crate::broad_phase::grid::grid_build::{GridBuild, GridBuildBindings};
use crate::broad_phase::grid::grid_pairs::{GridPairs, GridPairsBindings};
use crate::broad_phase::grid::grid_plan::{GridPlan, GridPlanBindings};
use crate::broad_phase::grid::grid_probe::GridProbe;
use crate::broad_phase::grid::grid_query::GridQuery;
use crate::device::buffers::{Buffers, Inputs, Params};
use crate::device::context::Context;
use crate::device::limits::MOST_COUNTED;
use crate::device::timestamps::Stopwatch;

/// The kernels.
pub(super) struct BroadPhase {
    grid_plan: GridPlan,
    grid_probe: GridProbe,
    grid_build: GridBuild,
    pub grid_pairs: GridPairs,
    /// In place of it for movers; made when it is first needed.
    grid_query: Option<GridQuery>,
    /// Whether they ask the rules.
    ruled: bool,
}

/// What ties the kernels to their buffers.
pub(super) struct BroadPhaseBindings {
    grid_plan: GridPlanBindings,
    grid_probe: wgpu::BindGroup,
    grid_build: GridBuildBindings,
    grid_pairs: GridPairsBindings,
    /// If the boxes are movers.
    grid_query: Option<wgpu::BindGroup>,
}

impl BroadPhase {
    pub async fn new(context: &Context, config: &Config, ruled: bool) -> Result<Self> {
        Ok(Self {
            grid_plan: GridPlan::new(context).await?,
            grid_probe: GridProbe::new(context, ruled).await?,
            grid_build: GridBuild::new(context, ruled).await?,
            grid_pairs: GridPairs::new(context, config.count_operations, ruled, MOST_COUNTED).await?,
            grid_query: None,
            ruled,
        })
    }

    /// Makes what kernels so many boxes, or movers, need beside those that are there; says whether one for boxes is new.
    pub async fn prepare(&mut self, context: &Context, boxes: usize, movers: bool, config: &Config) -> Result<bool> {
        if movers && self.grid_query.is_none() {
            self.grid_query = Some(GridQuery::new(context, config.count_operations, self.ruled).await?);
        }
        let is_split = boxes > context.limits().bounds_segment() as usize;
        Ok(is_split && self.grid_pairs.split(context).await?)
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> BroadPhaseBindings {
        BroadPhaseBindings {
            grid_plan: self.grid_plan.bind(context, inputs, buffers),
            grid_probe: self.grid_probe.bind(context, inputs, buffers),
            grid_build: self.grid_build.bind(context, inputs, buffers),
            grid_pairs: self.grid_pairs.bind(context, inputs, buffers),
            grid_query: match (&self.grid_query, inputs.at_rest) {
                (Some(kernel), Some(at_rest)) => Some(kernel.bind(context, inputs, at_rest, buffers)),
                _ => None,
            },
        }
    }

    /// Records what sorts the boxes into the grid. Movers are not sorted.
    pub fn record_sort(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        bindings: &BroadPhaseBindings,
        params: &Params,
        watch: &mut Stopwatch,
    ) {
        if bindings.grid_query.is_some() {
            return;
        }
        let mut pass = watch.begin(encoder, "plan");
        self.grid_plan.record_group_sizes(&mut pass, &bindings.grid_plan);
        self.grid_probe
            .record(&mut pass, &bindings.grid_probe, params.probe_samples);
        self.grid_plan.record_choose_levels(&mut pass, &bindings.grid_plan);
        drop(pass);

        let mut pass = watch.begin(encoder, "sort");
        self.grid_build
            .record(&mut pass, &bindings.grid_build, u64::from(params.box_count));
    }

    /// Records the walk that finds the candidate pairs of a range.
    pub fn record_pairs(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        bindings: &BroadPhaseBindings,
        params: &Params,
        watch: &mut Stopwatch,
    ) {
        let mut pass = watch.begin(encoder, "pairs");
        match (&self.grid_query, &bindings.grid_query) {
            (Some(kernel), Some(bindings)) => kernel.record(&mut pass, bindings, u64::from(params.range_count)),
            _ => self.grid_pairs.record(&mut pass, &bindings.grid_pairs, params),
        }
    }
}
