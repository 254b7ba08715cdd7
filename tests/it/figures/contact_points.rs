//! A manifold: its normal, its depth, and the points on both boxes.

use obbligato::glam::{DVec2, DVec3, Quat, Vec3};
use obbligato::{
    Obb,
    contact::{ContactPoint, Manifold},
};
use obbligato_render::Mark;

use super::expect_figure;
use super::svg::{CAPTION, INK, LABEL, LINE, Svg, TINT, Words, area, colour, dashed};

#[test]
fn figure_of_contact_points() {
    let mut svg = Svg::new([720, 312], "A contact normal, a depth, and the points on both boxes");
    let a = Obb::axis_aligned(Vec3::ZERO, Vec3::new(1.9, 1.0, 0.7));
    let half = Vec3::new(0.95, 0.6, 0.55);
    let tilted = Obb::new(Vec3::new(0.1, 0.0, 1.2), half, Quat::from_rotation_y(0.4));
    let flat = Obb::axis_aligned(Vec3::new(0.1, 0.0, 0.9), half);
    let panels = [
        (tilted, "an edge in a face: a point at each end of it"),
        (flat, "a face in a face: a point at each corner they share"),
    ];
    for (panel, (b, caption)) in panels.into_iter().enumerate() {
        let middle = DVec2::new(182.0 + 356.0 * panel as f64, 178.0);
        let at = |point: DVec3| middle + 76.0 * DVec2::new(point.x, -point.z);
        draw_boxes(&mut svg, [&a, &b], &at);
        let manifold = a.manifold(&b).expect("they overlap");
        draw_contacts(&mut svg, &manifold, &at);
        let found = manifold.penetration();
        let line = |svg: &mut Svg, k: f64, text: &str| {
            svg.text(DVec2::new(middle.x, middle.y + 66.0 + 15.0 * k), text, CAPTION);
        };
        let reference = found.reference.map_or("none".to_owned(), |side| format!("{side:?}"));
        line(&mut svg, 0.0, caption);
        let points = manifold.points().len();
        line(&mut svg, 1.0, &format!("{points} points, depth {:.2}", found.depth));
        let features = format!("feature_a {}, feature_b {}", found.feature_a, found.feature_b);
        line(&mut svg, 2.0, &format!("{features}, reference {reference}"));
    }
    svg.text(
        DVec2::new(360.0, 300.0),
        "Moving B along the normal, which points from A to B, by the depth separates the two.",
        CAPTION,
    );
    expect_figure("contact-points.svg", &svg.finish());
}

/// Draws the outlines of both boxes.
fn draw_boxes(svg: &mut Svg, [a, b]: [&Obb; 2], at: &dyn Fn(DVec3) -> DVec2) {
    for (obb, name, style) in [
        (a, "A", area(TINT, LINE)),
        (b, "B", format!(r#"{} fill-opacity="0.6""#, area("#f3e6dc", "#8a6d3b"))),
    ] {
        // The near side: the y axis points away.
        let corner = |x: f64, z: f64| {
            let own = obb.half_extents.as_dvec3() * DVec3::new(x, -1.0, z);
            at(obb.center.as_dvec3() + obb.rotation.as_dquat() * own)
        };
        let outline = [
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ];
        svg.path(&outline, true, &style);
        let name_at = if name == "A" {
            DVec3::new(-1.6, 0.0, -0.4)
        } else {
            b.center.as_dvec3()
        };
        svg.text(at(name_at), name, Words { size: 16, ..LABEL });
    }
}

/// Draws the normal, and the points of both boxes.
fn draw_contacts(svg: &mut Svg, manifold: &Manifold, at: &dyn Fn(DVec3) -> DVec2) {
    let [blue, orange] = [Mark::Touching, Mark::Overlapping].map(colour);
    let found = *manifold.penetration();
    // The points in front.
    let front: Vec<&ContactPoint> = manifold.points().iter().filter(|point| point.on_a.y < 0.0).collect();
    let deepest = front
        .iter()
        .max_by(|one, other| one.depth.total_cmp(&other.depth))
        .expect("a point");
    let beside = DVec3::X * 1.35;
    let tail = DVec3::new(0.0, 0.0, 0.7);
    svg.arrow(at(tail + beside), at(tail + beside + 0.9 * found.normal), INK);
    svg.text(at(tail + beside + 1.05 * found.normal), "normal", LABEL);
    for point in &front {
        svg.line(at(point.on_a), at(point.on_b), &dashed(INK));
        svg.dot(at(point.on_a), 4.5, &blue);
        svg.dot(at(point.on_b), 4.5, &orange);
        // The definition.
        assert!((point.on_a - point.depth * found.normal - point.on_b).length() < 1e-9);
    }
    name_point(svg, deepest, at, [&blue, &orange]);
}

/// Names the parts of a contact.
fn name_point(svg: &mut Svg, deepest: &ContactPoint, at: &dyn Fn(DVec3) -> DVec2, [blue, orange]: [&str; 2]) {
    let left = |text: DVec2| text - DVec2::X * 10.0;
    let beside = Words {
        anchor: "end",
        size: 12,
        bold: true,
        ..LABEL
    };
    svg.text(
        left(at(deepest.on_a)) - DVec2::Y * 8.0,
        "on_a",
        Words { colour: blue, ..beside },
    );
    svg.text(
        left(at(deepest.on_b)) + DVec2::Y * 10.0,
        "on_b",
        Words {
            colour: orange,
            ..beside
        },
    );
    let words = Words {
        anchor: "start",
        size: 11,
        ..CAPTION
    };
    let at_point = at(0.5 * (deepest.on_a + deepest.on_b)) + DVec2::new(10.0, 0.0);
    svg.text(at_point, "depth", Words { colour: INK, ..words });
}
