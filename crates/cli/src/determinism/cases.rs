//! The commands to compare, and the files that they read: scenes of every kind of bodies.

use std::{fmt::Write, fs, path::Path};

use obbligato::{
    Capsule, Obb, Sphere,
    glam::{DVec3, Quat, Vec2, Vec3},
    motion::Motion,
    shape::OwnedBodies,
};
use obbligato_files as files;
use obbligato_files::SceneFile;
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::{BodyScene, Scene, rings};

use super::scratch::problem;
use crate::failure::Failure;

/// The folder of the outputs, next to the inputs.
pub const OUT: &str = "out";

/// The commands. Each writes all outputs that it has into the folder [`OUT`].
pub const CASES: [&str; 18] = [
    "check boxes.npy --pairs out/pairs.npy --marks out/marks.npy --rows out/rows --contacts out/contacts.csv \
     --json out/report.json",
    "check boxes.npy --volumes out/volumes.csv --clashes out/clashes.csv --json out/report.json",
    "check boxes.npy --period 60,50,- --pairs out/pairs.csv --contacts out/contacts.csv --json out/report.json",
    "check bodies.csv --margin 0.1 --pairs out/pairs.parquet --contacts out/contacts.csv \
     --distances out/distances.csv --json out/report.json",
    "check far.csv --f64 --pairs out/pairs.csv --contacts out/contacts.csv --json out/report.json",
    "check plane.csv --pairs out/pairs.csv --contacts out/contacts.csv --json out/report.json",
    "check upright.csv --pairs out/pairs.csv --marks out/marks.csv --json out/report.json",
    "neighbours bodies.csv --k 4 --by surface --out out/near.csv",
    "sweep moving.csv --dt 0.25 --impacts out/impacts.csv --margin 0.1 --approach out/approach.csv \
     --json out/report.json",
    "track frames.csv --persist --events out/events.csv --contacts out/contacts.csv --json out/report.json",
    "solids points.csv --margin 0.1 --pairs out/pairs.csv --distances out/distances.csv --json out/report.json",
    "check boxes.npy --memory 300MB --work work --tile-boxes 1k --pairs out/pairs.csv --json out/report.json",
    "room boxes.npy --min 0,0,0 --max 20,20,20 --out out/room.csv",
    "fit points.csv --out out/fitted.csv",
    "render bodies.csv --out out/scene.glb",
    "mesh --scene parts.obj --clearance 0.1 --clashes out/clashes.csv --json out/report.json",
    "mesh parts.obj --inside points.csv --out out/inside.csv --json out/report.json",
    "mesh rings.obj --pairs out/pairs.npy --json out/report.json",
];

/// Writes the files that the commands read.
pub fn write(folder: &Path, seed: u64) -> Result<(), Failure> {
    let scene = |name: &str, scene: SceneFile| files::write_scene_file(&folder.join(name), &scene);
    scene("boxes.npy", boxes(Scene::Dense.generate(6_000, seed)))?;
    scene("bodies.csv", bodies(BodyScene::MixedKinds.bodies(9_000, seed)))?;
    scene("far.csv", far(seed))?;
    scene("plane.csv", plane(seed))?;
    scene("moving.csv", moving(seed))?;
    for (name, text) in [
        ("upright.csv", upright(seed)),
        ("frames.csv", frames(seed)),
        ("points.csv", points(seed)),
        ("rings.obj", mesh(seed)),
        ("parts.obj", parts(seed)),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| problem(&path, "cannot be written", &error))?;
    }
    Ok(())
}

fn boxes(boxes: Vec<Obb>) -> SceneFile {
    SceneFile {
        boxes,
        ..SceneFile::default()
    }
}

fn bodies(bodies: OwnedBodies) -> SceneFile {
    SceneFile {
        boxes: bodies.boxes,
        capsules: bodies.capsules,
        spheres: bodies.spheres,
        ..SceneFile::default()
    }
}

/// Returns boxes so far from the origin that `f32` does not hold their centers.
fn far(seed: u64) -> SceneFile {
    let mut scene = boxes(Scene::Dense.generate(5_000, seed));
    let centers = scene
        .boxes
        .iter()
        .map(|obb| obb.center.as_dvec3() + DVec3::splat(1e6 / 3.0));
    let centers: Vec<DVec3> = centers.collect();
    for (obb, center) in scene.boxes.iter_mut().zip(&centers) {
        obb.center = center.as_vec3();
    }
    SceneFile {
        centers: Some(centers),
        ..scene
    }
}

