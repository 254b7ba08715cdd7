//! The walls of a room that boxes reach: by hand, against an oracle in integer arithmetic, and the
//! GPU against the CPU.

mod oracle;

use std::collections::BTreeSet;

use obbligato::glam::{Quat, Vec3};
use obbligato::gpu::EnclosuresOf;
use obbligato::query::Containment;
use obbligato::wgpu;
use obbligato::{
    Bodies, Checker, Config, Error, GpuChecker, GpuConfig, Obb,
    error::{BoxProblem, RegionProblem},
    region::{Enclosure, EnclosureState, Room},
    shape::BodyCounts,
};
use obbligato_verify::scenes::Scene;

use crate::support::cases;
use crate::support::gpu::{cpu, device, gpu, gpu_with};
use crate::support::rooms::{ROOMS, boxes_about};

/// The answers of a checker.
fn look(checker: &mut Checker, room: &Room, boxes: &[Obb]) -> Vec<Enclosure> {
    checker
        .check(Containment::new(room, boxes))
        .expect("the boxes are valid")
}

#[track_caller]
fn expect_same(what: &str, boxes: &[Obb], expected: &[Enclosure], found: &[Enclosure]) {
    assert_eq!(expected.len(), found.len(), "{what}");
    for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
        assert_eq!(expected, found, "{what}: box {i}, {:?}", boxes[i]);
    }
}

#[test]
fn r3_all_masks_occur() {
    // Along one axis of a room from 0 to 4: clear of both walls, at the first, at the second, at
    // both.
    let spans = [(1.0, 2.0), (-1.0, 1.0), (3.0, 5.0), (-1.0, 5.0)];
    let turned = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    for rotation in [Quat::IDENTITY, turned, Quat::from_rotation_x(0.7)] {
        let room = Room::new(Vec3::ZERO, Vec3::splat(4.0))
            .and_then(|room| room.turned(rotation))
            .expect("a room");
        let mut boxes = Vec::new();
        let mut expected = Vec::new();
        for mask in 0..64usize {
            let spans = [0, 1, 2].map(|axis| spans[mask >> (2 * axis) & 3]);
            let center = Vec3::from(spans.map(|(low, high)| (low + high) / 2.0)) - 2.0;
            let half = Vec3::from(spans.map(|(low, high)| (high - low) / 2.0));
            boxes.push(Obb::new(Vec3::splat(2.0) + rotation * center, half, rotation));
            let state = match mask {
                0 => EnclosureState::Inside,
                _ => EnclosureState::Crossing,
            };
            expected.push(Enclosure {
                state,
                walls: mask as u8,
            });
        }
        for checker in [&mut cpu(Config::default()), &mut gpu(Config::default())] {
            expect_same("masks", &boxes, &expected, &look(checker, &room, &boxes));
        }
        let one_by_one: Vec<_> = boxes.iter().map(|obb| room.enclosure(obb)).collect();
        expect_same("one by one", &boxes, &expected, &one_by_one);
    }
}

#[test]
fn boxes_outside_show_on_which_side() {
    let room = Room::new(Vec3::splat(-1.0), Vec3::splat(1.0)).expect("a room");
    let mut seen = BTreeSet::new();
    for place in 0..27usize {
        let sign = [0, 1, 2].map(|axis| (place / 3usize.pow(axis) % 3) as f32 - 1.0);
        let obb = Obb::axis_aligned(Vec3::from(sign) * 3.0, Vec3::splat(0.5));
        let found = room.enclosure(&obb);
        let walls = (0..3).map(|axis| match sign[axis] {
            -1.0 => 1 << (2 * axis),
            1.0 => 2 << (2 * axis),
            _ => 0,
        });
        assert_eq!(found.walls, walls.sum::<u8>(), "{obb:?}");
        assert_eq!(found.state == EnclosureState::Outside, found.walls != 0);
        seen.insert(found.walls);
    }
    assert_eq!(seen.len(), 27);
    // Beyond one wall, and across the plane of another.
    let beside = Obb::axis_aligned(Vec3::new(3.0, 1.0, 0.0), Vec3::splat(0.5));
    let expected = Enclosure {
        state: EnclosureState::Outside,
        walls: Room::MAX_X | Room::MAX_Y,
    };
    assert_eq!(room.enclosure(&beside), expected);
    // Across the planes of both, and outside by its own face only.
    let corner = Obb::new(
        Vec3::new(1.8, 1.8, 0.0),
        Vec3::new(1.0, 1.0, 0.5),
        Quat::from_rotation_z(std::f32::consts::FRAC_PI_4),
    );
    assert_eq!(room.enclosure(&corner), expected);
    // Nearer, it crosses the edge.
    let nearer = Obb {
        center: Vec3::new(1.7, 1.7, 0.0),
        ..corner
    };
    assert_eq!(room.enclosure(&nearer).state, EnclosureState::Crossing);
}

