//! The steps before and after the broad phase: those that know what the bounds are of.

use crate::base::config::Config;
use crate::base::error::Result;
use crate::device::buffers::{Buffers, Inputs, Params};
use crate::device::context::Context;
use crate::device::limits::DeviceLimits;
use crate::device::timestamps::Stopwatch;
use crate::engine::gpu::scene::SceneAtRest;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::half_margin;
use crate::narrow_phase::aabb_aabb::accept_all::AcceptAll;
use crate::narrow_phase::obb_obb::narrow_plan::NarrowPlan;
use crate::narrow_phase::obb_obb::obb_distance::ObbDistance;
use crate::narrow_phase::obb_obb::obb_sat::ObbSat;
use crate::narrow_phase::obb_obb::obb_sat_f64::ObbSatF64;
use crate::narrow_phase::obb_obb::upright_sat::UprightSat;
use crate::shapes::aabb::aabb_bounds::AabbBounds;
use crate::shapes::obb::obb_bounds::ObbBounds;
use crate::shapes::obb::record::Obb;

/// Candidate pairs a box that kernels have invocations for where the device does not say how many there are, if there is room
/// for so many: as many as there mostly are. They loop over more.
const CANDIDATES_PER_BOX: u64 = 8;

/// What the records are that the pipeline begins with.
#[derive(Clone, Default, PartialEq)]
pub(super) enum Shape {
    /// [`Obb`]s.
    #[default]
    Obb,
    /// [`Aabb`]s, of which nothing more is known.
    Aabb,
    /// [`Obb`]s that are checked against these.
    Mover(Box<SceneAtRest>),
}

impl Shape {
    /// What movers are checked against.
    pub fn at_rest(&self) -> Option<&SceneAtRest> {
        match self {
            Self::Mover(scene) => Some(scene),
            Self::Obb | Self::Aabb => None,
        }
    }

    /// What the bounds of those that are uploaded are widened by. Movers take all of the margin: the scene they are checked
    /// against is prepared without one.
    pub fn half_margin(&self, config: &Config) -> f32 {
        match self {
            Self::Obb | Self::Aabb => half_margin(config.margin),
            Self::Mover(_) => 2.0 * half_margin(config.margin),
        }
    }

    /// Bytes of a record.
    pub fn record_bytes(&self) -> u64 {
        match self {
            Self::Aabb => size_of::<Aabb>() as u64,
            Self::Obb | Self::Mover(_) => size_of::<Obb>() as u64,
        }
    }

    /// The most of them at once.
    pub fn most(&self, limits: &DeviceLimits) -> usize {
        match self {
            Self::Aabb | Self::Obb => limits.max_boxes(),
            Self::Mover(_) => limits.max_boxes_of_query(),
        }
    }
}

/// The kernels of all shapes.
pub(super) struct Shapes {
    obb_bounds: ObbBounds,
    narrow_plan: NarrowPlan,
    narrow: Narrow,
    /// In its place where all boxes are turned about z only, which only the device knows; not in checks with a margin.
    upright_sat: Option<UprightSat>,
    obb_sat_f64: Option<ObbSatF64>,
    /// Made when they are first needed.
    aabb: Option<(AabbBounds, AcceptAll)>,
}

/// What tests candidate pairs of boxes.
enum Narrow {
    Sat(ObbSat),
    /// In checks with a margin. It needs no f64 kernel: the host decides what is left.
    Distance(ObbDistance),
}

impl Narrow {
    fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers) -> wgpu::BindGroup {
        match self {
            Self::Sat(kernel) => kernel.bind(context, inputs, buffers),
            Self::Distance(kernel) => kernel.bind(context, inputs, buffers),
        }
    }

    fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, dispatches: &wgpu::Buffer) {
        match self {
            Self::Sat(kernel) => kernel.record(pass, bindings, dispatches),
            Self::Distance(kernel) => kernel.record(pass, bindings, dispatches),
        }
    }
}

/// What ties the kernels of a shape to their buffers.
pub(super) struct ShapeBindings {
    of_aabbs: bool,
    bounds: wgpu::BindGroup,
    /// Where there is a choice.
    narrow_plan: Option<wgpu::BindGroup>,
    narrow: wgpu::BindGroup,
    upright: Option<wgpu::BindGroup>,
    f64: Option<wgpu::BindGroup>,
}

