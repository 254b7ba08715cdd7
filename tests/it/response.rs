//! The response to impacts, through the public API.

use obbligato::glam::{Quat, Vec3};
use obbligato::response::{Advance, Mass, Partner, advance, bounce, kinetic_energy, roll_back, roll_back_bodies, stop};
use obbligato::{
    Backend, Capsule, Checker, Config, Error, Obb, Rules, Set, Sphere,
    motion::{Impact, Motion},
    shape::OwnedBodies,
};
use obbligato_verify::scenes::Scene;

fn checker() -> Checker {
    Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })
    .expect("the CPU is always there")
}

fn over(dt: f64) -> Advance<'static> {
    Advance {
        dt,
        skin: 1e-3,
        limit: 100,
        rules: Rules::default(),
    }
}

/// Cubes of this half extent in a row.
fn row(places: &[f32], half: f32) -> Vec<Obb> {
    let at = |x: &f32| Obb::axis_aligned(Vec3::X * *x, Vec3::splat(half));
    places.iter().map(at).collect()
}

/// A response: equal masses that bounce and do not rotate.
fn elastic(_: &Impact, partners: [(&Obb, &Motion); 2]) -> [Motion; 2] {
    bounced(partners, 1.0)
}

fn bounced([a, b]: [(&Obb, &Motion); 2], restitution: f64) -> [Motion; 2] {
    let normal = (b.0.center - a.0.center).as_dvec3().normalize();
    let impact = obbligato::motion::TimeOfImpact {
        time: 0.0,
        state: obbligato::motion::ImpactState::Impact,
        normal,
        point: a.0.center.as_dvec3(),
        is_resolved: true,
    };
    let mass = Mass::unturned(1.0);
    bounce([a, b].map(|own| partner(own, &mass)), &impact, restitution)
}

fn partner<'a>((obb, motion): (&'a Obb, &'a Motion), mass: &'a Mass) -> Partner<'a> {
    Partner {
        body: obb.into(),
        motion,
        mass,
    }
}

#[test]
fn m10_a_cradle_passes_motion_on_within_one_step() {
    let mut boxes = row(&[-10.0, 0.0, 3.0, 6.0], 0.5);
    let mut motions = vec![Motion::REST; 4];
    motions[0] = Motion::linear(Vec3::X * 100.0);
    let done = advance(&mut checker(), &mut boxes, &mut motions, &over(1.0), elastic).expect("valid boxes");
    assert_eq!((done.impacts, done.shortened, done.left), (3, 0, 0.0));
    assert_eq!(motions[..3], [Motion::REST; 3]);
    assert!((motions[3].velocity - Vec3::X * 100.0).length() < 1e-3, "{motions:?}");
    // Each stops a skin before the position of the next. The last is as far as the first would be,
    // and three widths further.
    for (obb, x) in boxes.iter().zip([-1.0, 2.0, 5.0, 93.0]) {
        assert!((obb.center.x - x).abs() < 0.01, "{boxes:?}");
    }
}

#[test]
fn m10_bullets_stop_at_a_plate_and_at_those_that_stopped_there() {
    // The second follows the first, and would pass the place where the first is by now.
    let mut boxes = row(&[0.0, -10.0, -20.0], 0.01);
    boxes[0].half_extents = Vec3::new(0.0005, 1.0, 1.0);
    let fast = Motion::linear(Vec3::X * 1000.0);
    let mut motions = vec![Motion::REST, fast, fast];
    let respond = |impact: &Impact, partners: [(&Obb, &Motion); 2]| stop(partners, &impact.first);
    let done = advance(&mut checker(), &mut boxes, &mut motions, &over(1.0 / 60.0), respond).expect("valid boxes");
    assert!(
        done.impacts >= 1 && boxes[1].center.x < -0.0105 && boxes[1].center.x > -0.02,
        "{boxes:?}"
    );
    assert_eq!(motions[1], Motion::REST);
    let mut moved = motions.clone();
    moved[2] = fast;
    advance(&mut checker(), &mut boxes, &mut moved, &over(1.0 / 60.0), respond).expect("valid boxes");
    assert!(
        boxes[2].center.x < boxes[1].center.x - 0.02 && boxes[2].center.x > -0.06,
        "{boxes:?}"
    );
}

