//! Self-intersections of a mesh, on one thread: obbligato, parry, and CGAL through files.
//!
//! ```text
//! cargo bench --bench triangles -- [--count N] [--repeats K] [--threads T] [--write MESH.off] [--compare PAIRS.txt]
//! cargo bench --bench triangles -- --verify N [--gpu]
//! ```
//!
//! The mesh is `scenes::rings`. obbligato's time is that of `Checker::check`, from triangles to
//! sorted pairs: with the neighbours that share more than their common corners, and without
//! neighbours. Peers get their input in their own types before the clock starts, and do not sort.
//! Of the pairs that a peer finds, those with a common corner are omitted.
//!
//! `--write` writes the mesh as an OFF file, for `benches/peers`; `--compare` reads the pairs that
//! the program there writes, and prints the differences from obbligato's. `--verify` instead
//! compares that many hard pairs of triangles with the reference, and with `--gpu` those that a
//! GPU, or a software adapter, finds.
mod common {
    pub mod arguments;
    pub mod clock;
    pub mod parry;
    pub mod threads;
}

use std::collections::HashMap;
use std::fmt::Write;

use obbligato::{Backend, Checker, Config, Pair, Query, shape::Triangle};
use obbligato_support::count::parse_count;
use obbligato_verify::adversarial::TRIANGLE_FAMILIES;
use obbligato_verify::reference::{triangles_meet, triangles_meet_in_mesh};
use obbligato_verify::scenes;
use parry3d::bounding_volume::Aabb;
use parry3d::math::Pose;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry3d::query::details::intersection_test_support_map_support_map;
use parry3d::shape::Triangle as Peer;

use common::{
    arguments::{self, Arguments},
    clock,
    parry::vector,
    threads::use_threads,
};

const SEED: u64 = 1;

/// The number of triangles in a block whose pairs are verified.
const BLOCK: usize = 64;

/// The measurements to make.
struct Plan {
    count: usize,
    repeats: usize,
    threads: usize,
    write: Option<String>,
    compare: Option<String>,
    verify: Option<usize>,
    gpu: bool,
}

fn main() -> Result<(), String> {
    run(arguments::read(plan)?)
}

fn plan(arguments: &mut Arguments) -> Result<Plan, String> {
    let (count, repeats) = match arguments.timed {
        true => (1_000_000, 5),
        false => (10_000, 1),
    };
    let path = |path: &str| Ok(path.to_owned());
    Ok(Plan {
        count: arguments.value("--count", parse_count)?.unwrap_or(count),
        repeats: arguments.value("--repeats", parse_count)?.unwrap_or(repeats).max(1),
        threads: arguments.value("--threads", parse_count)?.unwrap_or(1).max(1),
        write: arguments.value("--write", path)?,
        compare: arguments.value("--compare", path)?,
        verify: arguments.value("--verify", parse_count)?,
        gpu: arguments.take("--gpu").is_some(),
    })
}

fn run(plan: Plan) -> Result<(), String> {
    use_threads(plan.threads)?;
    let config = Config {
        backend: if plan.gpu { Backend::Gpu } else { Backend::Cpu },
        ..Config::default()
    };
    let mut checker = Checker::new(config).map_err(|problem| problem.to_string())?;
    if let Some(pairs) = plan.verify {
        println!("{}", checker.choice());
        return verify(&mut checker, pairs);
    }
    let mesh = scenes::rings(plan.count, SEED);
    if let Some(path) = &plan.write {
        return std::fs::write(path, off(&mesh)).map_err(|problem| format!("{path}: {problem}"));
    }
    println!(
        "{} triangles, {} threads, least of {}, milliseconds",
        mesh.len(),
        plan.threads,
        plan.repeats
    );
    run_obbligato("obbligato", &mut checker, &Query::mesh(&mesh), plan.repeats)?;
    let alone = Query::mesh_without_neighbours(&mesh);
    let own = run_obbligato("  alone", &mut checker, &alone, plan.repeats)?;
    match &plan.compare {
        Some(path) => compare(&mesh, &own, path),
        None => {
            let other = run_parry(&mesh, plan.repeats);
            tell_difference("parry", &own, other);
            Ok(())
        }
    }
}

/// Milliseconds, and the result of a piece of work.
fn clocked<T>(work: impl FnMut() -> T) -> (f64, T) {
    let (time, result) = clock::least(1, work);
    (1e3 * time, result)
}

fn run_obbligato(name: &str, checker: &mut Checker, query: &Query<'_>, repeats: usize) -> Result<Vec<Pair>, String> {
    let (mut least, mut line, mut pairs) = (f64::INFINITY, String::new(), Vec::new());
    for _ in 0..repeats {
        let (total, report) = clocked(|| checker.check(*query));
        let report = report.map_err(|problem| problem.to_string())?;
        if total < least {
            least = total;
            let steps = report
                .timings
                .wall
                .iter()
                .map(|(stage, time)| format!("{} {time:.1}", stage.name()));
            line = format!(
                "  {name:<9} {total:>9.1}  {:>10} candidates {:>9} undecided {:>9} pairs   {}",
                report.candidate_pairs,
                report.undecided_pairs,
                report.colliding_pairs,
                steps.collect::<Vec<_>>().join(", ")
            );
        }
        pairs = report.pairs().map_err(|problem| problem.to_string())?.to_vec();
    }
    println!("{line}");
    Ok(pairs)
}