impl Shapes {
    pub async fn new(context: &Context, config: &Config) -> Result<Self> {
        let has_margin = config.margin > 0.0;
        Ok(Self {
            obb_bounds: ObbBounds::new(context).await?,
            narrow_plan: NarrowPlan::new(context).await?,
            narrow: match has_margin {
                true => Narrow::Distance(ObbDistance::new(context).await?),
                false => Narrow::Sat(ObbSat::new(context).await?),
            },
            upright_sat: match has_margin {
                true => None,
                false => Some(UprightSat::new(context).await?),
            },
            obb_sat_f64: match context.f64 && !has_margin {
                true => Some(ObbSatF64::new(context).await?),
                false => None,
            },
            aabb: None,
        })
    }

    /// Whether undecided pairs are tested in f64 too.
    pub fn has_f64(&self) -> bool {
        self.obb_sat_f64.is_some()
    }

    /// Makes the kernels of a shape if they are not there.
    pub async fn prepare(&mut self, context: &Context, shape: &Shape) -> Result<()> {
        if *shape == Shape::Aabb && self.aabb.is_none() {
            self.aabb = Some((AabbBounds::new(context).await?, AcceptAll::new(context).await?));
        }
        Ok(())
    }

    /// The bindings of a shape whose kernels are there, else of boxes.
    pub fn bind(&self, context: &Context, inputs: &Inputs, buffers: &Buffers, shape: &Shape) -> ShapeBindings {
        match (shape, &self.aabb) {
            (Shape::Aabb, Some((aabb_bounds, accept_all))) => ShapeBindings {
                of_aabbs: true,
                bounds: aabb_bounds.bind(context, inputs, buffers),
                narrow_plan: None,
                narrow: accept_all.bind(context, inputs, buffers),
                upright: None,
                f64: None,
            },
            _ => ShapeBindings {
                of_aabbs: false,
                bounds: self.obb_bounds.bind(context, inputs, buffers),
                narrow_plan: Some(self.narrow_plan.bind(context, inputs, buffers)),
                narrow: self.narrow.bind(context, inputs, buffers),
                upright: self
                    .upright_sat
                    .as_ref()
                    .map(|kernel| kernel.bind(context, inputs, buffers)),
                f64: self
                    .obb_sat_f64
                    .as_ref()
                    .map(|kernel| kernel.bind(context, inputs, buffers)),
            },
        }
    }

    /// Bounds, validation and statistics.
    pub fn record_bounds(&self, pass: &mut wgpu::ComputePass, bindings: &ShapeBindings, boxes: u64) {
        match (bindings.of_aabbs, &self.aabb) {
            (true, Some((aabb_bounds, _))) => aabb_bounds.record(pass, &bindings.bounds, boxes),
            _ => self.obb_bounds.record(pass, &bindings.bounds, boxes),
        }
    }

    /// From candidate pairs to results.
    pub fn record_narrow(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (bindings, dispatches): (&ShapeBindings, &wgpu::Buffer),
        params: &Params,
        watch: &mut Stopwatch,
    ) {
        let mut pass = watch.begin(encoder, "narrow");
        // A few movers may have any number.
        let boxes = match params.movers {
            0 => u64::from(params.box_count),
            _ => u64::from(params.candidate_capacity),
        };
        let most = u64::from(params.candidate_capacity).min(CANDIDATES_PER_BOX * boxes);
        match (bindings.of_aabbs, &self.aabb) {
            (true, Some((_, accept_all))) => accept_all.record(&mut pass, &bindings.narrow, most),
            _ => self.record_tests(&mut pass, bindings, dispatches),
        }
        drop(pass);
        if let (Some(kernel), Some(bindings)) = (&self.obb_sat_f64, &bindings.f64)
            && params.exactness == Params::EXACT
        {
            let mut pass = watch.begin(encoder, "f64");
            kernel.record(&mut pass, bindings, u64::from(params.undecided_capacity).min(boxes));
        }
    }

    /// The tests of boxes in f32, or those of a margin.
    fn record_tests(&self, pass: &mut wgpu::ComputePass, bindings: &ShapeBindings, dispatches: &wgpu::Buffer) {
        if let Some(plan) = &bindings.narrow_plan {
            self.narrow_plan.record(pass, plan);
        }
        self.narrow.record(pass, &bindings.narrow, dispatches);
        if let (Some(kernel), Some(bindings)) = (&self.upright_sat, &bindings.upright) {
            kernel.record(pass, bindings, dispatches);
        }
    }
}
