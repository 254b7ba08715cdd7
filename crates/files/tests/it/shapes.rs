//! Spheres and capsules in CSV scenes.

use obbligato::glam::{Quat, Vec3};
use obbligato::{Capsule, Obb, Sphere, motion::Motion, query::NO_OWNER};
use obbligato_files::{Id, Ids, ReadOptions, read_scene, read_scene_with, write_scene, write_scene_file};

use super::{file, read_text};

/// A sphere, a box, a capsule and a sphere, with every column that a row can have.
const SCENE: &str = "id,shape,memberships,filter,owner,world,static,vx,wx,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius,note
40,sphere,1,3,,7,1,2,nonsense,1,2,3,,,,,,,,4,first
3,box,2,3,5,8,0,3,1,5,6,7,1,2,3,0,0,0,1,,second
20,capsule,4,7,6,9,1,4,2,8,9,1,,,2,0,0,0,1,3,third
1,sphere,8,8,7,1,0,5,,2,2,2,,,,,,,,0.1,fourth
";

fn all() -> ReadOptions {
    ReadOptions {
        columns: vec!["note".into()],
        motions: true,
        ..ReadOptions::default()
    }
}

#[test]
fn bodies_are_numbered_by_shape_and_lead_back_to_their_rows() {
    let (_folder, path) = file("scene.csv", SCENE);
    let scene = read_scene_with(&path, &all()).unwrap();
    let obb = Obb::axis_aligned(Vec3::new(5.0, 6.0, 7.0), Vec3::new(1.0, 2.0, 3.0)).with_groups(2, 3);
    let capsule = Capsule::new(Vec3::new(8.0, 9.0, 1.0), 2.0, Quat::IDENTITY, 3.0).with_groups(4, 7);
    let spheres = [
        Sphere::new(Vec3::new(1.0, 2.0, 3.0), 4.0),
        Sphere::new(Vec3::splat(2.0), 0.1),
    ];
    assert_eq!(
        (&scene.boxes[..], &scene.capsules[..], &scene.spheres[..]),
        (&[obb][..], &[capsule][..], &spheres[..])
    );
    assert_eq!((scene.len(), scene.is_empty()), (4, false));
    assert_eq!(scene.rows, Some(vec![1, 2, 0, 3]));
    assert_eq!(scene.by_rows().unwrap(), Some(vec![2, 0, 1, 3]));
    assert_eq!(scene.ids, Some(Ids::Numbers(vec![3, 20, 40, 1])));
    assert_eq!(scene.groups, Some(vec![[2, 3], [4, 7], [1, 3], [8, 8]]));
    assert_eq!(scene.owners, Some(vec![5, 6, NO_OWNER, 7]));
    assert_eq!(scene.worlds, Some(vec![8, 9, 7, 1]));
    assert_eq!(scene.statics, Some(vec![false, true, true, false]));
    let moves = |x: f32, turn: f32| Motion::linear(Vec3::X * x).turning(Vec3::X * turn);
    // The angular velocity of a sphere is not even parsed.
    let motions = vec![moves(3.0, 1.0), moves(4.0, 2.0), moves(2.0, 0.0), moves(5.0, 0.0)];
    assert_eq!(scene.motions, Some(motions));
    let notes: Vec<&str> = scene.columns[0].values.iter().collect();
    assert_eq!(notes, ["second", "third", "first", "fourth"]);
    // Written in the order of the rows, and read back.
    let written = path.with_file_name("written.csv");
    write_scene_file(&written, &scene).unwrap();
    let text = std::fs::read_to_string(&written).unwrap();
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .starts_with("40,sphere,1.0,2.0,3.0,,,,,,,,4.0,1,3,,7,1,2.0,"),
        "{text}"
    );
    let mut again = read_scene_with(
        &written,
        &ReadOptions {
            columns: Vec::new(),
            ..all()
        },
    )
    .unwrap();
    again.columns = scene.columns.clone();
    assert_eq!(again, scene);
}

#[test]
fn rows_name_bodies_without_ids_only_if_reordered() {
    let ordered = "shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius\n,0,0,0,1,1,1,0,0,0,1,\nsphere,0,0,0,,,,,,,,1\n";
    let scene = read_text(ordered).unwrap();
    assert_eq!((&scene.rows, &scene.ids, &scene.groups), (&None, &None, &None));
    assert_eq!(scene.by_rows().unwrap(), None);
    let mut lines: Vec<&str> = ordered.lines().collect();
    lines.swap(1, 2);
    let scene = read_text(&lines.join("\n")).unwrap();
    assert_eq!(scene.rows, Some(vec![1, 0]));
    assert_eq!((scene.id_of(0), scene.id_of(1)), (Id::Number(1), Id::Number(0)));
    // Text ids follow their bodies, too.
    let texts = format!("id,{}\na,{}\nb,{}\n", lines[0], lines[1], lines[2]);
    let scene = read_text(&texts).unwrap();
    assert_eq!((scene.id_of(0), scene.id_of(1)), (Id::Text("b"), Id::Text("a")));
}

#[test]
fn lists_of_one_shape_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balls.csv");
    let spheres = [Sphere::new(Vec3::new(1e-40, -0.0, 1e18), f32::MIN_POSITIVE / 4.0)];
    write_scene(&path, &spheres).unwrap();
    let scene = read_scene(&path, None).unwrap();
    let bits = |sphere: &Sphere| [sphere.center.x, sphere.center.y, sphere.center.z, sphere.radius].map(f32::to_bits);
    assert_eq!(bits(&scene.spheres[0]), bits(&spheres[0]));
    let capsules = [Capsule::new(Vec3::ONE, 0.0, Quat::from_xyzw(0.5, 0.5, 0.5, -0.5), 0.0).with_groups(1, 2)];
    write_scene(&path, &capsules).unwrap();
    assert_eq!(read_scene(&path, None).unwrap().capsules, capsules);
    assert!(write_scene(&folder.path().join("balls.npy"), &spheres).is_err());
}
