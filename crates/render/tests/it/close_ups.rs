//! Close-ups of meshes that collide.

use obbligato::glam::Vec3;
use obbligato::shape::{Aabb, Triangle};
use obbligato::{Backend, Pair};
use obbligato_render::close_up::{AROUND, MeshClash, MeshCloseUps, SIZE};
use obbligato_render::{Mark, Picture};

use super::renderer;

/// A box as the surface of a solid, with corners counter-clockwise, seen from outside.
fn solid(low: [f32; 3], high: [f32; 3]) -> Vec<Triangle> {
    let corner = |number: usize| Vec3::from([0, 1, 2].map(|axis| [low, high][number >> axis & 1][axis]));
    let mut faces = Vec::new();
    for axis in 0..3 {
        let [right, up, far] = [1, 2, 0].map(|k| 1 << ((axis + k) % 3));
        for [a, b, c, d] in [
            [far, far | right, far | right | up, far | up],
            [right, 0, up, right | up],
        ] {
            faces.extend([[a, b, c], [a, c, d]].map(|numbers| Triangle {
                corners: numbers.map(corner),
            }));
        }
    }
    faces
}

fn reversed(mesh: &[Triangle]) -> Vec<Triangle> {
    let reverse = |triangle: &Triangle| {
        let [a, b, c] = triangle.corners;
        Triangle::new(a, c, b)
    };
    mesh.iter().map(reverse).collect()
}

fn clash(place: Option<Aabb>, is_nested: bool) -> MeshClash {
    MeshClash {
        pair: Pair::new(0, 1),
        place: place.map(|place| [place; 2]),
        mark: Mark::Overlapping,
        is_nested,
        normal: Vec3::ZERO,
    }
}

/// Draws the clash of the first two meshes.
fn draw(meshes: &[Vec<Triangle>], is_nested: bool) -> Picture {
    let meshes: Vec<&[Triangle]> = meshes.iter().map(|mesh| &**mesh).collect();
    let corner = Vec3::splat(0.9);
    let clashes = [clash(Some(Aabb::new(corner, corner)), is_nested)];
    let close_ups = MeshCloseUps::new(&meshes, &clashes).expect("memory");
    assert_eq!(close_ups.camera(0).target, corner.as_dvec3());
    close_ups.draw(0, &mut renderer(Backend::Cpu), SIZE).expect("a picture")
}

/// The colour in the middle, where the clash is.
fn middle(picture: &Picture) -> [i32; 3] {
    let first = 4 * (SIZE[1] / 2 * SIZE[0] + SIZE[0] / 2 + 5) as usize;
    [0, 1, 2].map(|channel| picture.pixels[first + channel].into())
}

/// A colour that is mostly red is that of an overlap.
fn is_red([red, _, blue]: [i32; 3]) -> bool {
    red > blue + 60
}

#[test]
fn others_are_glass() {
    let pair = [solid([0.0; 3], [1.0; 3]), solid([0.8; 3], [2.0; 3])];
    let alone = draw(&pair, false);
    assert!(is_red(middle(&alone)));
    // Between the clash and the camera.
    let wall = solid([-4.0, -0.1, -4.0], [4.0, 0.0, 4.0]);
    let [first, second] = pair.clone();
    let behind = draw(&[first, second, wall.clone()], false);
    assert!(is_red(middle(&behind)), "{:?}", middle(&behind));
    assert_ne!(middle(&behind), middle(&alone), "a wall is seen");
    // Whichever way its triangles are turned, a solid is as clear.
    let [first, second] = pair.clone();
    assert!(draw(&[first, second, reversed(&wall)], false) == behind);
    // A wall that is not whole is seen from both sides, through both of its sides.
    let [first, second] = pair.clone();
    let open = draw(&[first, second, wall[1..].to_vec()], false);
    assert!(open != behind && open != alone && is_red(middle(&open)));
    // What is far is not in the picture.
    let [first, second] = pair;
    assert!(draw(&[first, second, solid([50.0; 3], [51.0; 3])], false) == alone);
}

#[test]
fn a_mesh_around_the_other_is_glass() {
    let pair = [solid([0.2; 3], [1.6; 3]), solid([0.5; 3], [1.3; 3])];
    let [hidden, shown] = [false, true].map(|is_nested| draw(&pair, is_nested));
    assert!(hidden != shown);
    // The inner one fills less of the picture than the outer one does.
    let reds = |picture: &Picture| {
        let pixels = picture.pixels.chunks_exact(4);
        pixels
            .filter(|pixel| is_red([0, 1, 2].map(|k| pixel[k].into())))
            .count()
    };
    assert!(
        0 < reds(&shown) && 4 * reds(&shown) < 3 * reds(&hidden),
        "{} {}",
        reds(&shown),
        reds(&hidden)
    );
}

#[test]
fn the_smaller_mesh_is_in_front() {
    let large = solid([-1.0; 3], [1.0; 3]);
    let towards = |low: [f32; 3], high: [f32; 3]| {
        let meshes = [large.clone(), solid(low, high)];
        let meshes: Vec<&[Triangle]> = meshes.iter().map(|mesh| &**mesh).collect();
        let clashes = [clash(None, false)];
        let camera = MeshCloseUps::new(&meshes, &clashes).expect("memory").camera(0);
        (camera.position - camera.target).signum().to_array()
    };
    assert_eq!(towards([-0.1; 3], [0.1; 3]), [-1.0, -1.0, 1.0]);
    assert_eq!(towards([0.0, 0.0, -1.5], [0.2, 0.2, -1.0]), [-1.0, -1.0, -1.0]);
    assert_eq!(towards([1.0, 1.0, 1.0], [1.5, 1.5, 1.5]), [1.0; 3]);
}

#[test]
fn few_others_are_shown() {
    let pair = [solid([0.0; 3], [1.0; 3]), solid([0.8; 3], [2.0; 3])];
    let others = (0..AROUND as u8).map(|k| {
        let x = 0.2 * f32::from(k);
        solid([x, -0.5, 0.0], [x + 0.1, 0.0, 1.0])
    });
    let all: Vec<_> = pair.into_iter().chain(others).collect();
    let large = solid([-9.0; 3], [9.0; 3]);
    assert!(draw(&[all.clone(), vec![large]].concat(), false) == draw(&all, false));
    // Meshes without triangles are in no picture, and pictures need no others.
    assert!(draw(&[all.clone(), vec![Vec::new()]].concat(), false) == draw(&all, false));
}
