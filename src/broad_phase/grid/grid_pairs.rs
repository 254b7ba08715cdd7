//! Dispatcher of `shaders/broad_phase/grid/grid_pairs.wgsl`.

use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs, Params};
use crate::device::context::Context;
use crate::device::kernel::{AppendingSource, Kernel, appending_source};
use crate::rules::list::{RULES_A, RULES_B};

pub(crate) const SOURCE: AppendingSource = appending_source!(
    "shared/loops.wgsl",
    "broad_phase/grid/grid.wgsl",
    "rules/rules.wgsl",
    "broad_phase/grid/walk.wgsl",
    "broad_phase/grid/grid_pairs.wgsl"
);

/// Invocations of a workgroup: few, as their walks differ in length.
pub(crate) const WORKGROUP: u32 = 64;

/// Finds the candidate pairs of a range of records.
pub(crate) struct GridPairs {
    whole: Kernel,
    /// For records over two bindings; made when it is first needed.
    split: Option<Kernel>,
    constants: [(&'static str, f64); 3],
}

/// The bind groups of both kernels.
pub(crate) struct GridPairsBindings {
    whole: wgpu::BindGroup,
    split: Option<wgpu::BindGroup>,
}

impl GridPairs {
    /// The kernel, which counts its work if `count_operations` says so, asks the rules if it is `ruled`, and counts at most
    /// `most_counted` pairs of a record among others: [`MOST_COUNTED`](crate::gpu::limits::MOST_COUNTED), or fewer in tests of
    /// what happens then.
    pub async fn new(context: &Context, count_operations: bool, ruled: bool, most_counted: u32) -> Result<Self> {
        let constants = [
            ("count_operations", f64::from(count_operations)),
            ("ruled", f64::from(ruled)),
            ("most_counted", f64::from(most_counted)),
        ];
        Ok(Self {
            whole: Kernel::new(context, SOURCE.on(context), "grid_pairs", WORKGROUP, &constants).await?,
            split: None,
            constants,
        })
    }

    /// Makes the kernel for records over two bindings, if it is not there; says whether it is new.
    pub async fn split(&mut self, context: &Context) -> Result<bool> {
        if self.split.is_some() {
            return Ok(false);
        }
        let [counting, ruled, most] = self.constants;
        let constants = [counting, ruled, most, ("split", 1.0)];
        let kernel = Kernel::new(context, SOURCE.on(context), "grid_pairs", WORKGROUP, &constants).await?;
        self.split = Some(kernel);
        Ok(true)
    }

    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> GridPairsBindings {
        let entries = [
            (0, inputs.params),
            (1, &buffers.plan),
            (2, &*buffers.records[0]),
            (3, &*buffers.records[1]),
            (4, &*buffers.slot_starts),
            (5, &*buffers.candidates),
            (6, &buffers.counters),
            (RULES_A, inputs.rules[0]),
            (RULES_B, inputs.rules[1]),
        ];
        GridPairsBindings {
            whole: self.whole.bind(context, &entries),
            split: self.split.as_ref().map(|kernel| kernel.bind(context, &entries)),
        }
    }

    /// Records the walk; one over records in two bindings if they are [`split`](Self::split).
    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &GridPairsBindings, params: &Params) {
        let (kernel, bindings) = match (&self.split, &bindings.split) {
            (Some(kernel), Some(bindings)) if params.is_split() => (kernel, bindings),
            _ => (&self.whole, &bindings.whole),
        };
        kernel.dispatch(pass, bindings, u64::from(params.range_count));
    }
}
