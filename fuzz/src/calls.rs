//! Sequences of calls on one checker and one tracker: scenes that grow and shrink, rules, prepared
//! scenes, fixed capacity, and errors in between.

use std::collections::BTreeMap;

use obbligato::query::ExcludedPairs;
use obbligato::shape::OwnedBodies;
use obbligato::tracking::{Tracker, TrackerConfig};
use obbligato::{Checker, Config, Pair, Query, Report, Rules};
use obbligato_verify::reference;

use super::bytes::Bytes;
use super::scenes::{any_bodies, are_valid, config};

/// The state that the calls share.
struct Calls {
    checker: Checker,
    most: Option<usize>,
    report: Report,
    tracker: Tracker,
    /// The ids and pairs of the last frame.
    frame: Vec<Pair>,
}

pub fn calls(bytes: &mut Bytes<'_>) {
    let plain = Config {
        list_touching: false,
        ..config(bytes)
    };
    let most = bytes.coin().then(|| bytes.below(5));
    let new = |config: Config| Checker::new(config).expect("the CPU is always there");
    let mut calls = Calls {
        checker: new(Config {
            max_pairs: most,
            ..plain.clone()
        }),
        most,
        report: Report::default(),
        tracker: Tracker::new(new(plain), TrackerConfig::default()),
        frame: Vec::new(),
    };
    for _ in 0..12 {
        if bytes.is_empty() {
            break;
        }
        let call = bytes.below(5);
        let bodies = any_bodies(bytes, 4);
        match call {
            0 => calls.check(&bodies),
            1 => calls.check_with_rules(bytes, &bodies),
            2 => calls.check_against(&any_bodies(bytes, 3), &bodies),
            3 => calls.check_with_short_rules(&bodies),
            _ => calls.track(bytes, &bodies),
        }
    }
}

impl Calls {
    /// Compares the report with all expected pairs, of which it has as many as fit.
    #[track_caller]
    fn expect(&self, report: &Report, expected: &[Pair]) {
        assert_eq!(report.colliding_pairs, expected.len() as u64);
        let pairs = report.pairs().expect("asked for");
        match self.most.filter(|&most| most < expected.len()) {
            Some(most) => {
                assert!(!report.complete);
                assert_eq!(pairs.len(), most);
                assert!(pairs.iter().all(|pair| expected.contains(pair)));
            }
            None => assert_eq!(pairs, expected),
        }
    }

    fn check(&mut self, bodies: &OwnedBodies) {
        let mut report = std::mem::take(&mut self.report);
        match self.checker.check_into(bodies.all(), &mut report) {
            Ok(()) => self.expect(&report, &reference::colliding_pairs(bodies.all())),
            Err(error) => assert!(!are_valid(bodies), "{error}"),
        }
        self.report = report;
    }

    fn check_with_rules(&mut self, bytes: &mut Bytes<'_>, bodies: &OwnedBodies) {
        let count = bodies.all().len();
        let owners: Vec<u32> = (0..count).map(|_| bytes.below(4) as u32).collect();
        let worlds: Vec<u32> = (0..count).map(|_| bytes.below(3) as u32).collect();
        let flags: Vec<bool> = (0..count).map(|_| bytes.coin()).collect();
        let groups: Vec<[u32; 2]> = (0..count).map(|_| [0; 2].map(|_| bytes.byte().into())).collect();
        let excluded: Vec<Pair> = bytes.list(3, |bytes| {
            let [a, b] = [0; 2].map(|_| bytes.below(count.max(1)) as u32);
            Pair { a, b }
        });
        let table = ExcludedPairs::new(&excluded).expect("memory");
        let which = bytes.byte();
        let rules = Rules {
            owners: (which & 1 != 0).then_some(&owners),
            worlds: (which & 2 != 0).then_some(&worlds),
            statics: (which & 4 != 0).then_some(&flags),
            active: (which & 8 != 0).then_some(&flags),
            groups: (which & 16 != 0).then_some(&groups),
            excluded: (which & 32 != 0).then_some(&table),
            ..Rules::default()
        };
        match self.checker.check(bodies.all().with(rules)) {
            Ok(report) => {
                let mut expected = reference::colliding_pairs(bodies.all());
                expected.retain(|pair| reference::allowed(&rules, *pair));
                if rules.excluded.is_some() {
                    let swapped = |pair: &Pair| Pair { a: pair.b, b: pair.a };
                    expected.retain(|pair| !excluded.contains(pair) && !excluded.contains(&swapped(pair)));
                }
                self.expect(&report, &expected);
            }
            Err(error) => assert!(!are_valid(bodies) || count == 0 && !excluded.is_empty(), "{error}"),
        }
    }

    fn check_against(&mut self, scene: &OwnedBodies, movers: &OwnedBodies) {
        let scene_is_valid = are_valid(scene);
        match self.checker.prepare(scene.all()) {
            Ok(prepared) => match self.checker.check(Query::against(&prepared, movers.all())) {
                Ok(report) => {
                    assert!(scene_is_valid && are_valid(movers), "invalid input is accepted");
                    self.expect(&report, &reference::pairs_against(scene.all(), movers.all()));
                }
                Err(error) => assert!(!are_valid(movers), "{error}"),
            },
            Err(error) => assert!(!scene_is_valid, "{error}"),
        }
    }

    /// A list of a rule that is too short is an error.
    fn check_with_short_rules(&mut self, bodies: &OwnedBodies) {
        let owners = vec![0; bodies.all().len() + 1];
        let rules = Rules {
            owners: Some(&owners),
            ..Rules::default()
        };
        assert!(self.checker.check(bodies.all().with(rules)).is_err());
    }

    /// A frame of bodies with ids in any order.
    fn track(&mut self, bytes: &mut Bytes<'_>, bodies: &OwnedBodies) {
        let ids: Vec<u32> = (0..bodies.all().len()).map(|_| bytes.below(24) as u32).collect();
        let places: BTreeMap<u32, usize> = ids.iter().enumerate().map(|(k, &id)| (id, k)).collect();
        match self.tracker.update(&ids, bodies.all()) {
            Ok(frame) => {
                let mut expected: Vec<Pair> = reference::colliding_pairs(bodies.all())
                    .into_iter()
                    .map(|pair| [pair.a, pair.b].map(|k| ids[k as usize]))
                    .map(|[a, b]| Pair {
                        a: a.min(b),
                        b: a.max(b),
                    })
                    .collect();
                expected.sort_unstable();
                assert_eq!(frame.pairs, expected);
                assert_eq!(frame.before, self.frame);
                let begin = expected.iter().filter(|pair| !self.frame.contains(pair)).count();
                let end = self.frame.iter().filter(|pair| !expected.contains(pair)).count();
                assert_eq!((frame.begin, frame.end), (begin, end));
                self.frame = expected;
            }
            // A frame that fails is ignored.
            Err(error) => assert!(places.len() < ids.len() || !are_valid(bodies), "{error}"),
        }
    }
}
