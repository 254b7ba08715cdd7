//! The layers of sets with various rules.

use super::*;
use crate::rules::filter::SetRules;
use crate::rules::model::Rules;

/// Returns the layers of bodies of one set by these rules.
fn layers(rules: Rules<'_>, bodies: usize) -> Layers {
    let rules = SetRules::new(&rules, bodies).expect("rules");
    let pairs = PairRules::of_one_set(&rules, bodies).expect("rules");
    layers_of(&pairs, bodies, &|_| None).expect("memory")
}

/// Asserts that bodies which may meet are in layers that meet, and returns the number of
/// forbidden pairs in layers that meet.
fn forbidden_pairs(rules: &PairRules, layers: &Layers, bodies: u32) -> usize {
    let pairs = (0..bodies).flat_map(|b| (0..b).map(move |a| crate::geometry::pair::Pair { a, b }));
    let met = |a, b| layers.met_by(layers.layer(a)) >> layers.layer(b) & 1 > 0;
    pairs
        .filter(|pair| {
            assert!(!rules.allow(*pair) || met(pair.a, pair.b), "{pair:?}");
            assert_eq!(met(pair.a, pair.b), met(pair.b, pair.a), "{pair:?}");
            met(pair.a, pair.b) && !rules.allow(*pair)
        })
        .count()
}

#[test]
fn rules_that_forbid_few_pairs_make_no_layers() {
    let bodies = 500;
    let few: Vec<bool> = (0..bodies).map(|k| k < 20).collect();
    let each: Vec<u32> = (0..bodies as u32).map(|k| k / 4).collect();
    let rules = Rules {
        statics: Some(&few),
        owners: Some(&each),
        ..Rules::default()
    };
    assert_eq!(layers(rules, bodies), Layers::default());
    assert_eq!(layers(Rules::default(), bodies), Layers::default());
}

#[test]
fn bodies_that_meet_nothing_form_one_layer() {
    let all = vec![true; 500];
    let rules = Rules {
        statics: Some(&all),
        ..Rules::default()
    };
    let layers = layers(rules, all.len());
    assert_eq!((layers.count, layers.met_by(layers.layer(7))), (1, 0));
}

#[test]
fn the_smaller_layer_walks() {
    let statics: Vec<bool> = (0..500).map(|k| k % 5 > 0).collect();
    let rules = Rules {
        statics: Some(&statics),
        ..Rules::default()
    };
    let layers = layers(rules, statics.len());
    assert_eq!([layers.layer(0), layers.layer(1)], [0, 1]);
    assert_eq!([layers.met_by(0), layers.met_by(1)], [0b11, 0b01]);
    assert!(layers.settle_classes());
}

#[test]
fn small_worlds_have_no_layers() {
    let statics: Vec<bool> = (0..960).map(|k| k % 5 > 0).collect();
    for (each, any) in [(8, false), (64, false), (160, true)] {
        let worlds: Vec<u32> = (0..960).map(|k| k / each).collect();
        let rules = Rules {
            statics: Some(&statics),
            worlds: Some(&worlds),
            ..Rules::default()
        };
        assert_eq!(layers(rules, 960).any(), any, "worlds of {each}");
    }
}

#[test]
fn layers_that_meet_have_few_forbidden_pairs() {
    // Two sets of 240 bodies, with all rules at once, and an increasing number of choices.
    for choices in 1..40u32 {
        let counts = [240usize; 2];
        let all = counts[0] + counts[1];
        let pick = |k: u32, of: u32| (k * 7919 + k / 31) % of;
        let statics: Vec<bool> = (0..all as u32).map(|k| pick(k, 3) == 0).collect();
        let active: Vec<bool> = (0..all as u32).map(|k| pick(k + 5, 4) > 0).collect();
        let owners: Vec<u32> = (0..all as u32).map(|k| pick(k + 9, choices)).collect();
        let groups: Vec<[u32; 2]> = (0..all as u32)
            .map(|k| [1 << pick(k, choices.min(32)), u32::MAX << pick(k + 1, choices.min(32))])
            .collect();
        let rules = Rules {
            statics: Some(&statics),
            active: Some(&active),
            owners: Some(&owners),
            groups: (choices % 2 > 0).then_some(&groups),
            ..Rules::default()
        };
        let joined = SetRules::new(&rules, all).expect("rules");
        let rules = PairRules::of_two_sets(&joined, Joint::of_boxes(counts), counts).expect("rules");
        let layers = layers_of(&rules, all, &|_| None).expect("memory");
        let left = forbidden_pairs(&rules, &layers, all as u32);
        assert!(!layers.settle_classes() || left == 0, "{choices}");
        assert!(
            layers.count <= MAX_LAYERS as u32 && layers.any(),
            "{choices}: {layers:?}"
        );
        // With this many kinds, no layers are good, but they must not be worse than the layers
        // of the two sets alone.
        let allowed = (0..all as u32)
            .flat_map(|b| (0..b).map(move |a| crate::geometry::pair::Pair { a, b }))
            .filter(|pair| rules.allow(*pair))
            .count();
        assert!(
            left + allowed <= counts[0] * counts[1],
            "{choices}: {left} forbidden pairs"
        );
    }
}
