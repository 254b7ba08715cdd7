//! The balls on a GPU: pairs, contacts with what they remember, and the motion stay there for any
//! number of frames.

use obbligato::glam::{DVec3, Vec4};
use obbligato::gpu::{
    AdjacencyOf, Capacity, EventsOf, FrameQuery, ImageRecord, ImagesOf, Outcome, Recorded, RecordedAdjacency,
    RecordedEvents, RecordedImages,
};
use obbligato::report::Direction;
use obbligato::shape::BodyCounts;
use obbligato::tracking::NEW;
use obbligato::{GpuChecker, Pair, Period, Sphere, wgpu};

use super::{DAMPING, DENSITY, DT, FRICTION, GRAVITY, STIFFNESS, TANGENTIAL, Totals, World};

/// Contacts that there is room for, for each ball.
const CONTACTS: u32 = 8;

/// `struct Motion` of granular.wgsl.
type Motion = [Vec4; 2];

/// `struct Contact` of granular.wgsl: the slide, the force with the energy, and the twist.
type Contact = [Vec4; 3];

/// A world on a GPU.
pub struct Resident {
    checker: GpuChecker,
    period: Period,
    count: u32,
    balls: wgpu::Buffer,
    motions: wgpu::Buffer,
    /// Those of this frame, and those of the previous one.
    contacts: [wgpu::Buffer; 2],
    touch: wgpu::ComputePipeline,
    advance: wgpu::ComputePipeline,
}

