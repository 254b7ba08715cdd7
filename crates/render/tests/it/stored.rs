//! Pictures on both backends, compared with the ones stored in this folder, which must be looked at
//! when they change. `PICTURES_RECORD=1 cargo test pictures` rewrites them, as the CPU draws them.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Backend, Bodies, Capsule, Obb, Sphere, motion::Motion, shape::Triangle};
use obbligato_render::{Arrow, Camera, Legend, Mark, Picture, View, poses};
use obbligato_verify::scenes::Scene;

use super::compared::{difference, is_alike_but_for};
use super::{SIZE, draw, draw_from, few, marks_of};

/// The corners of a tetrahedron.
const TETRAHEDRON: [Vec3; 4] = [
    Vec3::new(-1.0, -1.0, 0.0),
    Vec3::new(1.2, -0.8, 0.0),
    Vec3::new(0.0, 1.0, 0.0),
    Vec3::new(0.0, 0.0, 1.6),
];

fn stored(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    folder.join(format!("{name}.png"))
}

/// Reads a PNG of three channels.
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

/// Draws on both backends, and compares the results with the stored picture.
#[track_caller]
fn expect_picture(name: &str, view: &View<'_>) {
    expect_picture_from(name, view, &Camera::around(view, SIZE), 0.0);
}

/// [`expect_picture`] with a given camera, and a tolerance for the rounding of layers of glass.
#[track_caller]
fn expect_picture_from(name: &str, view: &View<'_>, camera: &Camera, rounding: f64) {
    let is_alike = |a: &Picture, b: &Picture| is_alike_but_for(rounding, a, b);
    let path = stored(name);
    let draw = |backend, view: &View<'_>| draw_from(backend, view, camera, SIZE);
    let drawn = draw(Backend::Cpu, view);
    if std::env::var_os("PICTURES_RECORD").is_some() {
        fs::write(&path, drawn.png().expect("a file")).expect("it can be written");
    }
    let expected = load(&path);
    for (backend, drawn) in [(Backend::Cpu, drawn), (Backend::Gpu, draw(Backend::Gpu, view))] {
        let found = difference(&drawn, &expected);
        assert!(is_alike(&drawn, &expected), "{name}, {backend:?}: {found:?}");
        // The comparison detects a difference.
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
            !is_alike(&draw(Backend::Cpu, &other), &expected),
            "{name}: swapped colours"
        );
    }
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

/// Spheres, capsules lying and standing, plates and rods without volume, arrows, ghosts.
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
        legend: Legend::Hidden,
        ..View::default()
    };
    expect_picture("bodies", &view);
}

/// From within two nested bodies: the outside is seen through two layers of glass, which a GPU
/// rounds one by one.
#[test]
fn pictures_from_inside() {
    let boxes = [
        Obb::axis_aligned(Vec3::new(0.5, 0.0, 0.0), Vec3::new(3.0, 2.0, 1.5)),
        Obb::new(
            Vec3::new(3.0, 5.0, -0.5),
            Vec3::new(1.0, 0.6, 0.8),
            Quat::from_rotation_z(0.6),
        ),
        Obb::axis_aligned(Vec3::new(-1.5, 6.0, 0.5), Vec3::new(0.8, 0.8, 0.8)),
    ];
    let capsules = [Capsule::new(
        Vec3::new(0.0, 0.3, 0.0),
        0.8,
        Quat::from_rotation_y(1.2),
        1.0,
    )];
    let bodies = Bodies {
        boxes: &boxes,
        capsules: &capsules,
        ..Bodies::default()
    };
    let marks = marks_of(bodies);
    let view = View {
        bodies,
        marks: &marks,
        legend: Legend::Hidden,
        ..View::default()
    };
    let eye = DVec3::new(0.1, 0.2, 0.1);
    expect_picture_from("inside", &view, &Camera::new(eye, eye + DVec3::new(0.1, 1.0, 0.0)), 1.0);
}

/// A mesh: the side of a tetrahedron that is cut is marked.
#[test]
fn pictures_of_triangles() {
    let mut triangles: Vec<Triangle> = [[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        .map(|corner: [usize; 3]| Triangle {
            corners: corner.map(|corner| TETRAHEDRON[corner]),
        })
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

/// Glass of triangles in front of and behind solid ones, and between bodies of glass.
#[test]
fn pictures_of_glass() {
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let at = |moved: Vec3| {
        faces.map(|corner: [usize; 3]| Triangle {
            corners: corner.map(|corner| TETRAHEDRON[corner] + moved),
        })
    };
    let solid = at(Vec3::ZERO);
    let glass = [at(Vec3::new(-0.6, -1.2, 0.3)), at(Vec3::new(0.8, 1.4, 0.2))].concat();
    let marks = [Mark::Overlapping; 4];
    let glass_marks = [[Mark::Touching; 4], [Mark::Free; 4]].concat();
    let ghosts = [Obb::axis_aligned(Vec3::new(1.2, -0.6, 0.6), Vec3::splat(0.5))];
    let view = View {
        triangles: &solid,
        triangle_marks: &marks,
        ghosts: (&ghosts).into(),
        ghost_triangles: &glass,
        ghost_triangle_marks: &glass_marks,
        legend: Legend::Hidden,
        ..View::default()
    };
    assert_eq!(view.counts(), [0, 0, 4]);
    expect_picture_from("glass", &view, &Camera::around(&view, SIZE), 1.0);
}
