//! Pictures of scenes: on both backends as they are stored in `tests/it/pictures`, which are to be looked at when they change.
//! `PICTURES_RECORD=1 cargo test pictures` writes them anew, as the CPU draws them.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use obbligato::glam::{DQuat, DVec3, Quat, Vec3};
use obbligato::render::{Arrow, Camera, Mark, Picture, Renderer, View, marks, poses};
use obbligato::scenes::Scene;
use obbligato::{Backend, Bodies, Capsule, Checker, Config, Error, Motion, Obb, Sphere, Triangle};
use proptest::collection::vec;

use crate::support::random;

/// The size of stored pictures.
const SIZE: [u32; 2] = [320, 200];

/// The most that pictures may differ: cells of 4 x 4 pixels are averaged, and of the intensities, from 0 to 255, this is the mean
/// of the differences, and the share of cells that differ by more than [`FAR`]. Another device may shift an edge by part of a pixel.
const MOST_MEAN: f64 = 0.4;
const MOST_SHARE: f64 = 0.004;
const FAR: f64 = 16.0;

fn renderer(backend: Backend) -> Renderer {
    let config = Config {
        backend,
        ..Config::default()
    };
    Renderer::new(&config).expect("the backend is there")
}

fn draw(backend: Backend, view: &View<'_>, size: [u32; 2]) -> Picture {
    let camera = Camera::around(view, size);
    renderer(backend).draw(view, &camera, size).expect("a picture")
}

/// Cells of 4 x 4 pixels, averaged.
fn cells(picture: &Picture) -> Vec<[f64; 3]> {
    let [width, height] = [picture.width as usize / 4, picture.height as usize / 4];
    let mut cells = vec![[0.0; 3]; width * height];
    for y in 0..4 * height {
        for x in 0..4 * width {
            let pixel = &picture.pixels[4 * (y * picture.width as usize + x)..];
            let cell = &mut cells[y / 4 * width + x / 4];
            for (sum, &channel) in cell.iter_mut().zip(pixel) {
                *sum += f64::from(channel) / 16.0;
            }
        }
    }
    cells
}

/// The mean difference, and the share of cells that differ a lot.
fn difference(a: &Picture, b: &Picture) -> [f64; 2] {
    assert_eq!([a.width, a.height], [b.width, b.height]);
    let [a, b] = [a, b].map(cells);
    let differences = a.iter().zip(&b).map(|(a, b)| {
        let channels = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        channels.fold(0.0, f64::max)
    });
    let differences: Vec<f64> = differences.collect();
    let far = differences.iter().filter(|&&difference| difference > FAR).count();
    let count = differences.len() as f64;
    [differences.iter().sum::<f64>() / count, far as f64 / count]
}

fn is_alike(a: &Picture, b: &Picture) -> bool {
    let [mean, share] = difference(a, b);
    mean <= MOST_MEAN && share <= MOST_SHARE
}

fn stored(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/pictures");
    folder.join(format!("{name}.png"))
}

