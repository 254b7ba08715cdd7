//! Configurations: poses, pairs, distances and allowed pairs.

use std::collections::{BTreeMap, BTreeSet};

use obbligato_robot::obbligato::Config;
use obbligato_robot::obbligato::shape::OwnedBodies;
use obbligato_robot::{AllowedPair, AllowedReason, LinkPair, Robot, ScenePair};

use crate::support::{ARM, FINGERS, arm, arm_with_all_pairs, cell, config, gap, matrix, poses};

/// Pairs nearer than this to contact are not compared.
const TOLERANCE: f32 = 1e-6;

/// The signed distances of pairs of links, and of links and bodies of a scene, by Parry.
struct Gaps {
    of_links: BTreeMap<[usize; 2], f32>,
    of_scene: BTreeMap<[usize; 2], f32>,
}

impl Gaps {
    fn new(robot: &Robot, configuration: &[f64], scene: &OwnedBodies) -> Self {
        let (bodies, links) = (robot.bodies(configuration).expect("valid"), robot.links_of_bodies());
        let (bodies, scene) = (bodies.all(), scene.all());
        let mut gaps = Self {
            of_links: BTreeMap::new(),
            of_scene: BTreeMap::new(),
        };
        let lower = |gaps: &mut BTreeMap<[usize; 2], f32>, pair, gap: Option<f32>| {
            let least = gaps.entry(pair).or_insert(1.0);
            *least = least.min(gap.unwrap_or(1.0));
        };
        for (a, &link) in links.iter().enumerate() {
            let body = bodies.at(a as u32);
            for (b, &other) in links.iter().enumerate().skip(a + 1) {
                if robot.may_collide(link, other) {
                    let pair = [link.min(other), link.max(other)];
                    lower(&mut gaps.of_links, pair, gap(body, bodies.at(b as u32)));
                }
            }
            for b in 0..scene.len() {
                lower(&mut gaps.of_scene, [link, b], gap(body, scene.at(b as u32)));
            }
        }
        gaps
    }

    fn all(&self) -> impl Iterator<Item = f32> + '_ {
        self.of_links.values().chain(self.of_scene.values()).copied()
    }
}

#[test]
fn a4_poses_are_those_of_matrices() {
    let robot = arm();
    for configuration in robot.random_configurations(200, 3).expect("limits") {
        let expected = poses(&robot, &configuration);
        for (pose, expected) in robot.poses(&configuration).expect("valid").iter().zip(expected) {
            assert!(matrix(pose).abs_diff_eq(expected, 1e-12), "{pose:?} {expected}");
        }
    }
}

/// Free and colliding are as Parry decides, and so is every pair, except within a millionth.
#[test]
fn a4_configurations_collide_as_in_parry() {
    let mut robot = arm();
    let cell = cell();
    let scene = robot.prepare(cell.all()).expect("valid bodies");
    let configurations = robot.random_configurations(3000, 1).expect("limits");
    let report = robot.check(&configurations, Some(&scene)).expect("valid");
    let self_pairs: BTreeSet<LinkPair> = report.self_pairs.iter().copied().collect();
    let scene_pairs: BTreeSet<ScenePair> = report.scene_pairs.iter().copied().collect();
    let (mut compared, mut near) = (0, 0);
    for (k, configuration) in configurations.iter().enumerate() {
        let gaps = Gaps::new(&robot, configuration, &cell);
        let mut compare = |gap: f32, collides: bool| {
            if gap.abs() < TOLERANCE {
                near += 1;
            } else {
                compared += 1;
                assert_eq!(collides, gap < 0.0, "configuration {k}, gap {gap}");
            }
        };
        for (&links, &gap) in &gaps.of_links {
            let pair = LinkPair {
                configuration: k,
                links,
            };
            compare(gap, self_pairs.contains(&pair));
        }
        for (&[link, body], &gap) in &gaps.of_scene {
            let pair = ScenePair {
                configuration: k,
                link,
                body,
            };
            compare(gap, scene_pairs.contains(&pair));
        }
        let collides = gaps.all().any(|gap| gap < -TOLERANCE);
        assert!(report.colliding[k] || !collides, "configuration {k}");
        let is_free = gaps.all().all(|gap| gap > TOLERANCE);
        assert!(!report.colliding[k] || !is_free, "configuration {k}");
    }
    assert!(near < 20, "{near} of {compared} pairs are as good as touching");
    assert!(self_pairs.len() > 1000 && scene_pairs.len() > 1000);
    let free = robot.free(&configurations, Some(&scene)).expect("valid");
    assert!(
        free.iter()
            .zip(&report.colliding)
            .all(|(free, colliding)| free != colliding)
    );
    assert!((500..2500).contains(&free.iter().filter(|free| **free).count()));
}

