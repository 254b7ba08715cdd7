//! Counts and pairs on the renderer's device, beside those of the CPU.

use bevy::ecs::error::Result;
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_asset::RenderAssets;
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::storage::GpuShaderBuffer;
use bevy_obbligato::prelude::*;

use crate::contacts::{Checking, Counts};

const BOXES: u32 = 3000;

fn add_colliders(mut commands: Commands, boxes: Query<Entity, With<MeshTag>>) {
    for entity in &boxes {
        commands.entity(entity).insert(Collider::cuboid(1.0, 1.0, 1.0));
    }
}

fn share_device(mut world: ResMut<CollisionWorld>, device: Res<RenderDevice>, queue: Res<RenderQueue>) -> Result {
    Ok(world.use_device(device.wgpu_device(), &queue)?)
}

/// The example, whose renderer draws the frame of the last update, with the plugin.
fn app() -> App {
    let plugins = crate::plugins().disable::<PipelinedRenderingPlugin>();
    let mut app = crate::app(BOXES, plugins);
    app.add_plugins(CollisionPlugins)
        .add_systems(PostStartup, add_colliders);
    app
}

fn start(app: &mut App) {
    app.finish();
    app.cleanup();
}

/// The tags of the boxes of each pair of the plugin.
fn pairs(app: &mut App) -> Vec<[u32; 2]> {
    let tags = |collisions: Collisions, tags: Query<&MeshTag>, world: Res<CollisionWorld>| {
        assert!(world.error().is_none());
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for collision in collisions.iter() {
            let mut pair = [collision.a, collision.b].map(|entity| tags.get(entity).expect("a tag").value);
            pair.sort_unstable();
            pairs.push(pair);
        }
        pairs.sort_unstable();
        pairs
    };
    app.world_mut().run_system_cached(tags).expect("pairs")
}

/// The counts that the material reads.
fn counts(app: &mut App) -> Vec<u32> {
    let world = app.sub_app_mut(RenderApp).world_mut();
    let handle = world.resource::<Counts>().0.clone();
    let buffer = world.resource::<RenderAssets<GpuShaderBuffer>>().get(&handle);
    let buffer = buffer.expect("a buffer").buffer.clone();
    let mut checking = world.resource_mut::<Checking>();
    checking.checker.read(&buffer, BOXES).expect("counts")
}

#[test]
fn results_on_the_device_of_the_renderer_are_those_of_the_cpu() {
    let (mut on_cpu, mut on_device) = (app(), app());
    on_device.add_systems(Startup, share_device);
    start(&mut on_cpu);
    start(&mut on_device);
    let mut before = Vec::new();
    for update in 0..8 {
        on_cpu.update();
        on_device.update();
        let expected = pairs(&mut on_cpu);
        assert!(expected.len() > 500 && expected != before, "{} pairs", expected.len());
        assert_eq!(pairs(&mut on_device), expected, "update {update}");
        let mut degrees = vec![0; BOXES as usize];
        for tag in expected.iter().flatten() {
            degrees[*tag as usize] += 1;
        }
        // Counts are for display: a pair that nearly touches may be decided either way.
        let counts = counts(&mut on_device);
        let differ: u32 = counts.iter().zip(&degrees).map(|(a, b)| a.abs_diff(*b)).sum();
        assert!(differ <= 2, "update {update}: {differ} of {} counts", counts.len());
        before = expected;
    }
}
