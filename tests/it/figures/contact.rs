//! The three relations of two boxes.

use obbligato::glam::{DVec2, Quat, Vec3};
use obbligato::{Obb, contact::Contact};
use obbligato_render::Mark;

use super::expect_figure;
use super::svg::{CAPTION, LABEL, Svg, area, colour};

#[test]
fn figure_of_contact() {
    let mut svg = Svg::new([720, 176], "Two boxes that are separated, touch and overlap");
    let a = Obb::axis_aligned(Vec3::ZERO, Vec3::new(1.0, 0.75, 0.5));
    // B beside A: a positive gap, none, and a negative one.
    let panels = [0.25, 0.0, -0.25].map(|gap| {
        Obb::new(
            Vec3::new(1.0 + 0.5 + gap, 0.5, 0.0),
            Vec3::new(0.5, 0.75, 0.5),
            Quat::IDENTITY,
        )
    });
    let words = [
        "no point in common",
        "points of surfaces in common",
        "inner points in common",
    ];
    let mut all = Vec::new();
    for (panel, (b, words)) in panels.iter().zip(words).enumerate() {
        let middle = DVec2::new(124.0 + 236.0 * panel as f64, 80.0);
        let at = |x: f32, y: f32| middle + 44.0 * DVec2::new(f64::from(x) - 0.5, -f64::from(y) + 0.2);
        let contact = a.contact(b);
        let mark = match contact {
            Contact::Separated => Mark::Free,
            Contact::Touching => Mark::Touching,
            Contact::Overlapping => Mark::Overlapping,
        };
        for (obb, name) in [(&a, "A"), (b, "B")] {
            let [x, y] = [obb.center.x, obb.center.y];
            let half = obb.half_extents;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let outline = corners.map(|(right, up)| at(x + right * half.x, y + up * half.y));
            let colour = colour(mark);
            let style = format!(r#"{} fill-opacity="0.35""#, area(&colour, &colour));
            svg.path(&outline, true, &style);
            svg.text(at(x, y), name, LABEL);
        }
        svg.text(middle + DVec2::new(0.0, 60.0), &format!("{contact:?}"), LABEL);
        svg.text(middle + DVec2::new(0.0, 78.0), words, CAPTION);
        all.push(contact);
    }
    assert_eq!(all, [Contact::Separated, Contact::Touching, Contact::Overlapping]);
    expect_figure("contact.svg", &svg.finish());
}
