//! Draws pictures on a GPU: an instance for each thing, four samples per pixel.
//!
//! Records go to the device in chunks, each of which is drawn before the next is sent, and large
//! pictures are drawn in parts: no scene and no picture is too large for the device. Shaders use
//! the formulas of the CPU's renderer, so the pictures are alike.

mod pipelines;

use crate::colours::{BACKGROUND, linear};
use crate::drawing::Drawing;
use crate::error::Result;
use crate::gpu::pipelines::{COLOUR, DEPTH, Form, Pipelines, SAMPLES};
use crate::lens::Lens;
use crate::picture::Picture;
use crate::records::BOX;
use obbligato::{Config, report::Engine, unstable::device::Device};

/// The number of records in a chunk: tens of megabytes.
const CHUNK: usize = 1 << 20;

/// The maximum number of pixels along a side of a part: with four samples each, that is 150 MB.
const PART: u32 = 2048;

/// Draws on a device.
pub(super) struct GpuRenderer {
    device: Device,
    pipelines: Pipelines,
    indices: wgpu::Buffer,
}

/// Records of one kind that are drawn in the same way.
struct Batch<'a> {
    form: Form,
    records: &'a [u8],
    /// `true` to draw in front of everything so far.
    is_on_top: bool,
}

impl GpuRenderer {
    /// Opens the adapter that `config` chooses, or returns `None` if it chooses the CPU.
    pub fn open(config: &Config) -> Result<Option<Self>> {
        Device::open(config)?.map(Self::new).transpose()
    }

    /// Uses the caller's device.
    pub fn on(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Self> {
        Self::new(Device::new(device, queue)?)
    }

    fn new(device: Device) -> Result<Self> {
        let pipelines = Pipelines::new(&device)?;
        let indices = bytemuck::cast_slice(&pipelines::INDICES);
        let indices = device.buffer_with("the corners of boxes", indices, wgpu::BufferUsages::INDEX)?;
        Ok(Self {
            device,
            pipelines,
            indices,
        })
    }

    pub fn engine(&self) -> &Engine {
        self.device.engine()
    }

    /// Draws the picture of a drawing.
    pub fn draw(&self, drawing: &Drawing, lens: &Lens) -> Result<Picture> {
        let mut picture = Picture::blank(lens.size)?;
        let boxes = drawing.solids.partition_point(|solid| solid.shape() == BOX);
        let (boxes, round) = drawing.solids.split_at(boxes);
        let batch = |form, records| Batch {
            form,
            records,
            is_on_top: false,
        };
        let batches = [
            batch(Form::Boxes, bytemuck::cast_slice(boxes)),
            batch(Form::Solids, bytemuck::cast_slice(round)),
            batch(Form::Facets, bytemuck::cast_slice(&drawing.facets)),
            batch(Form::Ghosts, bytemuck::cast_slice(&drawing.ghosts)),
            batch(Form::GhostFacets, bytemuck::cast_slice(&drawing.ghost_facets)),
            Batch {
                is_on_top: true,
                ..batch(Form::Facets, bytemuck::cast_slice(&drawing.arrows))
            },
        ];
        let side = PART.min(self.device.wgpu().limits().max_texture_dimension_2d);
        let [width, height] = lens.size;
        for y in (0..height).step_by(side as usize) {
            for x in (0..width).step_by(side as usize) {
                let part = Part {
                    corner: [x, y],
                    size: [side.min(width - x), side.min(height - y)],
                };
                let lens = lens.record(drawing.depths, part.corner, part.size);
                let bindings = self.pipelines.bind(&self.device, &lens)?;
                let targets = Targets::new(&self.device, part.size)?;
                self.draw_part(&batches, &bindings, &targets)?;
                self.read(&targets, &part, &mut picture)?;
            }
        }
        Ok(picture)
    }

    fn draw_part(&self, batches: &[Batch<'_>], bindings: &wgpu::BindGroup, targets: &Targets) -> Result<()> {
        let mut is_cleared = false;
        for batch in batches {
            let stride = batch.form.stride();
            for (k, chunk) in batch.records.chunks(CHUNK * stride).enumerate() {
                let records = self
                    .device
                    .buffer_with("what is drawn", chunk, wgpu::BufferUsages::VERTEX)?;
                let clears = [!is_cleared, !is_cleared || batch.is_on_top && k == 0];
                self.run(|encoder| {
                    let mut pass = targets.begin(encoder, clears, false);
                    pass.set_pipeline(self.pipelines.of(batch.form));
                    pass.set_bind_group(0, bindings, &[]);
                    pass.set_vertex_buffer(0, records.slice(..));
                    let instances = 0..(chunk.len() / stride) as u32;
                    match batch.form.indices() {
                        Some(range) => {
                            pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint16);
                            pass.draw_indexed(range, 0, instances);
                        }
                        None => pass.draw(0..3, instances),
                    }
                })?;
                is_cleared = true;
            }
        }
        // Resolves the samples of each pixel.
        self.run(|encoder| drop(targets.begin(encoder, [!is_cleared; 2], true)))
    }

    /// Records commands and waits until they are done.
    fn run(&self, record: impl FnOnce(&mut wgpu::CommandEncoder)) -> Result<()> {
        let mut encoder = self.device.encoder("the picture")?;
        record(&mut encoder);
        Ok(self.device.submit(encoder)?)
    }

    /// Copies a part to its place in the picture.
    fn read(&self, targets: &Targets, part: &Part, picture: &mut Picture) -> Result<()> {
        let [width, height] = part.size;
        let row = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let bytes = u64::from(row) * u64::from(height);
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let staging = self.device.buffer("the picture", bytes, usage)?;
        let mut encoder = self.device.encoder("the picture")?;
        encoder.copy_texture_to_buffer(
            targets.resolved.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &staging,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row),
                    rows_per_image: None,
                },
            },
            targets.resolved.size(),
        );
        let copy = |bytes: &[u8]| {
            let own = picture.width as usize * 4;
            let first = part.corner[1] as usize * own + part.corner[0] as usize * 4;
            let rows = picture.pixels[first..].chunks_mut(own);
            for (to, from) in rows.zip(bytes.chunks_exact(row as usize)) {
                let length = width as usize * 4;
                to[..length].copy_from_slice(&from[..length]);
            }
        };
        Ok(self.device.submit_and_read(encoder, &staging, bytes, copy)?)
    }
}

