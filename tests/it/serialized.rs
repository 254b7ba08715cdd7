//! The data that the features `serde` and `mint` read and write.

use obbligato::glam::{DVec2, Quat, Vec3};
use obbligato::{
    Backend, BroadPhase, Checker, Config, Obb, Output, Pair, Query, Report,
    contact::{Contact, Feature},
    report::{Adjacency, Direction},
    shape::{Aabb, Upright},
};
use obbligato_verify::scenes::Scene;
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;
use serde_json::{from_str, from_value, json, to_value};

/// Asserts that a value is equal after writing and reading.
#[track_caller]
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: T) {
    let text = serde_json::to_string(&value).expect("JSON");
    assert_eq!(from_str::<T>(&text).expect(&text), value, "{text}");
}

#[test]
fn boxes_results_and_settings_round_trip() {
    let turned = Obb::new(Vec3::new(0.1, 2.0, -3e7), Vec3::ONE, Quat::from_rotation_z(0.3)).with_groups(5, 7);
    comes_back(turned);
    comes_back(Aabb::new(Vec3::ZERO, Vec3::ONE));
    comes_back(Pair { a: 7, b: 3 });
    comes_back(Contact::Touching);
    comes_back(Feature::Edge(11));
    comes_back(turned.closest_points(&Obb::axis_aligned(Vec3::X, Vec3::ONE)));
    comes_back(turned.contact(&turned));
    comes_back(Config {
        backend: Backend::Cpu,
        output: Output::Degrees,
        margin: 0.25,
        max_pairs: Some(9),
        ..Config::default()
    });
    for degrees in 0..360 {
        // Normalising a direction a second time would change the last bit of every third one.
        let direction = 1.0005 * DVec2::from_angle(f64::from(degrees).to_radians());
        let cuboid = Upright::new(DVec2::new(0.5, 1.0), DVec2::new(2.0, 0.25), direction, [0.0, 1.5]);
        let cuboid = cuboid.expect("a cuboid");
        // JSON may round the last bit of a number, so these are converted without text.
        let value = to_value(cuboid).expect("JSON");
        assert_eq!(from_value::<Upright>(value).expect("the same"), cuboid);
    }
}

#[test]
fn missing_fields_have_defaults_and_unknown_ones_are_refused() {
    let read = json!({ "center": [1, 2, 3], "half_extents": [1, 1, 1], "rotation": [0, 0, 0, 1] });
    let obb: Obb = from_value(read).expect("a box");
    assert_eq!(obb, Obb::axis_aligned(Vec3::new(1.0, 2.0, 3.0), Vec3::ONE));
    let config: Config = from_value(json!({ "backend": "cpu", "gpu": { "subgroups": false } })).expect("settings");
    assert_eq!((config.backend, config.gpu.subgroups), (Backend::Cpu, false));
    assert_eq!(config.output, Output::Pairs);

    let error = from_value::<Config>(json!({ "margins": 1.0 })).expect_err("no such setting");
    assert!(error.to_string().contains("unknown field `margins`"), "{error}");
    let groups = json!({ "center": [1, 2, 3], "half_extents": [1, 1, 1], "rotation": [0, 0, 0, 1], "groups": 1 });
    assert!(from_value::<Obb>(groups).is_err());
}

#[test]
fn invalid_cuboids_are_refused() {
    let written = |z_min: f64, direction: [f64; 2]| json!({ "center": [0, 0], "half_extents": [1, 1], "direction": direction, "z_min": z_min, "z_max": 1 });
    assert!(from_value::<Upright>(written(0.0, [0.6, 0.8])).is_ok());
    let error = from_value::<Upright>(written(2.0, [0.6, 0.8])).expect_err("upside down");
    assert_eq!(
        error.to_string(),
        "the upright cuboid has a z_min above its z_max: fix it"
    );
    let error = from_value::<Upright>(written(0.0, [0.6, 0.9])).expect_err("no direction");
    assert!(error.to_string().contains("direction whose length is not 1"), "{error}");
    let nearly: Upright = from_value(written(0.0, [0.6, 0.8001])).expect("a direction, nearly");
    assert!((nearly.direction().length() - 1.0).abs() < 1e-15);
}

#[test]
fn boxes_are_made_from_vectors_of_mint() {
    let center = mint::Vector3 { x: 1.0, y: 2.0, z: 3.0 };
    let rotation = mint::Quaternion {
        v: mint::Vector3 { x: 0.1, y: 0.2, z: 0.3 },
        s: 0.4,
    };
    let expected = Obb::new(Vec3::new(1.0, 2.0, 3.0), Vec3::ONE, Quat::from_xyzw(0.1, 0.2, 0.3, 0.4));
    assert_eq!(Obb::from_arrays(center, [1.0; 3], rotation), expected);
    assert_eq!(Obb::new(center.into(), Vec3::ONE, rotation.into()), expected);
    assert_eq!(mint::Vector3::from(expected.center), center);
}

/// Reports of all forms, with their statistics; `why` is one of the library's own reasons.
#[test]
fn reports_round_trip() {
    let boxes = Scene::Mixed.generate(400, 1);
    let phases = [BroadPhase::Auto, BroadPhase::Grid, BroadPhase::AllPairs];
    for (output, broad_phase) in [Output::Pairs, Output::Degrees, Output::Count].into_iter().zip(phases) {
        let config = Config {
            backend: Backend::Cpu,
            output,
            broad_phase,
            count_operations: true,
            list_touching: true,
            ..Config::default()
        };
        let mut checker = Checker::new(config).expect("the CPU");
        for query in [Query::from(&boxes), Query::between(&boxes[..100], &boxes[100..])] {
            let report = checker.check(query).expect("valid boxes");
            assert!(report.colliding_pairs > 0 && report.broad_phase.is_some());
            // JSON may round the last bit of a number, so these are converted without text.
            let value = to_value(&report).expect("JSON");
            assert_eq!(from_value::<Report>(value).expect("the same"), report);
            if output == Output::Pairs {
                comes_back(report.adjacency(Direction::AToB).expect("asked for"));
            }
        }
    }
}

#[test]
fn invalid_reports_are_refused() {
    let boxes = Scene::Dense.generate(20, 1);
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })
    .expect("the CPU");
    let good = to_value(checker.check(&boxes).expect("valid boxes")).expect("JSON");
    let wrong = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = good.clone();
        change(&mut value);
        from_value::<Report>(value).expect_err("no report").to_string()
    };
    let error = wrong(&|value| value["pairs"][0]["b"] = json!(20));
    assert!(error.contains("names body 20 of 20"), "{error}");
    let error = wrong(&|value| value["broad_phase"]["why"] = json!("because"));
    assert!(error.contains("of another version"), "{error}");
    for offsets in [json!([]), json!([1, 2]), json!([0, 3]), json!([0, 2, 1, 2])] {
        let error = from_value::<Adjacency>(json!({ "offsets": offsets, "neighbours": [0, 1] })).expect_err("none");
        assert!(error.to_string().contains("offsets"), "{error}");
    }
}
