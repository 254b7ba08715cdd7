//! Dispatcher of `shaders/outputs/adjacency.wgsl`.

use bytemuck::{Pod, Zeroable};

use crate::base::error::Result;
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};
use crate::outputs::adjacency_cpu::Direction;

pub(crate) const SOURCE: Source = source!("shared/common.wgsl", "shared/outcome.wgsl", "outputs/adjacency.wgsl");

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;

/// Which rows there are: `struct Rows` of `shaders/outputs/adjacency.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Rows {
    pub count: u32,
    /// 1 if pairs are in the rows of their `a`.
    pub of_a: u32,
    /// 1 if pairs are in the rows of their `b`.
    pub of_b: u32,
    pub unused: u32,
}

impl Rows {
    pub fn new(count: u32, direction: Direction) -> Self {
        let [of_a, of_b] = direction.rows_of().map(u32::from);
        Self {
            count,
            of_a,
            of_b,
            unused: 0,
        }
    }
}

/// The buffers of an adjacency. For n rows and p pairs:
pub(crate) struct AdjacencyBuffers<'a> {
    /// [`Outcome`](crate::gpu::Outcome).
    pub outcome: &'a wgpu::Buffer,
    /// p pairs, sorted by (a, b).
    pub by_a: &'a wgpu::Buffer,
    /// The same, sorted by (b, a), if pairs are in the rows of their `b`.
    pub by_b: &'a wgpu::Buffer,
    /// n + 1 places.
    pub offsets: &'a wgpu::Buffer,
    /// Likewise.
    pub offsets_of_a: &'a wgpu::Buffer,
    /// p boxes, or 2p.
    pub neighbours: &'a wgpu::Buffer,
}

/// Finds every box's partners in sorted pairs.
pub(crate) struct FindAdjacency {
    find_rows: Kernel,
    place_neighbours: Kernel,
}

/// What ties the kernels to their buffers.
pub(crate) struct AdjacencyBindings {
    rows: Rows,
    find_rows: wgpu::BindGroup,
    place_neighbours: wgpu::BindGroup,
}

impl FindAdjacency {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            find_rows: Kernel::new(context, SOURCE, "find_rows", WORKGROUP, &[]).await?,
            place_neighbours: Kernel::new(context, SOURCE, "place_neighbours", WORKGROUP, &[]).await?,
        })
    }

    pub async fn bind(
        &self,
        context: &Context,
        rows: Rows,
        buffers: &AdjacencyBuffers<'_>,
    ) -> Result<AdjacencyBindings> {
        let parameters = bytemuck::bytes_of(&rows);
        let rows_buffer = context
            .buffer_with("rows", parameters, wgpu::BufferUsages::UNIFORM)
            .await?;
        let shared = [
            (0, &rows_buffer),
            (1, buffers.outcome),
            (2, buffers.by_a),
            (3, buffers.by_b),
            (4, buffers.offsets),
            (5, buffers.offsets_of_a),
        ];
        let with_neighbours: Vec<_> = shared.into_iter().chain([(6, buffers.neighbours)]).collect();
        context
            .scoped("the bindings of an adjacency", 0, || AdjacencyBindings {
                rows,
                find_rows: self.find_rows.bind(context, &shared),
                place_neighbours: self.place_neighbours.bind(context, &with_neighbours),
            })
            .await
    }

    /// Records both kernels, for at most `most_pairs` pairs.
    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &AdjacencyBindings, most_pairs: u64) {
        let ends = u64::from(bindings.rows.count) + 1;
        self.find_rows.dispatch(pass, &bindings.find_rows, ends);
        self.place_neighbours
            .dispatch_looping(pass, &bindings.place_neighbours, most_pairs);
    }
}
