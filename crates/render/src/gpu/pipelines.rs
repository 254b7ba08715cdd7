//! The pipelines of pictures.

use std::mem::size_of;
use std::ops::Range;

use crate::error::Result;
use crate::lens::LensRecord;
use crate::records::{Facet, Solid};
use obbligato::unstable::device::Device;

/// The number of samples of a pixel.
pub(super) const SAMPLES: u32 = 4;

/// The format of a pixel: stored as sRGB, blended and averaged as linear light.
pub(super) const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// The sources of the shader.
const SOURCES: [&str; 5] = [
    include_str!("../../shaders/lens.wgsl"),
    include_str!("../../shaders/shading.wgsl"),
    include_str!("../../shaders/rays.wgsl"),
    include_str!("../../shaders/solids.wgsl"),
    include_str!("../../shaders/facets.wgsl"),
];

/// The corners of the triangles of a box: first of the three faces towards the eye, then of all
/// six. Seen from outside they are counter-clockwise.
pub(super) const INDICES: [u16; 54] = [
    1, 3, 7, 1, 7, 5, 2, 6, 7, 2, 7, 3, 4, 5, 7, 4, 7, 6, //
    1, 3, 7, 1, 7, 5, 2, 6, 7, 2, 7, 3, 4, 5, 7, 4, 7, 6, //
    0, 4, 6, 0, 6, 2, 0, 1, 5, 0, 5, 4, 0, 2, 3, 0, 3, 1,
];
const FRONT: u32 = 18;

const SOLID: [wgpu::VertexAttribute; 5] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x3, 2 => Uint32, 3 => Float32x3, 4 => Float32];
const FACET: [wgpu::VertexAttribute; 6] =
    wgpu::vertex_attr_array![0 => Float32x3, 1 => Uint32, 2 => Float32x3, 3 => Uint32, 4 => Float32x3, 5 => Float32];

/// The kind of records, and the way in which they are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Boxes, by their faces.
    Boxes,
    /// Bodies of any kind, by rays.
    Solids,
    /// Bodies of any kind, by rays and transparent.
    Ghosts,
    /// Triangles.
    Facets,
    /// Triangles, transparent.
    GhostFacets,
}

impl Form {
    const ALL: [Self; 5] = [Self::Boxes, Self::Solids, Self::Ghosts, Self::Facets, Self::GhostFacets];

    fn is_facets(self) -> bool {
        matches!(self, Self::Facets | Self::GhostFacets)
    }

    /// Returns the size of a record in bytes.
    pub fn stride(self) -> usize {
        match self.is_facets() {
            true => size_of::<Facet>(),
            false => size_of::<Solid>(),
        }
    }

    /// Returns the indices of an instance.
    pub fn indices(self) -> Option<Range<u32>> {
        match self {
            Self::Boxes => Some(0..FRONT),
            // The far faces, which are visible even if the eye is close to the body.
            Self::Solids | Self::Ghosts => Some(FRONT..INDICES.len() as u32),
            Self::Facets | Self::GhostFacets => None,
        }
    }

    fn entries(self) -> [&'static str; 2] {
        match self {
            Self::Boxes => ["box_corner", "draw_box"],
            Self::Solids | Self::Ghosts => ["solid_corner", "draw_solid"],
            Self::Facets | Self::GhostFacets => ["facet_corner", "draw_facet"],
        }
    }

    fn hidden_side(self) -> Option<wgpu::Face> {
        match self {
            Self::Boxes => Some(wgpu::Face::Back),
            Self::Solids | Self::Ghosts => Some(wgpu::Face::Front),
            Self::Facets | Self::GhostFacets => None,
        }
    }
}

/// All pipelines.
pub(super) struct Pipelines {
    layout: wgpu::BindGroupLayout,
    all: [wgpu::RenderPipeline; 5],
}

