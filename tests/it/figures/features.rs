//! The numbers of corners, edges and faces, and of the parts of a capsule, by the feature that a
//! small sphere at each place touches.

use obbligato::glam::{DVec2, DVec3, Quat, Vec3};
use obbligato::{Capsule, Obb, Sphere, contact::Feature, shape::BodyRef};

use super::expect_figure;
use super::projection::{Shown, signs};
use super::svg::{CAPTION, INK, LABEL, LINE, PALE, Svg, TINT, Words, area, dashed};

/// The part of a body that a small sphere at a place touches.
fn touched(body: BodyRef<'_>, place: DVec3) -> Feature {
    let ball = Sphere::new(place.as_vec3(), 0.2);
    let manifold = body.manifold(BodyRef::Sphere(&ball)).expect("they touch");
    manifold.penetration().feature_a
}

#[test]
fn figure_of_features() {
    let mut svg = Svg::new(
        [720, 276],
        "The numbers of a box's corners, edges and faces, and of a capsule's parts",
    );
    let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    // A body rotated and moved has the same numbers on the same parts.
    let turned = Obb::new(Vec3::new(7.0, -3.0, 2.0), Vec3::ONE, Quat::from_rotation_x(0.7));
    let panels = [3, 2, 1];
    let captions = [
        "corner: bit i on the + side of axis i",
        "edge: 4 times its axis, plus sides",
        "face: 2 times its axis, plus side",
    ];
    let mut numbers = [Vec::new(), Vec::new(), Vec::new()];
    for (panel, (sides, caption)) in panels.into_iter().zip(captions).enumerate() {
        let shown = Shown {
            middle: DVec2::new(112.0 + 204.0 * panel as f64, 118.0),
        };
        shown.draw(&mut svg);
        for signs in signs().filter(|signs| signs.abs().element_sum() == f64::from(sides)) {
            let feature = touched(BodyRef::Box(&cube), 1.05 * signs);
            let place = turned.center.as_dvec3() + turned.rotation.as_dquat() * (1.05 * signs);
            assert_eq!(touched(BodyRef::Box(&turned), place), feature);
            let colour = if Shown::is_seen(signs) { INK } else { PALE };
            // Corners beside the box.
            let out = if sides == 3 { 1.16 } else { 1.0 };
            svg.text(
                shown.place(out * signs),
                &feature.to_string(),
                Words { colour, ..LABEL },
            );
            numbers[panel].push(feature);
        }
        svg.text(
            shown.middle + DVec2::new(0.0, 140.0),
            caption,
            Words { size: 11, ..CAPTION },
        );
    }
    // Each number occurs once.
    for (found, count) in numbers.iter_mut().zip([8, 12, 6]) {
        found.sort();
        found.dedup();
        assert_eq!(found.len(), count);
    }
    Shown::axes(&mut svg, DVec2::new(166.0, 226.0));

    draw_capsule(&mut svg, DVec2::new(672.0, 118.0));
    expect_figure("features.svg", &svg.finish());
}

/// Draws a capsule, and the numbers of its parts.
fn draw_capsule(svg: &mut Svg, middle: DVec2) {
    let capsule = Capsule::new(Vec3::ZERO, 1.0, Quat::IDENTITY, 0.6);
    let at = |x: f64, z: f64| middle + 44.0 * DVec2::new(x, -z);
    let arc = |side: f64| {
        let angles = (0..=24).map(move |k| std::f64::consts::PI * f64::from(k) / 24.0);
        angles.map(move |angle| at(0.6 * side * angle.cos(), side * (1.0 + 0.6 * angle.sin())))
    };
    let outline: Vec<DVec2> = arc(1.0).chain(arc(-1.0)).collect();
    svg.path(&outline, true, &area(TINT, LINE));
    for z in [-1.0, 1.0] {
        svg.line(at(-0.6, z), at(0.6, z), &dashed(PALE));
    }
    for (x, z, shown) in [(0.0, 1.7, 1.25), (0.7, 0.0, 0.0), (0.0, -1.7, -1.25)] {
        let feature = touched(BodyRef::Capsule(&capsule), DVec3::new(x, 0.0, z));
        svg.text(at(0.0, shown), &feature.to_string(), LABEL);
    }
    let caption = Words { size: 11, ..CAPTION };
    svg.text(middle + DVec2::new(0.0, 126.0), "capsule, z up", caption);
    svg.text(middle + DVec2::new(0.0, 140.0), "(a ball is r0)", caption);
}