#[test]
fn touching_is_exact_to_the_last_bit() {
    // Rooms whose corners and boxes whose ends are exact. The middle of the last is not
    // representable in f32.
    let corners = [
        (-1.0, 1.0),
        (0.0, 6.0),
        (1e6, 1e6 + 8.0),
        // The middle is far from any f32.
        (1e6, 1e6 + 8.0625),
        (-3e-40, 5e-39),
        (-0.1, 1e7),
    ];
    let mut boxes = Vec::new();
    let mut checkers = [cpu(Config::default()), gpu(Config::default())];
    for (min, max) in corners {
        let room = Room::new(Vec3::splat(min), Vec3::splat(max)).expect("a room");
        let middle = (f64::from(min) + f64::from(max)) as f32 / 2.0;
        boxes.clear();
        let mut expected = Vec::new();
        for axis in 0..3 {
            for (side, wall) in [min, max].into_iter().enumerate() {
                // A point at the wall, or one representable number to either side.
                for at in [wall, wall.next_down(), wall.next_up()] {
                    let mut center = Vec3::splat(middle);
                    center[axis] = at;
                    boxes.push(Obb::axis_aligned(center, Vec3::ZERO));
                    let (beyond, walls) = match side {
                        0 => (at < wall, u8::from(at <= wall) << (2 * axis)),
                        _ => (at > wall, u8::from(at >= wall) << (2 * axis + 1)),
                    };
                    let state = match (beyond, walls) {
                        (true, _) => EnclosureState::Outside,
                        (_, 0) => EnclosureState::Inside,
                        _ => EnclosureState::Crossing,
                    };
                    expected.push(Enclosure { state, walls });
                }
            }
        }
        for checker in &mut checkers {
            expect_same(
                &format!("{min} to {max}"),
                &boxes,
                &expected,
                &look(checker, &room, &boxes),
            );
        }
    }
    // Boxes of 0.5 that stand on the floor, rotated about the vertical.
    let room = Room::new(Vec3::new(-4.0, -4.0, 0.0), Vec3::new(4.0, 4.0, 2.5)).expect("a room");
    for (height, walls) in [
        (0.5, Room::MIN_Z),
        (0.5f32.next_up(), 0),
        (0.5f32.next_down(), Room::MIN_Z),
    ] {
        for turn in 0..50 {
            let rotation = Quat::from_rotation_z(turn as f32 * 0.13);
            let stands = Obb::new(Vec3::new(0.3, 0.1, height), Vec3::splat(0.5), rotation);
            assert_eq!(room.enclosure(&stands).walls, walls, "{stands:?}");
        }
    }
}

/// Rooms that cut through a scene.
fn rooms_in(boxes: &[Obb]) -> Vec<Room> {
    let low = boxes.iter().fold(Vec3::ZERO, |low, obb| low.min(obb.center));
    let high = boxes.iter().fold(Vec3::ZERO, |high, obb| high.max(obb.center));
    let (middle, half) = ((low + high) / 2.0, ((high - low) / 3.0).max(Vec3::splat(0.5)));
    vec![
        Room::new(middle - half, middle + half).expect("a room"),
        Room::oriented(middle, half, Quat::from_rotation_y(0.6)).expect("a room"),
    ]
}

#[test]
fn r3_the_gpu_matches_the_cpu() {
    let pieces = gpu_with(GpuConfig {
        // Buffers of 100 boxes each.
        max_buffer_bytes: Some(4800),
        max_workgroups_per_dimension: Some(1),
        ..GpuConfig::default()
    });
    let checked = gpu_with(GpuConfig {
        shader_checks: true,
        // One workgroup processes all boxes in a loop.
        max_workgroups_per_dimension: Some(1),
        ..GpuConfig::default()
    });
    let mut checkers = [
        ("whole", gpu(Config::default())),
        ("in pieces", pieces),
        ("with shader checks", checked),
    ];
    for (name, boxes) in cases::edges()
        .into_iter()
        .chain(cases::counts())
        .chain(cases::scenes(1500))
    {
        for room in rooms_in(&boxes) {
            let expected = room.enclosures(&boxes).expect("the boxes are valid");
            for (how, checker) in &mut checkers {
                // Many small submissions test nothing more.
                if *how == "in pieces" && boxes.len() > 2000 {
                    continue;
                }
                expect_same(
                    &format!("{name}, {how}"),
                    &boxes,
                    &expected,
                    &look(checker, &room, &boxes),
                );
            }
        }
    }
}