impl Pipelines {
    pub fn new(device: &Device) -> Result<Self> {
        Ok(device.scoped("the pipelines of pictures", 0, || {
            let device = device.wgpu();
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("pictures"),
                source: wgpu::ShaderSource::Wgsl(SOURCES.concat().into()),
            });
            let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("pictures"),
                entries: &[wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                    ty: wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Uniform,
                        has_dynamic_offset: false,
                        min_binding_size: None,
                    },
                    count: None,
                }],
            });
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("pictures"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let all = Form::ALL.map(|form| pipeline(device, &module, &pipeline_layout, form));
            Self { layout, all }
        })?)
    }

    pub fn of(&self, form: Form) -> &wgpu::RenderPipeline {
        &self.all[form as usize]
    }

    /// The lens, uploaded.
    pub fn bind(&self, device: &Device, lens: &LensRecord) -> Result<wgpu::BindGroup> {
        let buffer = device.buffer_with("the lens", bytemuck::bytes_of(lens), wgpu::BufferUsages::UNIFORM)?;
        Ok(device.scoped("the bindings of pictures", 0, || {
            device.wgpu().create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("pictures"),
                layout: &self.layout,
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: buffer.as_entire_binding(),
                }],
            })
        })?)
    }
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    form: Form,
) -> wgpu::RenderPipeline {
    let [vertex, fragment] = form.entries();
    let is_opaque = !matches!(form, Form::Ghosts | Form::GhostFacets);
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(fragment),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(vertex),
            compilation_options: Default::default(),
            buffers: &[Some(wgpu::VertexBufferLayout {
                array_stride: form.stride() as u64,
                step_mode: wgpu::VertexStepMode::Instance,
                attributes: if form.is_facets() { &FACET } else { &SOLID },
            })],
        },
        primitive: wgpu::PrimitiveState {
            cull_mode: form.hidden_side(),
            ..Default::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(is_opaque),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState {
            count: SAMPLES,
            ..Default::default()
        },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: COLOUR,
                blend: (!is_opaque).then_some(wgpu::BlendState::ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn shaders_of_pictures_are_valid() {
        let source = SOURCES.concat();
        let module =
            naga::front::wgsl::parse_str(&source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
        let capabilities = naga::valid::Capabilities::MULTISAMPLED_SHADING;
        let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
        validator.validate(&module).expect("a valid shader");

        // The record of a camera has the same layout in both languages.
        let named = |name: &str| module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
        let (_, lens) = named("Lens").expect("the camera");
        let naga::TypeInner::Struct { members, span } = &lens.inner else {
            panic!("a struct")
        };
        assert_eq!(*span as usize, size_of::<LensRecord>());
        macro_rules! offsets {
            ($($field:ident)+) => {
                [$((stringify!($field), std::mem::offset_of!(LensRecord, $field) as u32)),+]
            };
        }
        let expected = offsets!(corner haze_near step_right haze_slope step_down most_haze forward near lamp lamp_light sky
            ambient_light background unused_too clip right line up unused palette);
        let found: Vec<_> = members
            .iter()
            .map(|field| (field.name.as_deref().unwrap_or(""), field.offset))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_file_is_part_of_the_shader() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
        let files = std::fs::read_dir(folder).expect("the folder");
        let texts = files.map(|file| std::fs::read_to_string(file.expect("a file").path()).expect("text"));
        let texts: Vec<String> = texts.collect();
        assert_eq!(texts.len(), SOURCES.len());
        assert!(texts.iter().all(|text| SOURCES.contains(&text.as_str())));
    }

    #[test]
    fn faces_have_consistent_winding() {
        use glam::Vec3;
        let corner = |number: u16| Vec3::from([0, 1, 2].map(|bit| f32::from(number >> bit & 1) * 2.0 - 1.0));
        for triangle in INDICES.chunks_exact(3) {
            let [a, b, c] = [corner(triangle[0]), corner(triangle[1]), corner(triangle[2])];
            let normal = (b - a).cross(c - a);
            assert!(normal.dot(a + b + c) > 0.0, "{triangle:?}");
        }
    }
}