/// A PNG of three channels.
fn load(path: &Path) -> Picture {
    let file = BufReader::new(File::open(path).expect("the picture is stored"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("a whole PNG");
    let mut picture = draw(Backend::Cpu, &View::default(), [info.width, info.height]);
    let (pixels, _) = bytes.as_chunks::<3>();
    for (to, from) in picture.pixels.chunks_exact_mut(4).zip(pixels) {
        to[..3].copy_from_slice(from);
    }
    picture
}

fn mirrored(picture: &Picture) -> Picture {
    let mut mirrored = picture.clone();
    let row = picture.width as usize * 4;
    for (to, from) in mirrored
        .pixels
        .chunks_exact_mut(row)
        .zip(picture.pixels.chunks_exact(row))
    {
        let pixels = from.chunks_exact(4).rev();
        to.chunks_exact_mut(4)
            .zip(pixels)
            .for_each(|(to, from)| to.copy_from_slice(from));
    }
    mirrored
}

/// Draws on both backends, and holds what is drawn against the stored picture.
#[track_caller]
fn expect_picture(name: &str, view: &View<'_>) {
    let path = stored(name);
    let drawn = draw(Backend::Cpu, view, SIZE);
    if std::env::var_os("PICTURES_RECORD").is_some() {
        fs::write(&path, drawn.png().expect("a file")).expect("it can be written");
    }
    let expected = load(&path);
    for (backend, drawn) in [(Backend::Cpu, drawn), (Backend::Gpu, draw(Backend::Gpu, view, SIZE))] {
        let found = difference(&drawn, &expected);
        assert!(is_alike(&drawn, &expected), "{name}, {backend:?}: {found:?}");
        // It would be noticed.
        assert!(!is_alike(&mirrored(&drawn), &expected), "{name}: a mirrored picture");
    }
    let swap = |mark: &Mark| match mark {
        Mark::Free => Mark::Free,
        Mark::Touching => Mark::Overlapping,
        Mark::Overlapping => Mark::Touching,
    };
    let [swapped, swapped_triangles] =
        [view.marks, view.triangle_marks].map(|marks| marks.iter().map(swap).collect::<Vec<_>>());
    if swapped.as_slice() != view.marks {
        let other = View {
            marks: &swapped,
            triangle_marks: &swapped_triangles,
            ..*view
        };
        assert!(
            !is_alike(&draw(Backend::Cpu, &other, SIZE), &expected),
            "{name}: swapped colours"
        );
    }
}

/// Two boxes that overlap, two that touch, and a free one behind them.
fn few() -> Vec<Obb> {
    vec![
        Obb::new(
            Vec3::new(-2.0, 0.0, 1.0),
            Vec3::new(1.0, 0.8, 1.0),
            Quat::from_rotation_z(0.3),
        ),
        Obb::new(
            Vec3::new(-0.9, -0.6, 0.7),
            Vec3::new(0.8, 0.5, 0.7),
            Quat::from_rotation_z(-0.5),
        ),
        Obb::axis_aligned(Vec3::new(2.0, 0.0, 0.5), Vec3::new(0.5, 0.5, 0.5)),
        Obb::axis_aligned(Vec3::new(2.2, 0.1, 1.25), Vec3::new(0.5, 0.4, 0.25)),
        Obb::new(
            Vec3::new(1.0, 3.0, 0.6),
            Vec3::new(1.5, 0.4, 0.6),
            Quat::from_rotation_x(0.4),
        ),
    ]
}

fn marks_of<'a>(bodies: impl Into<Bodies<'a>>) -> Vec<Mark> {
    let config = Config {
        backend: Backend::Cpu,
        list_touching: true,
        ..Config::default()
    };
    let report = Checker::new(config)
        .expect("the CPU")
        .check(bodies.into())
        .expect("valid bodies");
    marks(&report).expect("pairs and touching ones")
}

#[test]
fn pictures_of_boxes() {
    let boxes = few();
    let marks = marks_of(&boxes);
    assert_eq!(
        marks.iter().map(|mark| mark.name()).collect::<Vec<_>>().join(" "),
        "overlapping overlapping touching touching free"
    );
    let view = View {
        bodies: (&boxes).into(),
        marks: &marks,
        caption: "five boxes",
        ..View::default()
    };
    expect_picture("boxes", &view);

    let boxes = Scene::Uniform.generate(500, 1);
    let marks = marks_of(&boxes);
    let view = View {
        bodies: (&boxes).into(),
        marks: &marks,
        ..View::default()
    };
    expect_picture("uniform", &view);
}

/// Balls, capsules lying and standing, plates and rods without volume, arrows, ghosts.
#[test]
fn pictures_of_bodies() {
    let boxes = [
        Obb::axis_aligned(Vec3::new(0.0, 0.0, -0.1), Vec3::new(4.0, 3.0, 0.1)),
        Obb::axis_aligned(Vec3::new(0.0, 3.0, 1.5), Vec3::new(4.0, 0.0, 1.5)),
        Obb::axis_aligned(Vec3::new(-4.0, -3.0, 1.5), Vec3::new(0.0, 0.0, 1.5)),
    ];
    let capsules = [
        Capsule::new(Vec3::new(-2.0, 0.0, 0.9), 0.5, Quat::IDENTITY, 0.4),
        Capsule::new(Vec3::new(1.0, -1.5, 0.5), 1.0, Quat::from_rotation_y(1.5), 0.5),
    ];
    let spheres = [
        Sphere::new(Vec3::new(1.5, 1.0, 0.8), 0.8),
        Sphere::new(Vec3::new(3.0, 0.8, 0.9), 1.0),
    ];
    let bodies = Bodies {
        boxes: &boxes,
        capsules: &capsules,
        spheres: &spheres,
    };
    let marks = marks_of(bodies);
    let mut motions = vec![Motion::REST; bodies.len()];
    motions[3] = Motion::linear(Vec3::new(0.0, -2.0, 0.0)).turning(Vec3::new(1.0, 0.0, 0.0));
    motions[5] = Motion::linear(Vec3::new(-1.0, 0.0, 1.0));
    let (ghosts, places) = poses(bodies, &motions, 1.0, 3).expect("memory");
    assert_eq!(places, [3, 3, 3, 5, 5, 5]);
    let ghost_marks: Vec<Mark> = places.iter().map(|&place| marks[place as usize]).collect();
    let arrow = Arrow {
        point: Vec3::new(2.3, 0.9, 0.9),
        normal: Vec3::new(0.8, 0.0, 0.6),
        depth: 0.3,
    };
    let view = View {
        bodies,
        marks: &marks,
        ghosts: ghosts.all(),
        ghost_marks: &ghost_marks,
        arrows: &[arrow],
        legend: false,
        ..View::default()
    };
    expect_picture("bodies", &view);
}

/// A mesh: the side of a tetrahedron that is cut is marked.
#[test]
fn pictures_of_triangles() {
    let corners = [
        Vec3::new(-1.0, -1.0, 0.0),
        Vec3::new(1.2, -0.8, 0.0),
        Vec3::new(0.0, 1.0, 0.0),
        Vec3::new(0.0, 0.0, 1.6),
    ];
    let mut triangles: Vec<Triangle> = [[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        .map(|corner: [usize; 3]| Triangle::new(corners[corner[0]], corners[corner[1]], corners[corner[2]]))
        .into();
    triangles.push(Triangle::new(
        Vec3::new(0.1, -2.0, 0.5),
        Vec3::new(0.3, 0.0, 0.6),
        Vec3::new(0.9, -1.9, 0.4),
    ));
    let mut marks = [Mark::Free; 5];
    (marks[1], marks[4]) = (Mark::Overlapping, Mark::Overlapping);
    let view = View {
        triangles: &triangles,
        triangle_marks: &marks,
        ..View::default()
    };
    assert_eq!(view.counts(), [3, 0, 2]);
    expect_picture("triangles", &view);
}

/// What is in front hides what is behind, in whichever order they come.
#[test]
fn pictures_depend_on_no_order() {
    let boxes = few();
    let marks = marks_of(&boxes);
    let reversed: Vec<Obb> = boxes.iter().copied().rev().collect();
    let reversed_marks: Vec<Mark> = marks.iter().copied().rev().collect();
    for backend in [Backend::Cpu, Backend::Gpu] {
        let [a, b] = [(&boxes, &marks), (&reversed, &reversed_marks)].map(|(boxes, marks)| {
            let view = View {
                bodies: boxes.into(),
                marks,
                ..View::default()
            };
            draw(backend, &view, SIZE)
        });
        assert_eq!(a.pixels, b.pixels, "{backend:?}");
    }
}

/// Where a camera has a point in a picture of this size, by the words of its documentation: in pixels, and how far in front.
fn projected(camera: &Camera, size: [u32; 2], point: DVec3) -> [f64; 3] {
    let [width, height] = size.map(f64::from);
    let scale = (camera.target - camera.position).length();
    let forward = (camera.target - camera.position) / scale;
    let right = forward.cross(camera.up).normalize();
    let up = right.cross(forward);
    let seen = (point - camera.position) / scale;
    let depth = seen.dot(forward);
    let pixel = 2.0 * (0.5 * camera.field_of_view).tan() / height;
    let place = |across: DVec3| seen.dot(across) / depth / pixel;
    [0.5 * width + place(right), 0.5 * height - place(up), depth]
}

#[test]
fn cameras_have_all_corners_in_the_picture() {
    let coordinate = -10.0..10.0_f64;
    let place = (coordinate.clone(), coordinate.clone(), coordinate);
    let half = (0.0..1.0_f32, 0.0..1.0_f32, 0.0..1.0_f32);
    let solids = vec((place, half, random::rotation()), 50);
    for (case, (exponent, solids)) in random::samples((-98.0..58.0_f64, solids), 300).enumerate() {
        let scale = exponent.exp2();
        let center = [0.0, 1e3, 1e6][case % 3];
        let count = [1, 2, 50][case % 3];
        let solids = solids.into_iter().take(count).map(|(place, half, rotation)| {
            let place = DVec3::from(place) + DVec3::X * center;
            let flat = if case % 4 == 0 { 0.0 } else { 1.0 };
            let half = Vec3::from(half) * Vec3::new(1.0, 1.0, flat);
            Obb::new((place * scale).as_vec3(), (half.as_dvec3() * scale).as_vec3(), rotation)
        });
        let boxes: Vec<Obb> = solids.collect();
        let view = View {
            bodies: (&boxes).into(),
            ..View::default()
        };
        let size = [[320, 200], [200, 320], [1000, 100]][case / 3 % 3];
        let camera = Camera::around(&view, size);
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for obb in &boxes {
            for k in 0..8 {
                let side = |bit: u32| f64::from(k >> bit & 1) * 2.0 - 1.0;
                let own = obb.half_extents.as_dvec3() * DVec3::new(side(0), side(1), side(2));
                let rotation: DQuat = obb.rotation.as_dquat().normalize();
                let [x, y, depth] = projected(&camera, size, obb.center.as_dvec3() + rotation * own);
                assert!(depth > 0.0, "{case}: behind the camera");
                for (axis, place) in [x, y].into_iter().enumerate() {
                    assert!(
                        (0.0..=f64::from(size[axis])).contains(&place),
                        "{case}: {x}, {y}, {camera:?}"
                    );
                    low[axis] = low[axis].min(place);
                    high[axis] = high[axis].max(place);
                }
            }
        }
        // And it is no further away than that takes.
        let filled = (0..2).map(|axis| (high[axis] - low[axis]) / f64::from(size[axis]));
        let filled = filled.fold(0.0, f64::max);
        assert!(count < 50 || filled > 0.7, "{case}: {filled}");
    }
}

/// Powers of two change nothing at all, and a place far from the origin little.
#[test]
fn pictures_are_the_same_at_every_scale() {
    let boxes = few();
    let marks = marks_of(&boxes);
    let view = |boxes: &[Obb]| {
        let view = View {
            bodies: boxes.into(),
            marks: &marks,
            ..View::default()
        };
        [Backend::Cpu, Backend::Gpu].map(|backend| draw(backend, &view, SIZE))
    };
    let expected = view(&boxes);
    for exponent in [-100, -20, 57] {
        let scale = 2.0_f32.powi(exponent);
        let scaled: Vec<Obb> = boxes
            .iter()
            .map(|obb| Obb::new(obb.center * scale, obb.half_extents * scale, obb.rotation))
            .collect();
        assert!(view(&scaled) == expected, "2^{exponent}");
    }
    let offset = Vec3::new(1024.0, -2048.0, 512.0);
    let moved: Vec<Obb> = boxes
        .iter()
        .map(|obb| Obb::new(obb.center + offset, obb.half_extents, obb.rotation))
        .collect();
    for (found, expected) in view(&moved).iter().zip(&expected) {
        assert!(is_alike(found, expected), "{:?}", difference(found, expected));
    }
}

/// Nothing, a point, a plate seen from its side: something is drawn, unless there is nothing.
#[test]
fn pictures_of_little() {
    let point = [Obb::axis_aligned(Vec3::new(1e6, 0.0, -3.0), Vec3::ZERO)];
    let tiny = [Obb::axis_aligned(Vec3::splat(1e-30), Vec3::splat(1e-32))];
    let far = [Obb::axis_aligned(Vec3::splat(1e18), Vec3::ONE)];
    for backend in [Backend::Cpu, Backend::Gpu] {
        let is_blank = |boxes: &[Obb]| {
            let view = View {
                bodies: boxes.into(),
                legend: false,
                ..View::default()
            };
            let picture = draw(backend, &view, [64, 48]);
            picture
                .pixels
                .chunks_exact(4)
                .all(|pixel| pixel == &picture.pixels[..4])
        };
        assert!(is_blank(&[]));
        for boxes in [&point, &tiny, &far] {
            assert!(!is_blank(boxes), "{backend:?}, {boxes:?}");
        }
    }
}

/// Pictures that are drawn in parts are the same as those that are not.
#[test]
fn pictures_in_parts() {
    let boxes = few();
    let marks = marks_of(&boxes);
    let view = View {
        bodies: (&boxes).into(),
        marks: &marks,
        legend: false,
        ..View::default()
    };
    let size = [2500, 120];
    let [cpu, gpu] = [Backend::Cpu, Backend::Gpu].map(|backend| draw(backend, &view, size));
    assert!(is_alike(&cpu, &gpu), "{:?}", difference(&cpu, &gpu));
}

#[test]
fn pictures_that_cannot_be() {
    let boxes = few();
    let view = View {
        bodies: (&boxes).into(),
        marks: &[Mark::Free],
        ..View::default()
    };
    let camera = Camera::new(DVec3::ZERO, DVec3::X);
    let mut renderer = renderer(Backend::Cpu);
    let wrong_marks = renderer.draw(&view, &camera, SIZE);
    assert!(matches!(
        wrong_marks,
        Err(Error::MissingMarks { count: 5, marks: 1, .. })
    ));
    for size in [[0, 9], [9, 0], [9, 40_000]] {
        let wrong = renderer.draw(&View::default(), &camera, size);
        assert!(matches!(wrong, Err(Error::InvalidPicture { .. })), "{size:?}");
    }
    let pictures = [[8, 8], [8, 9]].map(|size| draw(Backend::Cpu, &View::default(), size));
    assert!(Picture::animation(pictures.into_iter().map(Ok), 100).is_err());
    assert!(Picture::animation(std::iter::empty(), 100).is_err());
}

#[test]
fn pictures_that_move() {
    let pictures = [1.0_f32, 2.0, 3.0].map(|half| {
        let boxes = [Obb::axis_aligned(Vec3::ZERO, Vec3::new(half, 1.0, 1.0))];
        let view = View {
            bodies: (&boxes).into(),
            ..View::default()
        };
        draw(Backend::Cpu, &view, [64, 48])
    });
    let file = Picture::animation(pictures.clone().into_iter().map(Ok), 40).expect("a file");
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .expect("a PNG");
    let frames = reader.info().animation_control.expect("it is animated").num_frames;
    assert_eq!(frames, 3);
    for picture in &pictures {
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut bytes).expect("a frame");
        let (found, _) = bytes.as_chunks::<3>();
        assert!(
            picture
                .pixels
                .chunks_exact(4)
                .zip(found)
                .all(|(pixel, found)| pixel[..3] == found[..])
        );
    }
}

/// A scene as glTF is read back: the corners of all boxes, with y up.
#[cfg(feature = "files")]
#[test]
fn scenes_as_gltf_come_back() {
    use obbligato::files::read_mesh;
    use obbligato::render::glb;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("scene.glb");
    let read = |view: &View<'_>| {
        fs::write(&path, glb(view).expect("a file")).expect("it can be written");
        read_mesh(&path).expect("a mesh").triangles
    };
    assert!(read(&View::default()).is_empty());

    let boxes = few();
    let marks = marks_of(&boxes);
    let spheres = [Sphere::new(Vec3::new(5.0, 6.0, 7.0), 0.5)];
    let all_marks = [&marks[..], &[Mark::Free]].concat();
    let view = View {
        bodies: Bodies {
            boxes: &boxes,
            spheres: &spheres,
            ..Bodies::default()
        },
        marks: &all_marks,
        ..View::default()
    };
    let triangles = read(&view);
    // Back to z up.
    let corners: Vec<Vec3> = triangles
        .iter()
        .flat_map(|triangle| triangle.corners)
        .map(|corner| Vec3::new(corner.x, -corner.z, corner.y))
        .collect();
    for obb in &boxes {
        for k in 0..8 {
            let side = |bit: u32| (k >> bit & 1) as f32 * 2.0 - 1.0;
            let corner = obb.center + obb.rotation * (obb.half_extents * Vec3::new(side(0), side(1), side(2)));
            let near = corners.iter().filter(|other| other.distance(corner) < 1e-5).count();
            // Three faces of one or two triangles.
            assert!((3..=6).contains(&near), "{near} triangles at {corner}");
        }
    }
    let on_ball = corners
        .iter()
        .filter(|corner| (corner.distance(spheres[0].center) - 0.5).abs() < 1e-5);
    assert!(on_ball.count() > 500);
    // No triangle faces inwards.
    let of_ball = triangles
        .iter()
        .filter(|triangle| triangle.corners[0].distance(Vec3::new(5.0, 7.0, -6.0)) < 0.6);
    for triangle in of_ball {
        let [a, b, c] = triangle.corners;
        let out = (a + b + c) / 3.0 - Vec3::new(5.0, 7.0, -6.0);
        let normal = (b - a).cross(c - a);
        assert!(
            normal == Vec3::ZERO || normal.normalize_or_zero().dot(out) >= -1e-6,
            "{triangle:?}"
        );
    }
}

/// A caller's pairs are what the marks say.
#[test]
fn marks_are_those_of_the_pairs() {
    let boxes = Scene::Bricks.generate(300, 1);
    let mut boxes: Vec<Obb> = boxes.into_iter().chain(few()).collect();
    boxes[7].half_extents *= 1.1;
    boxes.push(Obb::axis_aligned(Vec3::splat(1000.0), Vec3::ONE));
    let mut expected = vec![Mark::Free; boxes.len()];
    for a in 0..boxes.len() {
        for b in 0..a {
            let found = boxes[a].contact(&boxes[b]);
            let mark = match () {
                () if !found.collides() => continue,
                () if found == obbligato::Contact::Touching => Mark::Touching,
                () => Mark::Overlapping,
            };
            expected[a] = expected[a].max(mark);
            expected[b] = expected[b].max(mark);
        }
    }
    assert!(Mark::ALL.iter().all(|mark| expected.contains(mark)));
    assert_eq!(marks_of(&boxes), expected);
}