impl Resident {
    /// Copies a world without contacts to the device of a checker.
    pub fn new(mut checker: GpuChecker, world: &World) -> obbligato::Result<Self> {
        let count = world.balls.len() as u32;
        checker.reserve(Capacity {
            boxes: 2 * count,
            candidates: 4 * CONTACTS * count,
            pairs: CONTACTS * count,
            undecided: CONTACTS * count,
        })?;
        let motion = |(velocity, spin): (&DVec3, &DVec3)| [velocity, spin].map(|v| v.as_vec3().extend(0.0));
        let motions: Vec<Motion> = world.velocities.iter().zip(&world.spins).map(motion).collect();
        let none = vec![Contact::default(); (CONTACTS * count) as usize];
        let contacts = [checker.upload(&none)?, checker.upload(&none)?];
        let side = world.period.lengths[0].unwrap_or_default();
        let device = checker.device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source(side).into()),
        });
        let kernel = |name| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(name),
                layout: None,
                module: &module,
                entry_point: Some(name),
                compilation_options: Default::default(),
                cache: None,
            })
        };
        let [touch, advance] = ["touch", "advance"].map(kernel);
        Ok(Self {
            period: world.period,
            count,
            balls: checker.upload(&world.balls)?,
            motions: checker.upload(&motions)?,
            contacts,
            touch,
            advance,
            checker,
        })
    }

    /// Advances by this many frames, with one submission and without waiting. Returns the outcome
    /// of the last one.
    pub fn advance(&mut self, frames: usize) -> obbligato::Result<Option<wgpu::Buffer>> {
        let (device, queue) = (self.checker.device().clone(), self.checker.queue().clone());
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut outcome = None;
        for _ in 0..frames {
            let counts = BodyCounts {
                spheres: self.count,
                ..BodyCounts::default()
            };
            // Room for as many images as balls: more than those at the border have.
            let images = ImagesOf::new(&self.balls, counts, self.period, self.count);
            let images = self.checker.record(&mut encoder, images)?;
            let found = self.checker.record(&mut encoder, FrameQuery::images(&images))?;
            let rows = AdjacencyOf::new(&found, Direction::Both);
            let rows = self.checker.record(&mut encoder, rows)?;
            let events = self.checker.record(&mut encoder, EventsOf::new(&found))?;
            self.contacts.swap(0, 1);
            self.move_balls(&device, &mut encoder, (&images, &found), (&rows, &events));
            outcome = Some(found.outcome);
        }
        queue.submit([encoder.finish()]);
        Ok(outcome)
    }

    /// Records the forces of all contacts, and the motion of all balls.
    fn move_balls(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        (images, found): (&RecordedImages, &Recorded),
        (rows, events): (&RecordedAdjacency, &RecordedEvents),
    ) {
        let [now, before] = &self.contacts;
        let of_contacts: &[&wgpu::Buffer] = &[
            &found.outcome,
            &found.pairs,
            &images.bodies,
            &images.images,
            &events.previous_pairs,
            before,
            &self.motions,
            now,
        ];
        let of_balls: &[&wgpu::Buffer] = &[
            &rows.offsets,
            &rows.pairs,
            &found.pairs,
            now,
            &self.balls,
            &self.motions,
        ];
        let touch = bindings(device, &self.touch, 0, of_contacts);
        let advance = bindings(device, &self.advance, of_contacts.len() as u32, of_balls);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.touch);
        pass.set_bind_group(0, &touch, &[]);
        pass.dispatch_workgroups_indirect(&found.outcome, 0);
        pass.set_pipeline(&self.advance);
        pass.set_bind_group(0, &advance, &[]);
        pass.dispatch_workgroups(self.count.div_ceil(64), 1, 1);
    }

    /// Reads the balls back to a world, and returns its totals with the number of contacts. The
    /// outcome is that of the last frame.
    ///
    /// # Panics
    /// If there was no room for all contacts.
    pub fn read(&mut self, world: &mut World, outcome: &wgpu::Buffer) -> obbligato::Result<(Totals, u32)> {
        let outcome: Outcome = self.checker.read(outcome, 1)?[0];
        assert_eq!(outcome.fits, 1, "there is room for all contacts: {outcome:?}");
        world.balls = self.checker.read::<Sphere>(&self.balls, self.count)?;
        let motions: Vec<Motion> = self.checker.read(&self.motions, self.count)?;
        let contacts: Vec<Contact> = self.checker.read(&self.contacts[0], outcome.pairs)?;
        let as_f64 = |v: Vec4| v.truncate().as_dvec3();
        world.velocities = motions.iter().map(|[velocity, _]| as_f64(*velocity)).collect();
        world.spins = motions.iter().map(|[_, spin]| as_f64(*spin)).collect();
        let mut totals = world.totals();
        totals.energy += contacts.iter().map(|[_, force, _]| f64::from(force.w)).sum::<f64>();
        Ok((totals, outcome.pairs))
    }
}

/// The records and constants that granular.wgsl refers to, and granular.wgsl.
fn source(side: f64) -> String {
    let constants = [
        ("DT", DT),
        ("DENSITY", DENSITY),
        ("STIFFNESS", STIFFNESS),
        ("TANGENTIAL", TANGENTIAL),
        ("DAMPING", DAMPING),
        ("FRICTION", FRICTION),
        ("GRAVITY", GRAVITY),
        ("SIDE", side),
    ];
    let constant = |(name, value): (&str, f64)| format!("const {name}: f32 = {value:?};\n");
    let positions = [("NEW", NEW), ("TURNED", RecordedEvents::TURNED)];
    let position = |(name, value): (&str, u32)| format!("const {name}: u32 = {value}u;\n");
    let mut source = [Outcome::WGSL, Pair::WGSL, ImageRecord::WGSL].concat();
    source.extend(constants.map(constant));
    source.extend(positions.map(position));
    source + include_str!("granular.wgsl")
}

/// Binds buffers to a kernel in order, from this binding on.
fn bindings(
    device: &wgpu::Device,
    kernel: &wgpu::ComputePipeline,
    first: u32,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let bound = (first..).zip(buffers).map(|(binding, buffer)| wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    });
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &kernel.get_bind_group_layout(0),
        entries: &bound.collect::<Vec<_>>(),
    })
}
