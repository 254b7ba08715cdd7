//! 200,000 boxes that Bevy moves and draws. Each has the color of the number of boxes that it
//! meets. These are counted on the renderer's device, in a buffer that the material reads: nothing
//! comes back to the CPU, and there is no second device.
//!
//! Draws into a picture, without a window:
//!
//! ```sh
//! cd crates/bevy_obbligato/examples/on_gpu
//! CARGO_TARGET_DIR=../../../../target cargo run --release --locked -- picture.png 20
//! ```
//!
//! Bevy 0.20 asks for Rust 1.97.1; with an older one, add `--ignore-rust-version`.

mod contacts;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bevy::app::{PluginGroupBuilder, ScheduleRunnerPlugin};
use bevy::asset::embedded_asset;
use bevy::camera::RenderTarget;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::{AsBindGroup, TextureFormat};
use bevy::render::storage::ShaderBuffer;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use bevy::shader::ShaderRef;
use bevy::window::ExitCondition;
use contacts::{ContactsPlugin, Counts};

const BOXES: u32 = 200_000;
/// The width and height of the picture.
const SIZE: [u32; 2] = [1280, 800];

/// The place that a box sways about, and how far.
#[derive(Component)]
struct Sway {
    home: Vec3,
    by: Vec3,
}

/// The material of all boxes.
#[derive(Asset, TypePath, AsBindGroup, Clone)]
struct ByContacts {
    #[storage(0, read_only)]
    counts: Handle<ShaderBuffer>,
}

impl Material for ByContacts {
    fn vertex_shader() -> ShaderRef {
        "embedded://bevy_obbligato_on_gpu/by_contacts.wesl".into()
    }

    fn fragment_shader() -> ShaderRef {
        Self::vertex_shader()
    }
}

/// The picture, when and where it is written.
#[derive(Resource)]
struct Picture {
    image: Handle<Image>,
    path: PathBuf,
    frames: u32,
}

fn main() -> AppExit {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "on_gpu.png".to_owned()).into();
    let mut number = |otherwise| arguments.next().map_or(Ok(otherwise), |text| text.parse());
    let (Ok(frames @ 1..), Ok(boxes @ 1..)) = (number(20), number(BOXES)) else {
        eprintln!("usage: bevy-obbligato-on-gpu [PICTURE [FRAMES [BOXES]]], with one of each at least");
        return AppExit::error();
    };
    let mut app = app(boxes, plugins());
    let image = app
        .world_mut()
        .resource_mut::<Assets<Image>>()
        .add(Image::new_target_texture(
            SIZE[0],
            SIZE[1],
            TextureFormat::Rgba8UnormSrgb,
            None,
        ));
    app.insert_resource(Picture { image, path, frames })
        .add_plugins(ScheduleRunnerPlugin::run_loop(Duration::ZERO))
        .add_systems(PostStartup, add_camera)
        .add_systems(Update, draw)
        .run()
}

/// Bevy's plugins, without a window.
fn plugins() -> PluginGroupBuilder {
    DefaultPlugins
        .set(WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..default()
        })
        // No frame is drawn without its boxes, because their shader is being compiled.
        .set(RenderPlugin {
            synchronous_pipeline_compilation: true,
            ..default()
        })
}

/// The app, without a camera.
fn app(boxes: u32, plugins: PluginGroupBuilder) -> App {
    let mut app = App::new();
    app.add_plugins((plugins, MaterialPlugin::<ByContacts>::default(), ContactsPlugin))
        .add_systems(Startup, move |commands: Commands, shared: Shared| {
            spawn_boxes(boxes, commands, shared)
        })
        .add_systems(Update, sway);
    embedded_asset!(app, "by_contacts.wesl");
    app
}

/// The lists that boxes and their assets are added to.
#[derive(bevy::ecs::system::SystemParam)]
struct Shared<'w> {
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<ByContacts>>,
    buffers: ResMut<'w, Assets<ShaderBuffer>>,
}

fn spawn_boxes(boxes: u32, mut commands: Commands, mut shared: Shared) {
    let counts = shared
        .buffers
        .add(ShaderBuffer::with_size(4 * u64::from(boxes), default()));
    let mesh = shared.meshes.add(Cuboid::from_length(1.0));
    let material = shared.materials.add(ByContacts { counts: counts.clone() });
    commands.insert_resource(Counts(counts));
    // Two cubic meters for each.
    let width = (2.0 * boxes as f32).cbrt();
    for k in 0..boxes {
        let home = width * (spread(k) - 0.5);
        let turn = Quat::from_euler(EulerRot::XYZ, 7.0 * spread(k).x, 7.0 * spread(k).y, 7.0 * spread(k).z);
        commands.spawn((
            Mesh3d(mesh.clone()),
            MeshMaterial3d(material.clone()),
            // The place of its count.
            MeshTag::new(k),
            Transform::from_translation(home)
                .with_rotation(turn)
                .with_scale(0.4 + 0.6 * spread(3 * k + 1)),
            Sway {
                home,
                by: 2.0 * spread(5 * k + 2) - 1.0,
            },
        ));
    }
}

/// Three numbers from 0 to 1 that look random: the fractional parts of multiples of irrational
/// numbers.
fn spread(k: u32) -> Vec3 {
    let part = |number: f64| (f64::from(k) * number).fract() as f32;
    Vec3::new(part(0.819_172_513), part(0.671_043_607), part(0.549_700_478))
}

fn sway(mut boxes: Query<(&Sway, &mut Transform)>, mut frame: Local<u32>) {
    let phase = (*frame as f32 / 20.0).sin();
    *frame += 1;
    boxes
        .par_iter_mut()
        .for_each(|(sway, mut transform)| transform.translation = sway.home + phase * sway.by);
}

fn add_camera(mut commands: Commands, picture: Res<Picture>, boxes: Query<&Sway>) {
    let far = boxes.iter().map(|sway| sway.home.length()).fold(1.0, f32::max);
    commands.spawn((
        Camera3d::default(),
        Tonemapping::Linear,
        RenderTarget::from(picture.image.clone()),
        Transform::from_translation(Vec3::new(1.6, 1.1, 1.8) * far).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}

/// Prints the time of a frame, and saves the picture of the last.
fn draw(mut commands: Commands, picture: Res<Picture>, mut frame: Local<u32>, mut start: Local<Option<Instant>>) {
    let start = start.get_or_insert_with(Instant::now);
    *frame += 1;
    if *frame == picture.frames {
        let mean = start.elapsed().as_secs_f64() / f64::from(picture.frames);
        println!("{:.1} ms per frame", 1e3 * mean);
        commands
            .spawn(Screenshot::image(picture.image.clone()))
            .observe(save_to_disk(picture.path.clone()))
            .observe(|_: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
                exit.write(AppExit::Success);
            });
    }
}
