//! A room: the bits of its walls, and the states of boxes.

use obbligato::glam::{DVec2, DVec3, Quat, Vec3};
use obbligato::{
    Obb,
    region::{Enclosure, EnclosureState, Room},
};
use obbligato_render::Mark;

use super::expect_figure;
use super::projection::{Shown, signs};
use super::svg::{CAPTION, INK, LABEL, LINE, PALE, Svg, Words, area, colour};

/// The walls by their names.
const WALLS: [(u8, &str); 6] = [
    (Room::MIN_X, "MIN_X"),
    (Room::MAX_X, "MAX_X"),
    (Room::MIN_Y, "MIN_Y"),
    (Room::MAX_Y, "MAX_Y"),
    (Room::MIN_Z, "MIN_Z"),
    (Room::MAX_Z, "MAX_Z"),
];

/// The names of the walls in a mask.
fn named(walls: u8) -> String {
    let names = WALLS
        .iter()
        .filter(|(wall, _)| walls & wall != 0)
        .map(|(_, name)| *name);
    names.collect::<Vec<_>>().join(" | ")
}

/// The corners of the room.
const MIN: Vec3 = Vec3::ZERO;
const MAX: Vec3 = Vec3::new(6.0, 4.0, 2.5);

#[test]
fn figure_of_a_room() {
    let mut svg = Svg::new(
        [720, 330],
        "The bits of a room's walls, and boxes inside, crossing and outside",
    );
    let room = Room::new(MIN, MAX).expect("a room");

    draw_walls(&mut svg, &room);
    draw_boxes(&mut svg, &room);
    expect_figure("room.svg", &svg.finish());
}

/// Draws the walls on the left: each is identified by a flat box just beyond it.
fn draw_walls(svg: &mut Svg, room: &Room) {
    let shown = Shown {
        middle: DVec2::new(118.0, 150.0),
    };
    shown.draw(svg);
    for signs in signs().filter(|signs| signs.abs().element_sum() == 1.0) {
        let middle = 0.5 * (MIN + MAX);
        let center = middle + signs.as_vec3() * (middle + 0.1);
        let found = room.enclosure(&Obb::axis_aligned(center, Vec3::splat(0.05)));
        let colour = if Shown::is_seen(signs) { INK } else { PALE };
        let place = shown.place(signs);
        svg.text(
            place - DVec2::Y * 7.0,
            &named(found.walls),
            Words {
                size: 11,
                colour,
                ..LABEL
            },
        );
        svg.text(
            place + DVec2::Y * 7.0,
            &found.walls.to_string(),
            Words { colour, ..LABEL },
        );
    }
    Shown::axes(svg, DVec2::new(24.0, 286.0));
    svg.text(DVec2::new(150.0, 276.0), "pale: walls behind", CAPTION);
}

/// The place of a point in the view from above.
fn at(x: f32, y: f32) -> DVec2 {
    DVec2::new(360.0, 262.0) + 40.0 * DVec2::new(x.into(), (-y).into())
}

/// Draws boxes on the right, seen from above.
fn draw_boxes(svg: &mut Svg, room: &Room) {
    let corners = [at(0.0, 0.0), at(6.0, 0.0), at(6.0, 4.0), at(0.0, 4.0)];
    svg.path(&corners, true, &area("#ffffff", LINE));
    svg.text(at(3.0, -1.3), "the room from above: x to the right, y up", CAPTION);
    let boxes = [
        ([2.2, 1.9], [0.8, 0.5], 0.3, [0.0, 1.15]),
        ([5.25, 1.6], [0.75, 0.45], 0.0, [-0.45, 0.85]),
        ([5.8, 3.9], [0.8, 0.45], 0.5, [0.4, 1.2]),
        ([3.0, 0.1], [0.7, 0.35], 0.0, [0.0, -0.75]),
        ([-1.4, 1.0], [0.6, 0.4], 0.0, [0.0, -0.9]),
        ([-1.2, 4.4], [0.6, 0.3], -0.2, [0.0, 0.9]),
    ];
    let mut states = Vec::new();
    for ([x, y], [half_x, half_y], angle, [right, up]) in boxes {
        let obb = Obb::new(
            Vec3::new(x, y, 1.2),
            Vec3::new(half_x, half_y, 0.5),
            Quat::from_rotation_z(angle),
        );
        let found = room.enclosure(&obb);
        states.push(found.state);
        draw_box(svg, (&obb, found), at(x + right, y + up));
    }
    for state in [
        EnclosureState::Inside,
        EnclosureState::Crossing,
        EnclosureState::Outside,
    ] {
        assert!(states.contains(&state));
    }
}

/// Draws a box and where it is in the room, in words at a place.
fn draw_box(svg: &mut Svg, (obb, found): (&Obb, Enclosure), place: DVec2) {
    let mark = match found.state {
        EnclosureState::Inside => Mark::Free,
        EnclosureState::Crossing => Mark::Overlapping,
        EnclosureState::Outside => Mark::Touching,
    };
    let corner = |x: f64, y: f64| {
        let corner =
            obb.center.as_dvec3() + obb.rotation.as_dquat() * (obb.half_extents.as_dvec3() * DVec3::new(x, y, 0.0));
        at(corner.x as f32, corner.y as f32)
    };
    let outline = [
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    let style = format!(r#"{} fill-opacity="0.35""#, area(&colour(mark), &colour(mark)));
    svg.path(&outline, true, &style);
    svg.text(place - DVec2::Y * 8.0, found.state.name(), LABEL);
    let walls = match found.walls {
        0 => "walls 0".to_owned(),
        walls => format!("walls {walls}: {}", named(walls)),
    };
    svg.text(place + DVec2::Y * 7.0, &walls, Words { size: 11, ..CAPTION });
}