#[test]
fn impacts_beyond_the_limit_are_reported_and_nothing_collides() {
    let mut boxes = row(&[-10.0, 0.0, 3.0, 6.0], 0.5);
    let mut motions = vec![Motion::REST; 4];
    motions[0] = Motion::linear(Vec3::X * 100.0);
    let few = Advance { limit: 2, ..over(1.0) };
    let done = advance(&mut checker(), &mut boxes, &mut motions, &few, elastic).expect("valid boxes");
    assert_eq!((done.sweeps, done.impacts), (2, 2));
    assert!((done.left - 0.89).abs() < 0.01, "{done:?}");
    // Even if no body moves out of the way, none ends inside another.
    let mut boxes = row(&[-1.2, 0.0, 1.2], 0.5);
    let mut motions = [1.0, 0.0, -1.0].map(|x| Motion::linear(Vec3::X * x));
    let on = |_: &Impact, partners: [(&Obb, &Motion); 2]| partners.map(|(_, motion)| *motion);
    let done = advance(&mut checker(), &mut boxes, &mut motions, &over(1.0), on).expect("valid boxes");
    assert_eq!(
        (
            done.sweeps,
            checker().check(&boxes).expect("valid boxes").colliding_pairs
        ),
        (100, 0)
    );
    assert!(done.left > 0.7, "{done:?}");
}

#[test]
fn spinning_crowds_end_no_step_overlapping() {
    let statics: Vec<bool> = (0..300).map(|k| k % 7 == 0).collect();
    let rules = Rules {
        statics: Some(&statics),
        ..Rules::default()
    };
    let mut boxes = Scene::Uniform.generate(300, 1);
    // Smaller boxes, which are further apart.
    for obb in &mut boxes {
        obb.half_extents *= 0.4;
    }
    let colliding = |boxes: &[Obb]| {
        let report = checker().check(Set::from(boxes).with(rules)).expect("valid boxes");
        report.into_pairs().expect("asked for")
    };
    let at_first = colliding(&boxes);
    let masses: Vec<Mass> = boxes.iter().map(|obb| Mass::of(obb, 1.0)).collect();
    let vector = |k: usize| Vec3::new((k % 5) as f32 - 2.0, (k % 7) as f32 - 3.0, (k % 3) as f32 - 1.0);
    let motion = |k: usize| match statics[k] {
        true => Motion::REST,
        false => Motion::linear(4.0 * vector(k))
            .turning(vector(k / 2))
            .accelerated(vector(k / 3)),
    };
    let mut motions: Vec<Motion> = (0..300).map(motion).collect();
    let mut impacts = 0;
    for _ in 0..10 {
        let step = Advance {
            dt: 0.05,
            skin: 1e-3,
            limit: 400,
            rules,
        };
        let done = advance(&mut checker(), &mut boxes, &mut motions, &step, |impact, partners| {
            let ids = [impact.pair.a as usize, impact.pair.b as usize];
            let mass = |k: usize| if statics[ids[k]] { &Mass::FIXED } else { &masses[ids[k]] };
            bounce([0, 1].map(|k| partner(partners[k], mass(k))), &impact.first, 0.7)
        });
        let done = done.expect("valid boxes");
        impacts += done.impacts;
        let now = colliding(&boxes);
        assert!(now.iter().all(|pair| at_first.contains(pair)), "{now:?} {done:?}");
    }
    assert!(impacts > 50, "{impacts}");
}

/// With masses and extents, and points of contact in the middle of the faces, the last body
/// receives all energy.
#[test]
fn m10_energy_is_kept_by_elastic_impacts() {
    let mut boxes = row(&[0.0, 3.0, 6.0], 0.5);
    let mut motions = [Motion::linear(Vec3::X * 9.0), Motion::REST, Motion::REST];
    let masses: Vec<Mass> = boxes.iter().map(|obb| Mass::of(obb, 2.0)).collect();
    let step = Advance {
        skin: 1e-4,
        ..over(1.0)
    };
    let done = advance(&mut checker(), &mut boxes, &mut motions, &step, |impact, partners| {
        let ids = [impact.pair.a as usize, impact.pair.b as usize];
        bounce(
            [0, 1].map(|k| partner(partners[k], &masses[ids[k]])),
            &impact.first,
            1.0,
        )
    });
    assert_eq!(done.expect("valid boxes").impacts, 2);
    let energies = (0..3).map(|k| kinetic_energy(&partner((&boxes[k], &motions[k]), &masses[k])));
    assert!((energies.sum::<f64>() - 81.0).abs() < 1e-3, "{motions:?}");
    let report = checker().check(&boxes).expect("valid boxes");
    assert_eq!(report.colliding_pairs, 0);
}

