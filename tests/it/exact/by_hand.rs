//! Contacts by hand: each case illustrates the definitions of [`Contact`].

use std::f32::consts::FRAC_1_SQRT_2;

use obbligato::contact::Contact::{Overlapping, Separated, Touching};
use obbligato::glam::{Quat, Vec3};
use obbligato::{Obb, contact::Contact};
use obbligato_verify::reference::oracle;

const UNIT: Obb = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
const ABOVE: f32 = 2.0f32.next_up();
const BELOW: f32 = 2.0f32.next_down();
const TINY: f32 = f32::from_bits(1);
const HALF: f32 = FRAC_1_SQRT_2;
const ROD: Obb = sized(UNIT, 1.0, 0.0, 0.0);
const PLATE: Obb = sized(UNIT, 1.0, 1.0, 0.0);
const POINT: Obb = sized(UNIT, 0.0, 0.0, 0.0);
const SLANTED: Obb = turned(ROD, 0.0, 0.0, 24.0 / 64.0, 59.0 / 64.0);

const fn at(x: f32, y: f32, z: f32) -> Obb {
    Obb {
        center: Vec3::new(x, y, z),
        ..UNIT
    }
}

const fn sized(obb: Obb, x: f32, y: f32, z: f32) -> Obb {
    Obb {
        half_extents: Vec3::new(x, y, z),
        ..obb
    }
}

const fn turned(obb: Obb, x: f32, y: f32, z: f32, w: f32) -> Obb {
    Obb {
        rotation: Quat::from_xyzw(x, y, z, w),
        ..obb
    }
}

/// Pairs with names and their contacts.
const CASES: [(&str, Obb, Obb, Contact); 27] = [
    ("face on face", UNIT, at(2.0, 0.5, -0.5), Touching),
    ("edge on edge", UNIT, at(2.0, 2.0, 0.5), Touching),
    ("corner on corner", UNIT, at(-2.0, 2.0, 2.0), Touching),
    ("an ulp apart", UNIT, at(ABOVE, 0.0, 0.0), Separated),
    ("an ulp deep", UNIT, at(BELOW, 0.0, 0.0), Overlapping),
    ("the same box", UNIT, UNIT, Overlapping),
    (
        "a plate within a box",
        at(TINY, 0.0, 0.0),
        sized(UNIT, 0.0, 1.0, 1.0),
        Overlapping,
    ),
    (
        "less than f64 can add",
        sized(at(-1.0, 0.0, 0.0), 1.0, 1.0, 1.0),
        sized(at(TINY, 0., 0.), 0., 1., 1.),
        Separated,
    ),
    (
        "quarter turn swaps the extents",
        sized(UNIT, 3.0, 1.0, 1.0),
        turned(sized(at(4.0, 0.0, 0.0), 2.0, 1.0, 1.0), 0.0, 0.0, HALF, HALF),
        Touching,
    ),
    (
        "third of a turn",
        sized(UNIT, 3.0, 1.0, 1.0),
        turned(sized(at(0.0, 6.0, 0.0), 5.0, 1.0, 2.0), 0.5, 0.5, 0.5, 0.5),
        Touching,
    ),
    (
        "third of a turn back",
        sized(UNIT, 3.0, 1.0, 1.0),
        turned(sized(at(0.0, 0.0, 6.0), 5.0, 1.0, 2.0), -0.5, -0.5, -0.5, 0.5),
        Touching,
    ),
    (
        "half a turn about a diagonal",
        sized(UNIT, 3.0, 1.0, 1.0),
        turned(sized(at(4.0, 0.0, 0.0), 2.0, 1.0, 5.0), HALF, HALF, 0.0, 0.0),
        Touching,
    ),
    ("a point in a box", UNIT, POINT, Overlapping),
    (
        "a point on a face",
        UNIT,
        sized(at(1.0, 0.0, 0.0), 0.0, 0.0, 0.0),
        Touching,
    ),
    ("the same point twice", POINT, POINT, Touching),
    ("two points", POINT, sized(at(TINY, 0.0, 0.0), 0.0, 0.0, 0.0), Separated),
    (
        "plates crossing in one plane",
        PLATE,
        turned(PLATE, 0.0, 0.0, 0.6, 0.8),
        Touching,
    ),
    (
        "plates apart in one plane",
        PLATE,
        turned(sized(at(2.5, 0.0, 0.0), 1.0, 1.0, 0.0), 0.0, 0.0, 0.6, 0.8),
        Separated,
    ),
    (
        "plates apart by a hair",
        PLATE,
        turned(sized(at(0.0, 0.0, TINY), 1.0, 1.0, 0.0), 0.0, 0.0, 0.6, 0.8),
        Separated,
    ),
    (
        "a plate through a plate",
        PLATE,
        turned(sized(UNIT, 0.5, 0.5, 0.0), HALF, 0.0, 0.0, HALF),
        Overlapping,
    ),
    (
        "a rod through a plate",
        PLATE,
        turned(sized(UNIT, 1.0, 0.0, 0.0), 0.0, HALF, 0.0, HALF),
        Overlapping,
    ),
    (
        "a rod that ends on a plate",
        PLATE,
        turned(sized(at(0.0, 0.0, 1.0), 1.0, 0.0, 0.0), 0.0, HALF, 0.0, HALF),
        Touching,
    ),
    ("rods crossing", ROD, SLANTED, Touching),
    (
        "rods in one plane, apart",
        ROD,
        Obb {
            center: Vec3::new(0.0, 1.0, 0.0),
            ..SLANTED
        },
        Separated,
    ),
    (
        "rods in one line, end to end",
        ROD,
        Obb {
            center: Vec3::new(2.0, 0.0, 0.0),
            ..ROD
        },
        Touching,
    ),
    (
        "rods in one line, apart",
        ROD,
        Obb {
            center: Vec3::new(ABOVE, 0.0, 0.0),
            ..ROD
        },
        Separated,
    ),
    (
        "rods side by side",
        ROD,
        Obb {
            center: Vec3::new(0.0, TINY, 0.0),
            ..ROD
        },
        Separated,
    ),
];

#[test]
fn contacts_by_hand() {
    for (name, a, b, expected) in CASES {
        assert_eq!(oracle::contact(&a, &b), expected, "the oracle, {name}");
        assert_eq!(a.contact(&b), expected, "{name}");
        assert_eq!(b.contact(&a), expected, "{name}, swapped");
    }
}