/// The bits written by a recorded frame.
pub fn recorded<'a>(
    checker: &mut GpuChecker,
    (device, queue): &(wgpu::Device, wgpu::Queue),
    room: &Room,
    bodies: impl Into<Bodies<'a>>,
) -> Vec<u32> {
    let bodies = bodies.into();
    let records = checker.upload_bodies(bodies).expect("a buffer");
    let mut encoder = device.create_command_encoder(&Default::default());
    let found = checker
        .record(&mut encoder, EnclosuresOf::new(room, &records, bodies))
        .expect("a recorded frame");
    queue.submit([encoder.finish()]);
    checker.read(&found, bodies.len() as u32).expect("the bits")
}

/// Compares the output of a recorded frame for a body with the truth. Returns `true` if it is
/// undecided.
#[track_caller]
pub fn expect_no_miss(what: &str, bits: u32, truth: Enclosure) -> bool {
    let said = Enclosure::from_bits(bits);
    assert_eq!(bits & Enclosure::INVALID, 0, "{what}");
    if bits & Enclosure::UNDECIDED == 0 {
        assert_eq!(said, truth, "{what}");
        return false;
    }
    assert_eq!(said.walls & truth.walls, truth.walls, "{what}");
    assert_ne!(said.state, EnclosureState::Inside, "{what}");
    if said.state == EnclosureState::Outside {
        assert_eq!(truth.state, EnclosureState::Outside, "{what}");
    }
    true
}

#[test]
fn recorded_rooms_miss_nothing() {
    let device = device(wgpu::Features::empty(), wgpu::Limits::default());
    let mut checker = GpuChecker::new(&device.0, &device.1, Config::default()).expect("a checker");
    let pieces = GpuConfig {
        max_buffer_bytes: Some(4800),
        ..GpuConfig::default()
    };
    let config = Config {
        gpu: pieces,
        ..Config::default()
    };
    let mut in_pieces = GpuChecker::new(&device.0, &device.1, config).expect("a checker");
    let mut open = [0; 2];
    for (name, known) in ROOMS.iter() {
        let boxes = boxes_about(known, 600, 4);
        let bits = recorded(&mut checker, &device, &known.room, &boxes);
        let same = recorded(&mut in_pieces, &device, &known.room, &boxes);
        assert!(bits == same, "{name}: in pieces");
        for (i, (obb, bits)) in boxes.iter().zip(bits).enumerate() {
            if expect_no_miss(&format!("{name}, box {i}: {obb:?}"), bits, known.room.enclosure(obb)) {
                // Of every three boxes, the first has an arbitrary position.
                open[usize::from(i % 3 != 0)] += 1;
            }
        }
    }
    assert!(
        open[1] > 300,
        "{open:?}: boxes that nearly touch show what f32 cannot decide"
    );

    let boxes = Scene::Uniform.generate(20_000, 8);
    let bits = recorded(&mut checker, &device, &rooms_in(&boxes)[1], &boxes);
    let undecided = bits.iter().filter(|&bits| bits & Enclosure::UNDECIDED != 0).count();
    assert!(undecided < 20, "{undecided} of 20,000 boxes are undecided");

    let bad = Obb::axis_aligned(Vec3::NAN, Vec3::ONE);
    let bits = recorded(&mut checker, &device, &ROOMS[0].1.room, &[boxes[0], bad]);
    let invalid: Vec<bool> = bits.iter().map(|bits| bits & Enclosure::INVALID != 0).collect();
    assert_eq!(invalid, [false, true]);
}

#[test]
fn async_calls_give_the_same_results() {
    let boxes = Scene::Mixed.generate(700, 2);
    for room in rooms_in(&boxes) {
        let expected = room.enclosures(&boxes).expect("the boxes are valid");
        for checker in [&mut cpu(Config::default()), &mut gpu(Config::default())] {
            let found =
                pollster::block_on(checker.check_async(Containment::new(&room, &boxes))).expect("the boxes are valid");
            expect_same("async", &boxes, &expected, &found);
        }
    }
}

#[test]
fn bad_boxes_are_named() {
    let room = Room::new(Vec3::ZERO, Vec3::ONE).expect("a room");
    let good = Scene::Dense.generate(5000, 1);
    let mut bad = good.clone();
    bad[4321].half_extents.y = -1.0;
    bad[4500].center.x = f32::INFINITY;
    bad[4999].rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 1.1);
    let pieces = GpuConfig {
        max_buffer_bytes: Some(48_000),
        ..GpuConfig::default()
    };
    for checker in [
        &mut cpu(Config::default()),
        &mut gpu(Config::default()),
        &mut gpu_with(pieces),
    ] {
        match checker.check(Containment::new(&room, &bad)) {
            Err(Error::InvalidBox {
                index: 4321,
                problem: BoxProblem::NegativeExtent,
                count: 3,
            }) => {}
            other => panic!("{:?}", other.map(|found| found.len())),
        }
        let found = look(checker, &room, &good);
        expect_same(
            "afterwards",
            &good,
            &room.enclosures(&good).expect("valid boxes"),
            &found,
        );
    }
}