/// A body that would end inside another goes back, and so does one that took its place.
#[test]
fn m10_bodies_go_back_to_where_they_were() {
    let (safe, mut wanted) = (row(&[0.0, 3.0, 6.0], 0.5), row(&[3.0, 6.5, 6.0], 0.5));
    let back = roll_back(&mut checker(), Rules::default(), &safe, &mut wanted).expect("valid boxes");
    assert_eq!((wanted, back), (safe, vec![true, true, false]));
}

#[test]
fn boxes_that_took_a_vacated_place_also_go_back() {
    let row = |places: &[f32]| -> Vec<Obb> {
        let at = |x: &f32| Obb::axis_aligned(Vec3::X * *x, Vec3::splat(0.4));
        places.iter().map(at).collect()
    };
    let rules = Rules::default();
    // In a queue each box moves up by one, and the first would collide with a wall; another box
    // moves freely.
    let safe = row(&[0.0, 1.0, 2.0, 3.0, 9.0]);
    let mut wanted = row(&[0.0, 0.0, 1.0, 2.0, 8.0]);
    let back = roll_back(&mut checker(), rules, &safe, &mut wanted).expect("valid boxes");
    assert_eq!(
        (wanted, back),
        (row(&[0.0, 1.0, 2.0, 3.0, 8.0]), vec![false, true, true, true, false])
    );
    // Boxes that overlapped before and have not moved cannot go back.
    let safe = row(&[0.0, 0.1, 5.0]);
    let mut wanted = row(&[0.0, 0.1, 0.2]);
    let back = roll_back(&mut checker(), rules, &safe, &mut wanted).expect("valid boxes");
    assert_eq!((wanted, back), (safe, vec![false, false, true]));
    assert!(roll_back(&mut checker(), rules, &row(&[0.0]), &mut []).is_err());
}

#[test]
fn bodies_of_all_kinds_go_back_like_boxes() {
    // In a row of a box, a capsule and two spheres, each moves up by one, and the first would
    // collide with a wall.
    let row = |places: [f32; 5]| {
        let [wall, obb, capsule, first, last] = places.map(|x| Vec3::X * x);
        OwnedBodies {
            boxes: vec![
                Obb::axis_aligned(wall, Vec3::splat(0.4)),
                Obb::axis_aligned(obb, Vec3::splat(0.4)),
            ],
            capsules: vec![Capsule::new(capsule, 1.0, Quat::IDENTITY, 0.4)],
            spheres: vec![Sphere::new(first, 0.4), Sphere::new(last, 0.4)],
        }
    };
    let safe = row([0.0, 1.0, 2.0, 3.0, 9.0]);
    let mut wanted = row([0.0, 0.0, 1.0, 2.0, 8.0]);
    let back = roll_back_bodies(&mut checker(), Rules::default(), safe.all(), &mut wanted).expect("valid bodies");
    assert_eq!(wanted.all().spheres, row([0.0, 1.0, 2.0, 3.0, 8.0]).spheres);
    assert_eq!((&wanted.boxes, &wanted.capsules), (&safe.boxes, &safe.capsules));
    assert_eq!(back, [false, true, true, true, false]);
    let mut others = OwnedBodies {
        boxes: safe.boxes.iter().chain(&safe.boxes).copied().take(5).collect(),
        ..OwnedBodies::default()
    };
    assert!(roll_back_bodies(&mut checker(), Rules::default(), safe.all(), &mut others).is_err());
}

#[test]
fn a_bad_skin_is_named() {
    for skin in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let step = Advance { skin, ..over(1.0) };
        let error = advance(
            &mut checker(),
            &mut row(&[0.0], 1.0),
            &mut [Motion::REST],
            &step,
            elastic,
        );
        assert!(
            matches!(error, Err(Error::InvalidStep { what: "skin", .. })),
            "{error:?}"
        );
    }
}