/// Distances are the smallest of those of all pairs, 0 for a collision, infinite beyond the limit.
#[test]
fn a4_distances_are_the_least_of_all_pairs() {
    let mut robot = arm();
    let cell = cell();
    let scene = robot.prepare(cell.all()).expect("valid bodies");
    let configurations = robot.random_configurations(300, 8).expect("limits");
    // The base never moves: without a limit below its distance, most would have that one.
    let within = 0.05;
    let distances = robot.distances(&configurations, &scene, within).expect("valid");
    let mut counts = [0; 3];
    for (configuration, distance) in configurations.iter().zip(distances) {
        let bodies = robot.bodies(configuration).expect("valid");
        let bodies = bodies.all();
        let pairs = (0..bodies.len()).flat_map(|a| (0..cell.all().len()).map(move |b| (a as u32, b as u32)));
        let least = pairs
            .map(|(a, b)| bodies.at(a).closest_points(cell.all().at(b)).distance)
            .fold(f64::INFINITY, f64::min);
        let expected = if least > within { f64::INFINITY } else { least };
        counts[if least == 0.0 {
            0
        } else {
            1 + usize::from(expected.is_infinite())
        }] += 1;
        assert!(
            distance == expected || (distance - expected).abs() < 1e-9,
            "{distance} {expected}"
        );
    }
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}

/// Allowed pairs are those that collide in none or all configurations, and disabling them changes
/// no answer for those configurations but for the pairs that always collide.
#[test]
fn a4_allowed_pairs_are_those_of_random_configurations() {
    let mut robot = arm_with_all_pairs();
    let allowed = robot.allowed_pairs(3000, 5).expect("limits");
    let configurations = robot.random_configurations(3000, 5).expect("limits");
    let report = robot.check(&configurations, None).expect("valid");
    let mut expected = Vec::new();
    for a in 0..robot.links().len() {
        for b in a + 1..robot.links().len() {
            // The tool has no body.
            if !robot.may_collide(a, b) || [a, b].contains(&7) {
                continue;
            }
            let hits = report.self_pairs.iter().filter(|pair| pair.links == [a, b]).count();
            let reason = match hits {
                0 => AllowedReason::Never,
                3000 => AllowedReason::Always,
                _ => continue,
            };
            expected.push(AllowedPair { links: [a, b], reason });
        }
    }
    assert_eq!(allowed, expected);
    let reasons: BTreeSet<_> = allowed.iter().map(|pair| pair.reason == AllowedReason::Never).collect();
    assert_eq!(reasons.len(), 2, "both reasons occur: {allowed:?}");
    let mut robot = robot
        .with_allowed(allowed.iter().map(|pair| pair.links))
        .expect("links");
    let after = robot.check(&configurations, None).expect("valid");
    let always: Vec<[usize; 2]> = allowed
        .iter()
        .filter(|pair| pair.reason == AllowedReason::Always)
        .map(|pair| pair.links)
        .collect();
    let left: Vec<LinkPair> = report
        .self_pairs
        .into_iter()
        .filter(|pair| !always.contains(&pair.links))
        .collect();
    assert_eq!(after.self_pairs, left);
    assert_eq!(robot.allowed_pairs(0, 5).expect("limits"), []);
}

/// With an SRDF file, exactly its pairs are left out.
#[test]
fn a4_srdf_disables_pairs() {
    let configurations = arm().random_configurations(2000, 4).expect("limits");
    let before = arm().check(&configurations, None).expect("valid").self_pairs;
    let srdf = r#"<robot name="arm"><disable_collisions link1="forearm" link2="base" reason="Never"/></robot>"#;
    let mut robot = arm().with_srdf_text(srdf).expect("SRDF");
    let after = robot.check(&configurations, None).expect("valid").self_pairs;
    let left: Vec<LinkPair> = before.iter().copied().filter(|pair| pair.links != [0, 4]).collect();
    assert!(left.len() < before.len());
    assert_eq!(after, left);
}

/// More than 32 links have no groups; the pairs are the same as of fewer.
#[test]
fn a4_many_links_are_checked_without_groups() {
    let links: String = (0..40)
        .map(|k| format!(r#"<link name="extra{k}"><collision><origin xyz="9 {k} 0"/><geometry><sphere radius="0.1"/></geometry></collision></link><joint name="to{k}" type="fixed"><parent link="base"/><child link="extra{k}"/></joint>"#))
        .collect();
    let text = ARM.replace("</robot>", &format!("{links}</robot>"));
    let many = Robot::from_urdf_text(&text, "", config()).expect("a robot");
    let mut many = many.with_allowed(FINGERS).expect("links");
    let configurations = arm().random_configurations(1000, 9).expect("limits");
    let expected = arm().check(&configurations, None).expect("valid");
    assert_eq!(many.check(&configurations, None).expect("valid"), expected);
    assert!(!expected.self_pairs.is_empty());
}

/// The limits on lists of pairs do not shorten what is found.
#[test]
fn a4_a_limit_on_pairs_loses_none() {
    let configurations = arm().random_configurations(500, 2).expect("limits");
    let limited = Config {
        max_pairs: Some(1),
        ..config()
    };
    let robot = Robot::from_urdf_text(ARM, "", limited).expect("a robot");
    let mut robot = robot.with_allowed(FINGERS).expect("links");
    let expected = arm().check(&configurations, None).expect("valid");
    assert_eq!(robot.check(&configurations, None).expect("valid"), expected);
    let cell = cell();
    let scene = robot.prepare(cell.all()).expect("valid");
    let distances = robot.distances(&configurations, &scene, 0.2).expect("valid");
    let mut other = arm();
    let scene = other.prepare(cell.all()).expect("valid");
    assert_eq!(distances, other.distances(&configurations, &scene, 0.2).expect("valid"));
}
