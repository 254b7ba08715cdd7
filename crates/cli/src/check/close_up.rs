//! A clash and what is around it, as a picture.

use std::sync::{Mutex, PoisonError};

use obbligato::{
    Pair,
    glam::DVec3,
    shape::{Aabb, BodyRef, OwnedBodies},
};
use obbligato_files::{Clash, Kind};
use obbligato_render::{
    Arrow, Camera, Legend, Mark, View,
    close_up::{Around, camera, size, visit_around},
};
use obbligato_support::memory;

use super::scenes::Scenes;
use crate::failure::Failure;

/// A clash that has a picture.
pub struct CloseUp<'a> {
    scenes: &'a Scenes,
    pub clash: &'a Clash,
    /// The pair's own bodies, by the sides of the scenes.
    own: [[u32; 2]; 2],
    around: Around,
}

impl<'a> CloseUp<'a> {
    /// Returns clashes of one frame with what is around them, in their order. What is around is
    /// searched for all of them at once: bodies may be millions.
    pub fn of_all(scenes: &'a Scenes, clashes: impl Iterator<Item = &'a Clash>) -> Result<Vec<Self>, Failure> {
        let own = |Pair { a, b }: Pair| match scenes.against {
            None => [[a, b]; 2],
            Some(_) => [[a; 2], [b; 2]],
        };
        let bare = |clash: &'a Clash| Self {
            scenes,
            clash,
            own: own(clash.pair),
            around: Around::default(),
        };
        let close_ups: Vec<Self> = clashes.map(bare).collect();
        let places: Vec<Aabb> = close_ups.iter().map(Self::place).collect();
        let close_ups = Mutex::new(close_ups);
        let sides = if scenes.against.is_some() { 2 } else { 1 };
        for (side, bodies) in scenes.bodies().into_iter().enumerate().take(sides) {
            let numbers = 0..bodies.len() as u32;
            let all = memory::collect(numbers.map(|number| bounds(bodies.at(number))), "the bounds of bodies")?;
            let add = |pairs: &[Pair]| {
                let mut close_ups = close_ups.lock().unwrap_or_else(PoisonError::into_inner);
                for pair in pairs {
                    let size = size(all[pair.b as usize]);
                    close_ups[pair.a as usize].add((size, side, pair.b));
                }
            };
            visit_around(&places, &all, &add)?;
        }
        Ok(close_ups.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&mut self, (size, side, number): (f32, usize, u32)) {
        if self.own[side].contains(&number) {
            return;
        }
        self.around.add((size, side, number));
    }

    /// Returns the bodies of the pair.
    fn pair(&self) -> [BodyRef<'a>; 2] {
        let [a, b] = self.scenes.bodies();
        [a.at(self.clash.pair.a), b.at(self.clash.pair.b)]
    }

    /// Returns the bounds of both bodies together.
    fn place(&self) -> Aabb {
        let [one, other] = self.pair().map(bounds);
        Aabb::new(one.min.min(other.min), one.max.max(other.max))
    }

    /// Returns the mark of both bodies: those that are only near have that of touching ones.
    pub fn mark(&self) -> Mark {
        match self.clash.touching {
            Some(true) => Mark::Touching,
            _ if self.clash.kind == Kind::Near => Mark::Touching,
            _ => Mark::Overlapping,
        }
    }

    /// Passes on the picture, and what to focus on: the smaller body solid, the larger one and
    /// those around as glass, and an arrow.
    pub fn draw<T>(&self, draw: impl FnOnce(&View<'_>, &View<'_>) -> T) -> T {
        let (clash, mark, [a, b]) = (self.clash, self.mark(), self.pair());
        let (small, large) = if size(bounds(a)) <= size(bounds(b)) {
            (a, b)
        } else {
            (b, a)
        };
        let mut solid = OwnedBodies::default();
        push(&mut solid, small);
        let mut glass = Glass::default();
        glass.push(large, mark);
        let sides = self.scenes.bodies();
        for &(_, side, number) in self.around.iter() {
            glass.push(sides[side].at(number), Mark::Free);
        }
        let (ghosts, ghost_marks) = glass.sorted();
        let mut both = OwnedBodies::default();
        push(&mut both, a);
        push(&mut both, b);
        let arrow = Arrow {
            point: self.point().as_vec3(),
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
        draw(&view, &focus)
    }

    /// Returns the clash's point in the coordinates of pictures.
    fn point(&self) -> DVec3 {
        self.clash.point - self.scenes.origin
    }

    /// Returns a camera that looks at the middle of the box in which the bounds of both bodies
    /// overlap, and sees what is around it.
    pub fn camera(&self) -> Camera {
        let both = self.pair().map(bounds);
        camera(both, size(both[0]).min(size(both[1])))
    }
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

/// Returns the bounds of a body.
pub fn bounds(body: BodyRef<'_>) -> Aabb {
    match body {
        BodyRef::Box(obb) => obb.bounds(),
        BodyRef::Capsule(capsule) => capsule.bounds(),
        BodyRef::Sphere(sphere) => sphere.bounds(),
    }
}

fn push(bodies: &mut OwnedBodies, body: BodyRef<'_>) {
    match body {
        BodyRef::Box(obb) => bodies.boxes.push(*obb),
        BodyRef::Capsule(capsule) => bodies.capsules.push(*capsule),
        BodyRef::Sphere(sphere) => bodies.spheres.push(*sphere),
    }
}
