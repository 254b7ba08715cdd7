//! The number of boxes that each box meets, counted in the render world.

use bevy::ecs::error::Result;
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use bevy::render::extract_resource::{ExtractResource, ExtractResourcePlugin};
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{BufferUsages, RawBufferVec};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::storage::{GpuShaderBuffer, ShaderBuffer};
use bevy::render::{Extract, Render, RenderApp, RenderStartup, RenderSystems};
use bevy_obbligato::obbligato::gpu::{Capacity, FrameQuery};
use bevy_obbligato::obbligato::{Config, GpuChecker, Obb, Output, Precision};

/// Fills the buffer of [`Counts`] in every frame, before it is drawn.
pub struct ContactsPlugin;

/// The number of boxes that each box meets, as a `u32` at the place of its [`MeshTag`].
#[derive(Resource, ExtractResource, Clone)]
#[extract_app(RenderApp)]
pub struct Counts(pub Handle<ShaderBuffer>);

/// The checker, and the boxes of the frame.
#[derive(Resource)]
pub(crate) struct Checking {
    pub(crate) checker: GpuChecker,
    boxes: RawBufferVec<Obb>,
}

impl Plugin for ContactsPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(ExtractResourcePlugin::<Counts>::default());
        if let Some(render_app) = app.get_sub_app_mut(RenderApp) {
            render_app
                .add_systems(RenderStartup, create_checker)
                .add_systems(ExtractSchedule, extract_boxes)
                .add_systems(Render, count_contacts.in_set(RenderSystems::PrepareBindGroups));
        }
    }
}

fn create_checker(mut commands: Commands, device: Res<RenderDevice>, queue: Res<RenderQueue>) -> Result {
    let config = Config {
        // Counts are for display alone, so boxes that nearly touch may be decided either way.
        precision: Precision::Fast,
        output: Output::Degrees,
        ..default()
    };
    commands.insert_resource(Checking {
        checker: GpuChecker::new(device.wgpu_device(), &queue, config)?,
        boxes: RawBufferVec::new(BufferUsages::STORAGE),
    });
    Ok(())
}

fn extract_boxes(mut checking: ResMut<Checking>, boxes: Extract<Query<(&MeshTag, &GlobalTransform)>>) {
    let records = checking.boxes.values_mut();
    records.resize(boxes.iter().len(), Obb::axis_aligned(Vec3::ZERO, Vec3::ZERO));
    for (tag, transform) in &boxes {
        let (scale, rotation, center) = transform.to_scale_rotation_translation();
        records[tag.value as usize] = Obb::new(center, 0.5 * scale, rotation);
    }
}

fn count_contacts(
    mut checking: ResMut<Checking>,
    counts: Res<Counts>,
    buffers: Res<RenderAssets<GpuShaderBuffer>>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
) -> Result {
    let Some(counts) = buffers.get(&counts.0) else {
        return Ok(());
    };
    let Checking { checker, boxes } = &mut *checking;
    boxes.write_buffer(&device, &queue);
    let (Some(buffer), count) = (boxes.buffer(), boxes.len() as u32) else {
        return Ok(());
    };
    // Room for eight pairs of bounds that overlap per box, more than there are here. With more of
    // them some counts would be too small, and `found.outcome` would say so.
    checker.reserve(Capacity {
        boxes: count,
        candidates: 8 * count,
        ..default()
    })?;
    let mut encoder = device.create_command_encoder(&default());
    let found = checker.record(&mut encoder, FrameQuery::boxes(buffer, count))?;
    encoder.copy_buffer_to_buffer(&found.degrees, 0, &counts.buffer, 0, 4 * u64::from(count));
    queue.submit([encoder.finish()]);
    Ok(())
}