/// Finds pairs with a tree over all triangles, and parry's test, in `f32`, for those without a
/// common corner.
fn run_parry(mesh: &[Triangle], repeats: usize) -> Vec<Pair> {
    let peers: Vec<Peer> = mesh
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.corners.map(vector);
            Peer::new(a, b, c)
        })
        .collect();
    let (mut least, mut line, mut pairs) = (f64::INFINITY, String::new(), Vec::new());
    for _ in 0..repeats {
        let (found, candidates) = clocked(|| {
            let bounds: Vec<Aabb> = peers.iter().map(Peer::local_aabb).collect();
            let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &bounds);
            let mut candidates = Vec::new();
            tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| {
                candidates.push(Pair::new(a, b));
            });
            candidates
        });
        let here = Pose::IDENTITY;
        let meet = |pair: &&Pair| {
            let [a, b] = [pair.a, pair.b].map(|id| id as usize);
            !mesh[a].have_common_corner(&mesh[b])
                && intersection_test_support_map_support_map(&here, &peers[a], &peers[b])
        };
        let narrow;
        (narrow, pairs) = clocked(|| candidates.iter().filter(meet).copied().collect());
        let total = found + narrow;
        if total < least {
            least = total;
            line = format!(
                "  parry     {total:>9.1}  {:>10} candidates                     {:>9} pairs   tree {found:.1}, narrow {narrow:.1}",
                candidates.len(),
                pairs.len(),
            );
        }
    }
    println!("{line}");
    pairs
}

/// Reads the pairs of another program, two positions per line, and prints the differences.
fn compare(mesh: &[Triangle], own: &[Pair], path: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|problem| format!("{path}: {problem}"))?;
    let mut pairs = Vec::new();
    for line in text.lines() {
        let mut ids = line
            .split_whitespace()
            .map(|id| id.parse::<u32>().ok().filter(|&id| (id as usize) < mesh.len()));
        let (Some(Some(a)), Some(Some(b))) = (ids.next(), ids.next()) else {
            return Err(format!("{path}: {line}: not a pair of this mesh"));
        };
        if !mesh[a as usize].have_common_corner(&mesh[b as usize]) {
            pairs.push(Pair::new(a, b));
        }
    }
    tell_difference(path, own, pairs);
    Ok(())
}

fn tell_difference(name: &str, own: &[Pair], mut pairs: Vec<Pair>) {
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    pairs.dedup();
    let lacks = |pairs: &[Pair], pair: &Pair| {
        pairs
            .binary_search_by_key(&(pair.a, pair.b), |pair| (pair.a, pair.b))
            .is_err()
    };
    let missing = own.iter().filter(|pair| lacks(&pairs, pair)).count();
    let more = pairs.iter().filter(|pair| lacks(own, pair)).count();
    println!(
        "  {name}: {} pairs without a common corner, {missing} missing, {more} too many",
        pairs.len()
    );
}

/// The mesh as an OFF file: equal corners once, with their exact coordinates.
fn off(mesh: &[Triangle]) -> String {
    let (mut places, mut corners, mut faces) = (HashMap::new(), String::new(), String::new());
    for triangle in mesh {
        faces.push('3');
        for corner in triangle.corners {
            // 0 and -0 are the same number.
            let numbers = corner.to_array().map(|number| f64::from(number + 0.0));
            let next = places.len();
            let place = *places.entry(numbers.map(f64::to_bits)).or_insert_with(|| {
                let [x, y, z] = numbers;
                // Writing to a string does not fail.
                let _ = writeln!(corners, "{x} {y} {z}");
                next
            });
            let _ = write!(faces, " {place}");
        }
        faces.push('\n');
    }
    format!("OFF\n{} {} 0\n{corners}{faces}", places.len(), mesh.len())
}

/// Compares pairs with the reference, in blocks by brute force: one answer from the checker, one
/// from the triangles themselves.
fn verify(checker: &mut Checker, pairs: usize) -> Result<(), String> {
    let blocks = pairs.div_ceil(BLOCK * BLOCK);
    let mut met = [0u64; TRIANGLE_FAMILIES.len()];
    for block in 0..blocks {
        let family = TRIANGLE_FAMILIES[block % TRIANGLE_FAMILIES.len()];
        let [a, b] = [0, 1].map(|side| family.triangles(BLOCK, (2 * block + side) as u64));
        let report = checker
            .check(Query::between(&a, &b))
            .map_err(|problem| problem.to_string())?;
        let found = report.pairs().map_err(|problem| problem.to_string())?;
        let mut expected = Vec::new();
        for (i, own) in a.iter().enumerate() {
            for (j, other) in b.iter().enumerate() {
                let meet = triangles_meet(own, other);
                if meet {
                    expected.push(Pair {
                        a: i as u32,
                        b: j as u32,
                    });
                }
                if own.meets(other) != meet || own.intersection(other).is_some() != meet {
                    return Err(format!("{family:?}: {own:?} and {other:?}: {meet} by the reference"));
                }
                if meet && own.have_common_corner(other) {
                    let meet = triangles_meet_in_mesh(own, other);
                    if own.meets_in_mesh(other) != meet {
                        return Err(format!(
                            "{family:?}: {own:?} and {other:?}: {meet} in a mesh by the reference"
                        ));
                    }
                }
            }
        }
        if found != expected {
            return Err(format!(
                "{family:?}, block {block}: the checker differs from the reference"
            ));
        }
        met[block % TRIANGLE_FAMILIES.len()] += expected.len() as u64;
    }
    println!("{} pairs, no difference", blocks * BLOCK * BLOCK);
    for (family, met) in TRIANGLE_FAMILIES.iter().zip(met) {
        println!("  {:<12} {met:>9} meet", format!("{family:?}"));
    }
    Ok(())
}
