//! Tests the error bound of [`round_room`](super::round_room) for capsules in a room as the shader
//! in `f32` computes them, rewritten as a compiler with fast math may do it
//! ([`rewriting`](crate::base::rewriting)).

use glam::{Quat, Vec3};

use crate::base::rewriting::Formula;
use crate::base::split_mix::SplitMix;
use crate::narrow_phase::obb_obb::rewritten::{Named, value_of};
use crate::narrow_phase::round::filter::BOX_ERROR;
use crate::narrow_phase::round::rewritten::{Body, direction, dot, seen_from_box, vector};
use crate::regions::frame::Frame;
use crate::regions::room::Room;
use crate::regions::room_frame::RoomFrame;

use Formula::Sum;

/// Returns the fractions of E that the worst answers about walls and about the distance need, with
/// this K.
fn of_capsule(walls: &Body, capsule: &Body, random: &mut SplitMix, factor: f32, fenced: bool) -> [f64; 2] {
    let corners = [-1.0, 1.0].map(|side| Vec3::from(walls.center) + side * Vec3::from(walls.half));
    let room = Room::new(corners[0], corners[1]).and_then(|room| room.turned(Quat::from_array(walls.rotation)));
    let Ok(room) = room else {
        // The room is flat.
        return [0.0; 2];
    };
    let frame = Frame::new(&room);
    let seen = RoomFrame::new(&frame, 0, 1, 0);
    let named = &mut Named(random, 0);
    let axes = [seen.axis_x, seen.axis_y, seen.axis_z].map(|axis| named.numbers(axis));
    let centers = [seen.center, capsule.center].map(|center| named.numbers(center));
    let d: [Formula; 3] = std::array::from_fn(|k| centers[1][k].clone().minus(centers[0][k].clone()));
    let d = if fenced { named.fenced(d) } else { d };
    let p = named.fenced(axes.each_ref().map(|axis| dot(&d, axis)));
    let q = named.numbers(capsule.rotation);
    let z = direction(named, q);
    let z = named.fenced(axes.each_ref().map(|axis| dot(&z, axis)));

    let into = frame.axes.transpose();
    let center = into * (vector(capsule.center) - frame.center);
    let axis = into * capsule.axes().z_axis;
    let (half, half_length) = ([seen.half_x, seen.half_y, seen.half_z], capsule.half[0]);
    let truly = [center, axis, frame.half_extents];
    let mut witnesses = seen_from_box(named, (p.clone(), z.clone()), (half, half_length), truly);
    witnesses.slack = seen.slack;

    let mut of_walls = 0f64;
    let halves = named.numbers(half);
    let [length, radius] = named.numbers([half_length, capsule.radius]);
    let error = witnesses.error(named, &radius, factor);
    let e = error.exactly();
    for (k, side) in (0..6).map(|k| (k / 2, k % 2)) {
        let towards = match side {
            0 => p[k].clone(),
            _ => p[k].clone().negated(),
        };
        let extent = z[k].clone().abs().times(length.clone());
        let way = vec![halves[k].clone(), towards, extent.negated(), radius.clone().negated()];
        let reach = axis[k].abs() * f64::from(half_length) + f64::from(capsule.radius);
        let truth = frame.half_extents[k] + [center[k], -center[k]][side] - reach;
        let above = f64::from(value_of(Sum(way.clone()).minus(error.clone()), true, named.0));
        let below = f64::from(value_of(Sum(way).plus(error.clone()), false, named.0));
        of_walls = of_walls.max((above - (truth - e)) / e).max((truth + e - below) / e);
    }
    let of_distance = match witnesses.w.length() > 1e-3 {
        true => witnesses.worst(named, [capsule.radius, 0.0, 0.0], factor),
        // The point is in the room, so there is no answer about the distance.
        false => 0.0,
    };
    [of_walls, of_distance]
}

fn worst(count: usize, factor: f32, fenced: bool) -> [f64; 2] {
    let mut random = SplitMix(41);
    let mut worst = [0f64; 2];
    for _ in 0..count {
        let (walls, capsule) = (Body::random(&mut random), Body::random(&mut random));
        let found = of_capsule(&walls, &capsule, &mut random, factor * BOX_ERROR, fenced);
        worst = [worst[0].max(found[0]), worst[1].max(found[1])];
    }
    worst
}

#[test]
fn rewritten_formulas_stay_within_their_bounds() {
    let worst = worst(20_000, 1.0, true);
    println!("at most {worst:.3?} of the bound");
    assert!(worst.iter().all(|&worst| worst <= 1.0), "{worst:?}");
    // Otherwise nothing is tested here.
    assert!(worst.iter().all(|&worst| worst > 0.05), "{worst:?}");
}

#[test]
fn a_missing_fence_or_lower_bounds_give_wrong_answers() {
    let unfenced = worst(2_000, 1.0, false);
    let too_low = worst(20_000, 0.05, true);
    println!("without a fence {unfenced:.3?}, with a twentieth {too_low:.3?} of the bound");
    assert!(unfenced.iter().all(|&worst| worst > 1.0), "{unfenced:?}");
    assert!(too_low.iter().all(|&worst| worst > 1.0), "{too_low:?}");
}