#[test]
fn an_invalid_room_is_an_error() {
    let problem = |room: Result<Room, Error>| match room {
        Err(Error::InvalidRegion { what: "room", problem }) => problem,
        other => panic!("{other:?}"),
    };
    let solid = RegionProblem::Solid;
    let one = Vec3::ONE;
    let unit = Quat::IDENTITY;
    for (room, expected) in [
        (Room::new(one, Vec3::ZERO), solid(BoxProblem::Inverted)),
        (
            Room::new(Vec3::ZERO, Vec3::new(1.0, -1.0, 1.0)),
            solid(BoxProblem::Inverted),
        ),
        (Room::new(Vec3::NAN, one), solid(BoxProblem::NotFinite)),
        (
            Room::new(Vec3::ZERO, Vec3::new(1.0, 1.0, f32::INFINITY)),
            solid(BoxProblem::NotFinite),
        ),
        (Room::new(Vec3::splat(-1e19), one), solid(BoxProblem::TooLarge)),
        (Room::new(Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0)), RegionProblem::Flat),
        (Room::oriented(one, Vec3::new(1.0, 1.0, 0.0), unit), RegionProblem::Flat),
        (Room::oriented(one, -one, unit), solid(BoxProblem::NegativeExtent)),
        (Room::oriented(one, one, unit * 1.01), solid(BoxProblem::Rotation)),
        (
            Room::new(Vec3::ZERO, one).and_then(|room| room.turned(unit * 0.5)),
            solid(BoxProblem::Rotation),
        ),
    ] {
        assert_eq!(problem(room), expected);
    }
    let error = Room::new(one, Vec3::ZERO).expect_err("it is inverted");
    assert_eq!(error.to_string(), "the room has a min above its max: fix it");
}

/// Creates a buffer of this size.
fn buffer(device: &wgpu::Device, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    })
}

fn is_invalid<T>(recorded: Result<T, Error>) -> bool {
    matches!(recorded, Err(Error::InvalidBuffer { .. }))
}

#[test]
fn buffers_that_do_not_fit_are_errors() {
    let (device, queue) = device(wgpu::Features::empty(), wgpu::Limits::default());
    let settings = GpuConfig {
        max_buffer_bytes: Some(4800),
        ..GpuConfig::default()
    };
    let config = Config {
        gpu: settings,
        ..Config::default()
    };
    let mut checker = GpuChecker::new(&device, &queue, config).expect("a checker");
    let room = Room::new(Vec3::ZERO, Vec3::ONE).expect("a room");
    let buffer = |size, usage| buffer(&device, size, usage);
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut record =
        |buffer, counts: BodyCounts| checker.record(&mut encoder, EnclosuresOf::new(&room, &buffer, counts));
    let spheres = |spheres| BodyCounts {
        spheres,
        ..BodyCounts::default()
    };
    let storage = wgpu::BufferUsages::STORAGE;
    assert!(is_invalid(record(buffer(480, storage), BodyCounts::from(11))));
    let other = wgpu::BufferUsages::COPY_DST;
    assert!(is_invalid(record(buffer(480, other), BodyCounts::from(10))));
    assert!(matches!(
        record(buffer(48 * 1201, storage), BodyCounts::from(1201)),
        Err(Error::LimitExceeded {
            needed: 4804,
            available: 4800,
            ..
        })
    ));
    assert!(record(buffer(48 * 1200, storage), BodyCounts::from(1200)).is_ok());
    assert!(record(buffer(48, storage), BodyCounts::from(0)).is_ok());
    assert!(record(buffer(16 * 11, storage), spheres(11)).is_ok());
    assert!(is_invalid(record(buffer(16 * 10, storage), spheres(11))));
    let mixed = BodyCounts {
        boxes: 2,
        capsules: 3,
        spheres: 4,
    };
    assert!(record(buffer(5 * 48 + 4 * 16 + 32, storage), mixed).is_ok());
    assert!(is_invalid(record(buffer(5 * 48 + 3 * 16, storage), mixed)));
    let too_many = BodyCounts {
        capsules: u32::MAX,
        ..mixed
    };
    assert!(matches!(
        record(buffer(480, storage), too_many),
        Err(Error::TooManyBoxes { .. })
    ));
}