/// A part of the picture.
struct Part {
    corner: [u32; 2],
    size: [u32; 2],
}

/// The targets of a part.
struct Targets {
    colour: wgpu::TextureView,
    depth: wgpu::TextureView,
    resolved: wgpu::Texture,
    resolved_view: wgpu::TextureView,
}

impl Targets {
    fn new(device: &Device, [width, height]: [u32; 2]) -> Result<Self> {
        let texture = |format, sample_count, usage| {
            let bytes = u64::from(width) * u64::from(height) * 4 * u64::from(sample_count);
            device.scoped("a picture on the device", bytes, || {
                device.wgpu().create_texture(&wgpu::TextureDescriptor {
                    label: Some("picture"),
                    size: wgpu::Extent3d {
                        width,
                        height,
                        depth_or_array_layers: 1,
                    },
                    mip_level_count: 1,
                    sample_count,
                    dimension: wgpu::TextureDimension::D2,
                    format,
                    usage,
                    view_formats: &[],
                })
            })
        };
        let target = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let resolved = texture(COLOUR, 1, target | wgpu::TextureUsages::COPY_SRC)?;
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        Ok(Self {
            colour: view(&texture(COLOUR, SAMPLES, target)?),
            depth: view(&texture(DEPTH, SAMPLES, target)?),
            resolved_view: view(&resolved),
            resolved,
        })
    }

    /// Begins a pass that optionally clears colours and depths first.
    fn begin<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        [clears_colour, clears_depth]: [bool; 2],
        resolves: bool,
    ) -> wgpu::RenderPass<'e> {
        let [r, g, b] = linear(BACKGROUND).map(f64::from);
        let background = wgpu::Color { r, g, b, a: 1.0 };
        let store = if resolves {
            wgpu::StoreOp::Discard
        } else {
            wgpu::StoreOp::Store
        };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.colour,
                depth_slice: None,
                resolve_target: resolves.then_some(&self.resolved_view),
                ops: wgpu::Operations {
                    load: if clears_colour {
                        wgpu::LoadOp::Clear(background)
                    } else {
                        wgpu::LoadOp::Load
                    },
                    store,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: if clears_depth {
                        wgpu::LoadOp::Clear(0.0)
                    } else {
                        wgpu::LoadOp::Load
                    },
                    store,
                }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        })
    }
}