/// Returns rectangles, stadiums and discs in the plane.
fn plane(seed: u64) -> SceneFile {
    const EACH: usize = 2_000;
    const EDGE: f32 = 150.0;
    let mut random = SplitMix(seed);
    let mut size = |most: f32| (0.1 + 0.9 * random.unit() as f32) * most;
    let mut scene = SceneFile {
        in_plane: true,
        ..SceneFile::default()
    };
    for _ in 0..EACH {
        let turn = Quat::from_xyzw(0.0, 0.0, 0.6, 0.8);
        let mut center = || Vec2::new(size(EDGE), size(EDGE));
        let [first, second, third] = [center(), center(), center()];
        scene
            .boxes
            .push(Obb::in_plane(first, Vec2::new(size(1.0), size(1.0)), turn));
        scene
            .capsules
            .push(Capsule::in_plane(second, size(1.0), turn, size(0.5)));
        scene.spheres.push(Sphere::new(third.extend(0.0), size(1.0)));
    }
    scene
}

/// Returns boxes that move and turn.
fn moving(seed: u64) -> SceneFile {
    let mut random = SplitMix(seed);
    let mut vector = |most: f32| Vec3::from([0; 3].map(|_| (2.0 * random.unit() as f32 - 1.0) * most));
    let scene = boxes(Scene::Uniform.generate(5_000, seed));
    let motions = scene.boxes.iter().enumerate().map(|(k, _)| {
        let mut motion = Motion::linear(vector(4.0));
        if k % 3 == 0 {
            motion.angular_velocity = vector(2.0);
        }
        motion
    });
    SceneFile {
        motions: Some(motions.collect()),
        ..scene
    }
}

/// Returns upright cuboids, each by its corners in plan.
fn upright(seed: u64) -> String {
    let mut random = SplitMix(seed);
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let mut text = "x0,y0,x1,y1,x2,y2,x3,y3,z_min,z_max\n".to_owned();
    for _ in 0..5_000 {
        let [x, y, z] = [0; 3].map(|_| between(0.0, 30.0));
        let ([a, b], height) = ([0; 2].map(|_| between(0.3, 1.0)), between(0.5, 2.0));
        // A rotation of rational cosine and sine.
        let corner = |[a, b]: [f64; 2]| format!("{},{}", x + 0.6 * a - 0.8 * b, y + 0.8 * a + 0.6 * b);
        let corners = [[a, b], [-a, b], [-a, -b], [a, -b]].map(corner).join(",");
        let _ = writeln!(text, "{corners},{z},{}", z + height);
    }
    text
}

/// Returns frames of boxes that move straight.
fn frames(seed: u64) -> String {
    let mut random = SplitMix(seed);
    let scene = Scene::Dense.generate(3_000, seed);
    let velocities: Vec<Vec3> = scene
        .iter()
        .map(|_| Vec3::from([0; 3].map(|_| random.unit() as f32 - 0.5)))
        .collect();
    let mut text = "frame,id,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n".to_owned();
    for frame in 0..4 {
        for (id, (obb, velocity)) in scene.iter().zip(&velocities).enumerate() {
            let numbers = [
                (obb.center + *velocity * frame as f32).to_array().to_vec(),
                obb.half_extents.to_array().to_vec(),
                obb.rotation.to_array().to_vec(),
            ];
            let numbers: Vec<String> = numbers.concat().iter().map(f32::to_string).collect();
            let _ = writeln!(text, "{frame},{id},{}", numbers.join(","));
        }
    }
    text
}

/// Returns the points of convex solids.
fn points(seed: u64) -> String {
    let mut random = SplitMix(seed);
    let mut text = "id,x,y,z\n".to_owned();
    for id in 0..1_500 {
        let center = [0; 3].map(|_| 20.0 * random.unit());
        for _ in 0..10 {
            let [x, y, z] = center.map(|center| (center + random.unit()) as f32);
            let _ = writeln!(text, "{id},{x},{y},{z}");
        }
    }
    text
}

/// Returns a mesh that intersects itself.
fn mesh(seed: u64) -> String {
    let mut text = String::new();
    for (k, triangle) in rings(3 * 4096, seed).iter().enumerate() {
        for corner in triangle.corners {
            let _ = writeln!(text, "v {} {} {}", corner.x, corner.y, corner.z);
        }
        let _ = writeln!(text, "f {} {} {}", 3 * k + 1, 3 * k + 2, 3 * k + 3);
    }
    text
}

/// Returns the closed meshes of small solids, each an object.
fn parts(seed: u64) -> String {
    let mut random = SplitMix(seed);
    let mut text = String::new();
    for id in 0..600 {
        let center = [0; 3].map(|_| 15.0 * random.unit());
        let _ = writeln!(text, "o {id}");
        for corner in [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let [x, y, z] = [0, 1, 2].map(|axis| (center[axis] + corner[axis]) as f32);
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for face in [[1, 3, 2], [1, 2, 4], [2, 3, 4], [1, 4, 3]] {
            let [a, b, c] = face.map(|corner| 4 * id + corner);
            let _ = writeln!(text, "f {a} {b} {c}");
        }
    }
    text
}
