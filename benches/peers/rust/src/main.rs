//! Pairs of boxes and of balls: obbligato compared with other crates and, by the programs of the
//! folder above, with libraries in C and C++.
//!
//! ```text
//! peers [--programs FOLDER] [--count N] [--rounds R] [--threads T] [--markdown] [SCENE]...
//! ```
//!
//! All find the pairs of the same bounds on one thread, and every peer's set of pairs is compared
//! with obbligato's by its size and a sum over its pairs. `--threads` is for obbligato alone.
//! `../README.md` says more.
mod boxes;
mod centers;
mod shifted;
mod tally;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use obbligato::{Backend, Checker, Config, Output};
use obbligato_verify::scenes::{BodyScene, Scene};

use crate::boxes::Boxes;
use crate::centers::Balls;
use crate::shifted::Shifted;
use crate::tally::{Peer, Sum, Times};

const SEED: u64 = 1;

/// A peer that takes this many times as long as obbligato is measured in the first round alone.
const SLOW: f64 = 8.0;

/// Milliseconds from which the run for the sum of pairs is the timed one, too; as in `../boxes.h`.
const LONG: f64 = 3000.0;

/// The programs in C and C++ that find pairs of boxes, with their names in the table.
const OF_BOXES: [(&str, &str); 4] = [
    ("Embree", "embree_pairs"),
    ("CGAL", "cgal_pairs"),
    ("Jolt", "jolt_pairs"),
    ("box3d", "box3d_pairs"),
];
const OF_BALLS: [(&str, &str); 1] = [("nanoflann", "nanoflann_pairs")];

type Problem = Box<dyn std::error::Error>;

struct Plan {
    programs: Option<PathBuf>,
    count: usize,
    rounds: usize,
    threads: usize,
    markdown: bool,
    scenes: Vec<String>,
}

impl Plan {
    fn read() -> Result<Self, Problem> {
        let mut plan = Self {
            programs: None,
            count: 1_000_000,
            rounds: 3,
            threads: 1,
            markdown: false,
            scenes: Vec::new(),
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--programs" => plan.programs = Some(value()?.into()),
                "--count" => plan.count = value()?.parse()?,
                "--rounds" => plan.rounds = value()?.parse()?,
                "--threads" => plan.threads = value()?.parse()?,
                "--markdown" => plan.markdown = true,
                _ if word.starts_with("--") => return Err(format!("unknown argument {word}").into()),
                _ => plan.scenes.push(word),
            }
        }
        if plan.scenes.is_empty() {
            plan.scenes = scenes().map(str::to_owned).collect();
        }
        Ok(plan)
    }

    /// Runs of a peer in each round: more of a small scene.
    fn repeats(&self) -> usize {
        (400_000 / self.count.max(1)).clamp(1, 100)
    }
}

/// The names of the scenes that are measured if none is named.
fn scenes() -> impl Iterator<Item = &'static str> {
    let boxes = Scene::ALL.iter().map(|scene| scene.name());
    boxes.chain(["spheres", "balls", "balls-dense"])
}

fn main() -> Result<(), Problem> {
    let plan = Plan::read()?;
    if plan.scenes == ["scenes"] {
        scenes().for_each(|scene| println!("{scene}"));
        return Ok(());
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(plan.threads)
        .build_global()?;
    let file = std::env::temp_dir().join(format!("peers-{}.bin", std::process::id()));
    let measured = plan.scenes.iter().try_for_each(|scene| measure(&plan, scene, &file));
    fs::remove_file(&file).ok();
    measured
}

/// A row of the table.
struct Row {
    name: &'static str,
    source: Source,
    sum: Option<Sum>,
    times: Vec<Times>,
}

enum Source {
    Crate(Box<dyn Peer>),
    Program(PathBuf),
}

impl Row {
    fn new(name: &'static str, source: Source) -> Self {
        Self {
            name,
            source,
            sum: None,
            times: Vec::new(),
        }
    }

    /// Adds the times of some runs.
    fn run(&mut self, file: &Path, repeats: usize) -> Result<(), Problem> {
        match &mut self.source {
            Source::Crate(peer) => {
                if self.times.is_empty() {
                    let (sum, times) = peer.run(true)?;
                    self.sum = sum;
                    if times.total() > LONG {
                        self.times.push(times);
                        return Ok(());
                    }
                }
                for _ in 0..repeats {
                    self.times.push(peer.run(false)?.1);
                }
            }
            Source::Program(path) => {
                let output = Command::new(&path).arg(file).arg(repeats.to_string()).output()?;
                if !output.status.success() {
                    let said = String::from_utf8_lossy(&output.stderr);
                    return Err(format!("{}: {} {said}", path.display(), output.status).into());
                }
                for line in String::from_utf8(output.stdout)?.lines() {
                    self.read(line)?;
                }
            }
        }
        Ok(())
    }

    /// Reads a line of a program.
    fn read(&mut self, line: &str) -> Result<(), Problem> {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["sum", count, sum] => self.sum = Some(Sum::new(count.parse()?, sum.parse()?)),
            ["time", build, pairs] => self.times.push(Times {
                build: build.parse()?,
                pairs: pairs.parse()?,
            }),
            _ => return Err(format!("{}: {line}", self.name).into()),
        }
        Ok(())
    }
}

