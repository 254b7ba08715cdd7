//! Rooms against an oracle in integer arithmetic.

use std::collections::BTreeSet;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Config, Obb,
    region::{Enclosure, EnclosureState},
};

use crate::rooms::{expect_same, look};
use crate::support::cases::Numbers;
use crate::support::gpu::{cpu, gpu};
use crate::support::rooms::{Known, ROOMS, SHORT, boxes_about, boxes_exactly_at_walls, oracle};

#[test]
fn every_room_agrees_with_the_oracle() {
    let mut checkers = [("the CPU", cpu(Config::default())), ("the GPU", gpu(Config::default()))];
    let mut states = [0; 3];
    for (name, known) in ROOMS.iter() {
        let mut boxes = boxes_about(known, 300, 3);
        if known.rotation == SHORT {
            boxes.extend(boxes_exactly_at_walls(300));
        }
        let expected: Vec<Enclosure> = boxes.iter().map(|obb| oracle(known, obb)).collect();
        for found in &expected {
            states[found.state as usize] += 1;
        }
        for (backend, checker) in &mut checkers {
            let found = look(checker, &known.room, &boxes);
            expect_same(&format!("a room {name}, {backend}"), &boxes, &expected, &found);
        }
    }
    assert!(states.iter().all(|&count| count > 200), "{states:?}");
}

#[test]
fn nearly_parallel_edges_agree_with_the_oracle() {
    // The vertical edges of a box near the origin and of a room beside it meet, up to a few
    // millionths of the angle between them: this near to zero, the center of the box has enough
    // digits for it.
    let mut numbers = Numbers::new(17);
    let mut part = || f64::from(numbers.part());
    let mut checkers = [cpu(Config::default()), gpu(Config::default())];
    let (mut apart, mut together) = (0, 0);
    for _ in 0..60 {
        let mut short = || ((1.0 + part() * 1023.0) / 256.0).floor() as f32 / 4.0 + 0.25;
        let (half, extents) = (
            Vec3::new(short(), short(), short()),
            Vec3::new(short(), short(), short()),
        );
        let known = Known::oriented(-half - extents.with_z(-half.z), half, Quat::IDENTITY);
        let boxes: Vec<Obb> = (0..40)
            .map(|_| {
                let angle = 10f64.powf(-3.0 - 7.0 * part());
                let mut near = || ((part() * 2.0 - 1.0) * angle) as f32;
                let rotation = Quat::from_xyzw(near(), near(), near() * 0.01, 1.0);
                let center = Vec3::new(near(), near(), 0.25) * Vec3::new(4.0, 4.0, 1.0);
                Obb::new(center, extents, rotation)
            })
            .collect();
        let expected: Vec<Enclosure> = boxes.iter().map(|obb| oracle(&known, obb)).collect();
        for found in &expected {
            *if found.state == EnclosureState::Outside {
                &mut apart
            } else {
                &mut together
            } += 1;
        }
        for checker in &mut checkers {
            expect_same(
                "nearly parallel edges",
                &boxes,
                &expected,
                &look(checker, &known.room, &boxes),
            );
        }
    }
    assert!(apart > 300 && together > 300, "{apart} apart, {together} together");
}

#[test]
fn upright_boxes_agree_with_the_oracle() {
    // Exactly at walls, or one step beside them, rotated about the axis of these walls; with few
    // digits and with many.
    let mut numbers = Numbers::new(23);
    let mut boxes = Vec::new();
    let rooms = [
        Known::spanning(Vec3::new(-2.0, -3.0, 0.0), Vec3::new(3.0, 1.0, 2.5), Quat::IDENTITY),
        Known::spanning(
            Vec3::new(-0.1, 0.3, 1e-9),
            Vec3::new(10.1, 2.0 / 3.0, 1.1),
            -Quat::IDENTITY,
        ),
    ];
    let mut reached = BTreeSet::new();
    for known in rooms {
        let (center, half) = known.about();
        boxes.clear();
        for i in 0..900 {
            let (axis, side) = (i % 3, [-1.0, 1.0][i / 3 % 2]);
            let extents = (numbers.point().abs() * 16.0).ceil() / 32.0;
            let mut at = center.as_vec3();
            let wall = (center + side * half)[axis] as f32;
            let inwards = [-1.0, 1.0][i / 6 % 2] * side as f32;
            let place = wall + inwards * extents[axis];
            at[axis] = [place, place.next_up(), place.next_down()][i / 12 % 3];
            let angle = 3.0 * numbers.part();
            let turn = Vec3::from([0, 1, 2].map(|k| if k == axis { angle.sin() } else { 0.0 }));
            boxes.push(Obb::new(
                at,
                extents,
                Quat::from_xyzw(turn.x, turn.y, turn.z, angle.cos()),
            ));
        }
        let expected: Vec<Enclosure> = boxes.iter().map(|obb| oracle(&known, obb)).collect();
        reached.extend(expected.iter().map(|found| (found.state, found.walls)));
        let found = known.room.enclosures(&boxes).expect("the boxes are valid");
        expect_same("upright boxes", &boxes, &expected, &found);
    }
    assert!(reached.len() > 12, "{reached:?}");
}
