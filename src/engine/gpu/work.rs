//! The minimum work of each kernel of a frame, and its minimum time on a device, with which
//! measured times are compared.
//!
//! The counts follow from the scene and the records, as in the tables of
//! docs/src/design/gpu-frames.md, "One frame". A kernel that streams is counted in bytes, each
//! record once. A kernel that reads or writes records at arbitrary positions is counted in sectors
//! of 32 bytes, as many as a record touches: a box of 48 bytes has two. A record that several
//! invocations read counts each time. If caches hold it, a kernel may be faster than this limit. An
//! atomic operation that reserves places in a list counts once for a workgroup that has something
//! to append.

use crate::broad_phase::grid::layout::probe_size;
use crate::device::limits::FILLING_WORKGROUPS;
use crate::device::rates::DeviceRates;
use crate::narrow_phase::round::sort_by_kinds::PER_INVOCATION;

/// The counts of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SceneCounts {
    /// Boxes, capsules and spheres.
    pub kinds: [u64; 3],
    /// Slots of the grid, in all levels.
    pub slots: u64,
    /// Rows of cells that the walk looks up.
    pub rows: u64,
    /// Bounds that it compares.
    pub comparisons: u64,
    /// Candidate pairs.
    pub candidates: u64,
    /// Colliding pairs.
    pub pairs: u64,
    /// Pairs that `f32` leaves undecided.
    pub undecided: u64,
    /// Set if the caller visits the colliding pairs, so that they are not stored. What the caller
    /// does with them is not counted.
    pub visited: bool,
}

/// The minimum work of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Bytes read or written in order.
    pub bytes: u64,
    /// Sectors read at arbitrary places.
    pub gathers: u64,
    /// Sectors written at arbitrary places.
    pub scatters: u64,
    /// Atomic operations at arbitrary places.
    pub atomics: u64,
    /// Atomic operations on one address.
    pub atomics_in_one_place: u64,
}

/// Number of sectors of a box, and of a capsule.
const OF_BOX: u64 = 2;
/// Number of sectors of a sphere.
const OF_BALL: u64 = 1;
/// Number of invocations that append together: a workgroup of the walk, and one of the tests.
const WALKING: u64 = 64;
const TESTING: u64 = 256;
/// Number of pairs that a workgroup adds to queues at a time.
const SORTING: u64 = TESTING * PER_INVOCATION;

/// Number of kernels whose work is counted.
#[cfg(test)]
pub(super) const COUNTED: usize = 15;

/// Returns the work of a kernel in a frame of bodies. Returns `None` for kernels whose work does
/// not grow with the scene, for those of other frames, and for tests of pairs if bodies are of
/// several kinds, because the number of pairs of each test is not counted.
pub fn work_of(kernel: &str, scene: &SceneCounts) -> Option<Work> {
    broad_phase_work(kernel, scene).or_else(|| narrow_phase_work(kernel, scene))
}

/// Returns the work of a kernel that computes bounds or searches for candidate pairs.
fn broad_phase_work(kernel: &str, scene: &SceneCounts) -> Option<Work> {
    let SceneCounts {
        kinds,
        slots: s,
        rows,
        comparisons,
        candidates: c,
        ..
    } = *scene;
    let n: u64 = kinds.iter().sum();
    let [boxes, capsules, balls] = kinds;
    let none = Work::default();
    let bounds = |bytes: u64, count: u64| Work {
        bytes: bytes * count,
        atomics: count,
        ..none
    };
    Some(match kernel {
        // Counted for frames that keep a plan: each box goes into its slot.
        "obb_bounds" => bounds(80, boxes),
        "capsule_bounds" => bounds(80, capsules),
        "sphere_bounds" => bounds(48, balls),
        "grid_probe" => {
            let samples = u64::from(probe_size(n as usize, u64::MAX).0);
            Work {
                gathers: samples,
                atomics: samples,
                ..none
            }
        }
        // Reads bounds, and writes a tag and a rank. The counts are written in the order of the
        // slots when they are cleared.
        "count_slots" => Work {
            bytes: (32 + 8) * n,
            atomics: n,
            ..none
        },
        "allocate_runs" => Work { bytes: 12 * s, ..none },
        // Reads bounds and the start of the slot, and writes a record.
        "place_records" => Work {
            bytes: 32 * n,
            gathers: n,
            scatters: n,
            ..none
        },
        // Reads the own record, one for each comparison, and the start and end of each row.
        "grid_pairs" => Work {
            bytes: 32 * n + 8 * c,
            gathers: rows + comparisons,
            atomics_in_one_place: n.min(c).div_ceil(WALKING * records_each(n, c)),
            ..none
        },
        _ => return None,
    })
}

/// Returns the work of a kernel that tests or sorts candidate pairs.
fn narrow_phase_work(kernel: &str, scene: &SceneCounts) -> Option<Work> {
    let SceneCounts {
        kinds,
        candidates: c,
        pairs,
        undecided: u,
        visited,
        ..
    } = *scene;
    let p = if visited { 0 } else { pairs };
    let n: u64 = kinds.iter().sum();
    let [boxes, capsules, balls] = kinds;
    let all_are = |kind: u64| kind == n;
    let none = Work::default();
    let tests = |sectors: u64| Work {
        bytes: 8 * (c + p + u),
        gathers: 2 * sectors * c,
        atomics_in_one_place: pairs.min(c.div_ceil(TESTING)),
        ..none
    };
    Some(match kernel {
        // One of the two kernels has no work.
        "obb_sat_pairs" | "upright_sat_pairs" if all_are(boxes) => tests(OF_BOX),
        "round_round_pairs" if all_are(capsules) => tests(OF_BOX),
        "sphere_sphere_pairs" if all_are(balls) => tests(OF_BALL),
        // Both read the candidates; the second also writes their places.
        "count_kinds" => Work { bytes: 8 * c, ..none },
        "fill_queues" => Work {
            bytes: 12 * c,
            atomics_in_one_place: c.div_ceil(SORTING),
            ..none
        },
        "obb_sat_f64_pairs" => Work {
            bytes: 8 * u,
            gathers: 2 * OF_BOX * u,
            ..none
        },
        _ => return None,
    })
}

