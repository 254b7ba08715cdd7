//! Pictures of the deepest pairs, each with its surroundings.

use maud::{Markup, html};
use obbligato::{
    Pair,
    glam::Vec3,
    shape::{Aabb, BodyRef, OwnedBodies},
};
use obbligato_files::Clash;
use obbligato_render::{Arrow, Legend, Mark, View};

use super::listed::{Listed, measured};
use crate::{check::scenes::Scenes, html::pictures::Artist};

/// The number of pairs with a picture.
const CLOSE_UPS: usize = 24;

/// The size of a picture in pixels.
const SIZE: [u32; 2] = [480, 360];

/// The maximum number of bodies around a pair that are drawn as glass: more would hide it.
const AROUND: usize = 6;

/// Returns the id of the picture of the pair at an index of the list, if it has one.
pub fn id(index: usize, listed: &Listed) -> Option<String> {
    (index < CLOSE_UPS && listed.clash.is_some()).then(|| format!("pair-{}", index + 1))
}

/// A pair that has a picture.
struct CloseUp<'a> {
    id: String,
    listed: &'a Listed,
    clash: &'a Clash,
    /// The bounds of both.
    place: Aabb,
    /// The pair's own bodies, by the sides of the scenes.
    own: [[u32; 2]; 2],
    /// The bodies whose bounds reach into those of the pair, and their sizes. The smallest come
    /// first because they hide least; equal ones in their order.
    around: Vec<(f32, BodyRef<'a>)>,
}

impl<'a> CloseUp<'a> {
    fn new(id: String, listed: &'a Listed, clash: &'a Clash, scenes: &Scenes) -> Self {
        let [bodies_a, bodies_b] = scenes.bodies();
        let Pair { a, b } = clash.pair;
        let [one, other] = [bounds(bodies_a.at(a)), bounds(bodies_b.at(b))];
        Self {
            id,
            listed,
            clash,
            place: Aabb::new(one.min.min(other.min), one.max.max(other.max)),
            own: match scenes.against {
                None => [[a, b]; 2],
                Some(_) => [[a; 2], [b; 2]],
            },
            around: Vec::new(),
        }
    }

    fn add(&mut self, body: BodyRef<'a>) {
        let size = size(body);
        let place = self.around.partition_point(|(other, _)| *other <= size);
        if place < AROUND {
            self.around.truncate(AROUND - 1);
            self.around.insert(place, (size, body));
        }
    }
}

/// Finds the surroundings of the pairs, in one pass over the bodies of a frame for all pairs in it:
/// there may be millions.
fn look_around<'a>(close_ups: &mut [CloseUp<'a>], frames: &'a [Scenes]) {
    for (frame, scenes) in frames.iter().enumerate() {
        let here = close_ups.iter_mut().filter(|close_up| close_up.listed.frame == frame);
        let mut here: Vec<&mut CloseUp<'a>> = here.collect();
        if here.is_empty() {
            continue;
        }
        let sides = if scenes.against.is_some() { 2 } else { 1 };
        for (side, bodies) in scenes.bodies().into_iter().enumerate().take(sides) {
            for number in 0..bodies.len() as u32 {
                let body = bodies.at(number);
                let bounds = bounds(body);
                for close_up in &mut here {
                    if bounds.overlaps(&close_up.place) && !close_up.own[side].contains(&number) {
                        close_up.add(body);
                    }
                }
            }
        }
    }
}

/// Returns the pictures.
pub fn markup(listed: &[Listed], frames: &[Scenes], artist: &mut Artist) -> Markup {
    let mut close_ups = Vec::new();
    for (index, row) in listed.iter().enumerate().take(CLOSE_UPS) {
        if let (Some(id), Some(clash)) = (id(index, row), &row.clash) {
            close_ups.push(CloseUp::new(id, row, clash, &frames[row.frame]));
        }
    }
    look_around(&mut close_ups, frames);
    let mut figures = Vec::new();
    for (number, close_up) in (1..).zip(&close_ups) {
        let scenes = &frames[close_up.listed.frame];
        let [a, b] = close_up.listed.ids(scenes);
        let words = format!("{number}: {a} and {b}, {} deep", measured(close_up.clash.depth).text());
        figures.push((&close_up.id, picture(scenes, close_up, artist, &words), words));
    }
    html! {
        p {
            "The smaller body is solid and the larger one transparent, in the same colour: orange if they overlap, blue if they only touch. "
            "Up to " (AROUND) " others around them are transparent grey. The arrow shows the direction in which the second body must move."
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

fn picture(scenes: &Scenes, close_up: &CloseUp<'_>, artist: &mut Artist, words: &str) -> Markup {
    let clash = close_up.clash;
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
    for &(_, body) in &close_up.around {
        glass.push(body, Mark::Free);
    }
    let (ghosts, ghost_marks) = glass.sorted();
    let mut both = OwnedBodies::default();
    push(&mut both, a);
    push(&mut both, b);
    let arrow = Arrow {
        point: (clash.point - scenes.origin).as_vec3(),
        normal: clash.normal.as_vec3(),
        depth: clash.depth as f32,
    };
    let focus = View {
        bodies: both.all(),
        legend: Legend::Hidden,
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

    /// Returns the bodies, and their marks in the same order.
    fn sorted(&self) -> (OwnedBodies, Vec<Mark>) {
        let mut bodies = OwnedBodies::default();
        let all = self.0.iter().flatten();
        all.clone().for_each(|&(body, _)| push(&mut bodies, body));
        (bodies, all.map(|(_, mark)| *mark).collect())
    }
}

fn bounds(body: BodyRef<'_>) -> Aabb {
    match body {
        BodyRef::Box(obb) => obb.bounds(),
        BodyRef::Capsule(capsule) => capsule.bounds(),
        BodyRef::Sphere(sphere) => sphere.bounds(),
    }
}

/// Returns the diagonal of a body's bounds.
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
