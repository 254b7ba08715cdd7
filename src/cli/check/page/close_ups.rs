//! Pictures of the deepest pairs, each with what is around it.

use maud::{Markup, html};
use obbligato::{
    Aabb, Bodies, BodyRef, OwnedBodies,
    files::Clash,
    glam::Vec3,
    render::{Arrow, Mark, View},
};

use super::listed::{Listed, measured};
use crate::cli::{check::scenes::Scenes, html::pictures::Artist};

/// How many pairs have a picture.
const CLOSE_UPS: usize = 24;

/// The size of a picture in pixels.
const SIZE: [u32; 2] = [480, 360];

/// The most bodies around a pair that are drawn, as glass: through more, nothing is seen.
const AROUND: usize = 12;

/// The id of the picture of the pair at an index of the list, if it has one.
pub fn id(index: usize, listed: &Listed) -> Option<String> {
    (index < CLOSE_UPS && listed.clash.is_some()).then(|| format!("pair-{}", index + 1))
}

/// The pictures.
pub fn markup(listed: &[Listed], frames: &[Scenes], artist: &mut Artist) -> Markup {
    let mut figures = Vec::new();
    for (index, row) in listed.iter().enumerate() {
        if let (Some(id), Some(clash)) = (id(index, row), &row.clash) {
            let scenes = &frames[row.frame];
            let [a, b] = row.ids(scenes);
            let words = format!("{}: {a} and {b}, {} deep", index + 1, measured(clash.depth).text());
            figures.push((id, picture(scenes, clash, artist, &words), words));
        }
    }
    html! {
        p {
            "The smaller of the two is solid, and the larger one of glass in the same colour: orange where they overlap, blue where they only touch. "
            "Up to " (AROUND) " others around them are of grey glass. The arrow shows in which direction the second one has to go."
        }
        div.gallery {
            @for (id, picture, words) in figures {
                figure id=(id) {
                    (picture)
                    figcaption { (words) }
                }
            }
        }
    }
}

fn picture(scenes: &Scenes, clash: &Clash, artist: &mut Artist, words: &str) -> Markup {
    let sides = scenes.bodies();
    let [a, b] = [sides[0].at(clash.pair.a), sides[1].at(clash.pair.b)];
    let (small, large) = if size(a) <= size(b) { (a, b) } else { (b, a) };
    let mark = match clash.touching {
        Some(true) => Mark::Touching,
        _ => Mark::Overlapping,
    };
    let mut solid = OwnedBodies::default();
    push(&mut solid, small);
    let mut glass = Glass::default();
    glass.push(large, mark);
    for body in around(scenes, clash) {
        glass.push(body, Mark::Free);
    }
    let (ghosts, ghost_marks) = glass.sorted();
    let mut both = OwnedBodies::default();
    push(&mut both, a);
    push(&mut both, b);
    let arrow = Arrow {
        point: clash.point.as_vec3(),
        normal: clash.normal.as_vec3(),
        depth: clash.depth as f32,
    };
    let focus = View {
        bodies: both.all(),
        legend: false,
        ..View::default()
    };
    let view = View {
        bodies: solid.all(),
        marks: &[mark],
        ghosts: ghosts.all(),
        ghost_marks: &ghost_marks,
        arrows: &[arrow],
        ..focus
    };
    artist.draw(&view, &focus, SIZE, words)
}

/// Bodies of glass, by kinds.
#[derive(Default)]
struct Glass<'a>([Vec<(BodyRef<'a>, Mark)>; 3]);

impl<'a> Glass<'a> {
    fn push(&mut self, body: BodyRef<'a>, mark: Mark) {
        let kind = match body {
            BodyRef::Box(_) => 0,
            BodyRef::Capsule(_) => 1,
            BodyRef::Sphere(_) => 2,
        };
        self.0[kind].push((body, mark));
    }

    /// The bodies, and their marks in the same order.
    fn sorted(&self) -> (OwnedBodies, Vec<Mark>) {
        let mut bodies = OwnedBodies::default();
        let all = self.0.iter().flatten();
        all.clone().for_each(|&(body, _)| push(&mut bodies, body));
        (bodies, all.map(|(_, mark)| *mark).collect())
    }
}

/// The bodies whose bounds reach into those of a pair, the smallest first: they hide least.
fn around<'a>(scenes: &'a Scenes, clash: &Clash) -> Vec<BodyRef<'a>> {
    let sides = scenes.bodies();
    let [a, b] = [bounds(sides[0].at(clash.pair.a)), bounds(sides[1].at(clash.pair.b))];
    let place = Aabb::new(a.min.min(b.min), a.max.max(b.max));
    let of = |bodies: Bodies<'a>, own: &[u32]| -> Vec<BodyRef<'a>> {
        let others = (0..bodies.len() as u32).filter(|body| !own.contains(body));
        let others = others.map(|body| bodies.at(body));
        others.filter(|body| bounds(*body).overlaps(&place)).collect()
    };
    let mut all = match scenes.against {
        None => of(sides[0], &[clash.pair.a, clash.pair.b]),
        Some(_) => [of(sides[0], &[clash.pair.a]), of(sides[1], &[clash.pair.b])].concat(),
    };
    all.sort_by(|one, other| size(*one).total_cmp(&size(*other)));
    all.truncate(AROUND);
    all
}

fn bounds(body: BodyRef<'_>) -> Aabb {
    match body {
        BodyRef::Box(obb) => obb.bounds(),
        BodyRef::Capsule(capsule) => capsule.bounds(),
        BodyRef::Sphere(sphere) => sphere.bounds(),
    }
}

/// The diagonal of a body's bounds.
fn size(body: BodyRef<'_>) -> f32 {
    let Aabb { min, max, .. } = bounds(body);
    Vec3::length(max - min)
}

fn push(bodies: &mut OwnedBodies, body: BodyRef<'_>) {
    match body {
        BodyRef::Box(obb) => bodies.boxes.push(*obb),
        BodyRef::Capsule(capsule) => bodies.capsules.push(*capsule),
        BodyRef::Sphere(sphere) => bodies.spheres.push(*sphere),
    }
}