/// Returns the number of records for which an invocation of the walk reserves places at once:
/// `records_each` of `grid_pairs.wgsl`, with the actual number of partners instead of the expected
/// one.
fn records_each(boxes: u64, candidates: u64) -> u64 {
    const MOST_RECORDS_EACH: u64 = 4;
    const HALF_OF_KEPT: u64 = 6;
    let by_partners = HALF_OF_KEPT * boxes / candidates.max(1);
    by_partners
        .min(boxes / (u64::from(FILLING_WORKGROUPS) * TESTING))
        .clamp(1, MOST_RECORDS_EACH)
}

impl Work {
    /// Returns the part of the work with the longest minimum time, by name, and that time in
    /// milliseconds.
    pub fn limit(&self, rates: &DeviceRates) -> (&'static str, f64) {
        let all = [
            ("copy", self.bytes, rates.copied_bytes),
            ("gather", self.gathers, rates.gathers),
            ("scatter", self.scatters, rates.scatters),
            ("atomics", self.atomics, rates.atomics),
            ("one atomic", self.atomics_in_one_place, rates.atomics_in_one_place),
        ];
        let times = all.map(|(name, count, rate)| (name, count as f64 / rate * 1e3));
        times.into_iter().fold(
            ("copy", 0.0),
            |longest, next| if next.1 > longest.1 { next } else { longest },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that there are few atomics for each pair, because a GPU executes atomics on one
    /// address one after the other.
    #[test]
    fn pairs_need_few_atomics() {
        // Uniform and dense scenes, as measured at 1M and scaled by ten.
        for (candidates, pairs) in [(9_965_630, 3_986_380), (98_435_120, 39_555_650)] {
            let scene = SceneCounts {
                kinds: [10_000_000, 0, 0],
                candidates,
                pairs,
                ..SceneCounts::default()
            };
            let atomics = |kernel| work_of(kernel, &scene).expect("counted").atomics_in_one_place;
            assert!(128 * atomics("grid_pairs") <= candidates);
            assert!(100 * atomics("obb_sat_pairs") <= pairs);
        }
    }

    /// Checks that a visitor's frame moves fewer bytes than that of a list, which another kernel
    /// must then read.
    #[test]
    fn visited_pairs_are_not_stored() {
        let listed = SceneCounts {
            kinds: [1_000_000, 0, 0],
            candidates: 1_000_000,
            pairs: 400_000,
            undecided: 100,
            ..SceneCounts::default()
        };
        let visited = SceneCounts {
            visited: true,
            ..listed
        };
        let bytes = |kernel, scene| work_of(kernel, scene).map(|work| work.bytes);
        assert_eq!(bytes("obb_sat_pairs", &listed), Some(8 * 1_400_100));
        assert_eq!(bytes("obb_sat_pairs", &visited), Some(8 * 1_000_100));
        for kernel in ["grid_pairs", "obb_bounds", "obb_sat_f64_pairs"] {
            assert_eq!(bytes(kernel, &listed), bytes(kernel, &visited), "{kernel}");
        }
    }

    #[test]
    fn the_limit_is_the_slowest_resource() {
        let rates = DeviceRates {
            copied_bytes: 1e12,
            gathers: 1e10,
            scatters: 5e9,
            atomics: 1e9,
            atomics_in_one_place: 1e8,
        };
        let scene = SceneCounts {
            kinds: [1_000_000, 0, 0],
            slots: 2_000_000,
            rows: 3_400_000,
            comparisons: 6_600_000,
            candidates: 1_000_000,
            pairs: 400_000,
            undecided: 100,
            visited: false,
        };
        let limit = |kernel| work_of(kernel, &scene).map(|work| work.limit(&rates));
        assert_eq!(limit("obb_bounds"), Some(("atomics", 1.0)));
        assert_eq!(limit("count_slots"), Some(("atomics", 1.0)));
        assert_eq!(limit("place_records"), Some(("scatter", 0.2)));
        assert_eq!(limit("grid_pairs"), Some(("gather", 1.0)));
        assert_eq!(limit("obb_sat_pairs"), Some(("gather", 0.4)));
        assert_eq!(limit("finish"), None);
        assert_eq!(Work::default().limit(&rates), ("copy", 0.0));

        // A sphere is one sector. With several kinds, the number of pairs of each test is unknown.
        let of_kinds = |kinds| SceneCounts { kinds, ..scene };
        let balls = of_kinds([0, 0, 1_000_000]);
        let limit = |kernel, scene| work_of(kernel, scene).map(|work| work.limit(&rates));
        assert_eq!(limit("sphere_bounds", &balls), Some(("atomics", 1.0)));
        assert_eq!(limit("sphere_sphere_pairs", &balls), Some(("gather", 0.2)));
        assert_eq!(limit("obb_sat_pairs", &balls), None);
        let mixed = of_kinds([400_000, 300_000, 300_000]);
        assert_eq!(limit("capsule_bounds", &mixed), Some(("atomics", 0.3)));
        assert_eq!(limit("fill_queues", &mixed), Some(("copy", 0.012)));
        for kernel in [
            "obb_sat_pairs",
            "round_round_pairs",
            "sphere_sphere_pairs",
            "box_round_pairs",
        ] {
            assert_eq!(limit(kernel, &mixed), None, "{kernel}");
        }
    }
}