fn measure(plan: &Plan, scene: &str, file: &Path) -> Result<(), Problem> {
    let (peers, programs): (Vec<Box<dyn Peer>>, &[(&str, &str)]) = match scene {
        "shifted" => (Shifted::new(plan.count).peers()?, &[]),
        "balls" => (Balls::new(plan.count, 1.0)?.peers(file)?, &OF_BALLS),
        "balls-dense" => (Balls::new(plan.count, 2.5)?.peers(file)?, &OF_BALLS),
        _ => {
            let bodies = scene.parse::<BodyScene>()?.bodies(plan.count, SEED);
            (Boxes::new(bodies).peers(file)?, &OF_BOXES)
        }
    };
    let mut rows: Vec<Row> = peers
        .into_iter()
        .map(|peer| Row::new(peer.name(), Source::Crate(peer)))
        .collect();
    if let Some(folder) = &plan.programs {
        let paths = programs.iter().map(|(name, program)| (*name, folder.join(program)));
        rows.extend(
            paths
                .filter(|(_, path)| path.exists())
                .map(|(name, path)| Row::new(name, Source::Program(path))),
        );
    }
    for round in 0..plan.rounds.max(1) {
        let enough = SLOW * rows[0].times.first().map_or(f64::INFINITY, |own| own.total());
        for row in &mut rows {
            if round == 0 || Summary::of(&row.times).least < enough {
                row.run(file, plan.repeats())?;
            }
        }
    }
    print(plan, scene, &rows);
    Ok(())
}

/// Prints the rows of a scene: the first is what the others are compared with.
fn print(plan: &Plan, scene: &str, rows: &[Row]) {
    let own = rows[0].sum.unwrap_or_default();
    if !plan.markdown {
        println!(
            "\n{scene}: {} bodies, {} pairs of bounds; milliseconds",
            plan.count, own.count
        );
        println!(
            "  {:<12} {:>9} {:>9} {:>9} {:>9}  {:>7}",
            "", "least", "median", "build", "pairs", "ratio"
        );
    }
    let ours = Summary::of(&rows[0].times);
    for row in rows {
        let summary = Summary::of(&row.times);
        let pairs = match row.sum {
            None => String::new(),
            Some(sum) if sum == own => "the same pairs".to_owned(),
            Some(sum) => format!("{:+} pairs", sum.count as i64 - own.count as i64),
        };
        let Summary { least, median, parts } = summary;
        let ratio = median / ours.median;
        if plan.markdown {
            println!(
                "| {scene} | {} | {least:.3} | {median:.3} | {ratio:.2} | {pairs} |",
                row.name
            );
        } else {
            println!(
                "  {:<12} {least:>9.3} {median:>9.3} {:>9.3} {:>9.3}  {ratio:>7.2}  {pairs}",
                row.name, parts.build, parts.pairs
            );
        }
    }
}

/// The minimum and the median total of several runs, and the parts of the fastest one.
struct Summary {
    least: f64,
    median: f64,
    parts: Times,
}

impl Summary {
    fn of(times: &[Times]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_by(|a, b| a.total().total_cmp(&b.total()));
        Self {
            least: sorted[0].total(),
            median: sorted[sorted.len() / 2].total(),
            parts: sorted[0],
        }
    }
}

/// obbligato on the CPU.
fn checker(output: Output) -> Result<Checker, Problem> {
    let config = Config {
        backend: Backend::Cpu,
        output,
        ..Config::default()
    };
    Ok(Checker::new(config)?)
}
