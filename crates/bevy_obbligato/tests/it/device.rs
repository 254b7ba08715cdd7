//! Checks on a GPU device of the app's.

use bevy_obbligato::obbligato::wgpu;
use bevy_obbligato::prelude::*;
use bevy_transform::components::Transform;

use crate::support::{Followed, Random, app};

async fn device() -> (wgpu::Device, wgpu::Queue) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&Default::default()).await.expect("an adapter");
    let device = adapter.request_device(&wgpu::DeviceDescriptor::default()).await;
    device.expect("a device")
}

/// In the middle of a run: messages of the pairs on the device go on where those of the CPU ended,
/// and end where those of an app on the CPU do.
#[test]
fn pairs_on_a_device_of_the_app_are_those_of_the_cpu() {
    let (device, queue) = pollster::block_on(device());
    let (mut on_device, mut on_cpu) = (app(), app());
    let mut random = Random(17);
    let mut spawned = Vec::new();
    for _ in 0..300 {
        let (collider, transform) = (random.collider(), random.transform(5.0));
        let is_static = random.chance(10);
        let both = [&mut on_device, &mut on_cpu].map(|app| {
            let mut entity = app.world_mut().spawn((collider, transform));
            if is_static {
                entity.insert(StaticCollider);
            }
            entity.id()
        });
        assert_eq!(both[0], both[1]);
        spawned.push(both[0]);
    }
    let (mut of_device, mut of_cpu) = (Followed::new(), Followed::new());
    for update in 0..20 {
        if update == 5 {
            let mut world = on_device.world_mut().resource_mut::<CollisionWorld>();
            world.use_device(&device, &queue).expect("a device for checks");
        }
        for (app, followed) in [(&mut on_device, &mut of_device), (&mut on_cpu, &mut of_cpu)] {
            app.update();
            assert!(app.world().resource::<CollisionWorld>().error().is_none());
            followed.read(app);
        }
        assert_eq!(of_device.pairs, of_cpu.pairs, "update {update}");
        assert!(of_cpu.pairs.len() > 50);
        for &entity in &spawned {
            let step = random.vector(0.2);
            for app in [&mut on_device, &mut on_cpu] {
                let mut transform = app.world_mut().get_mut::<Transform>(entity).expect("a transform");
                transform.translation += step;
            }
        }
    }
}
