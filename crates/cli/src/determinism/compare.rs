//! Runs every command on every engine, and compares the outputs with those of the first run.

use std::collections::BTreeMap;

use crate::{failure::Failure, table::counted};

use super::engines::Engine;

/// The outputs of a command by name.
pub type Outputs = BTreeMap<String, Vec<u8>>;

/// The runs of one engine.
#[derive(Debug)]
pub struct Group {
    pub engine: Engine,
    /// The number of runs that were compared.
    pub runs: usize,
    /// The number of outputs of each pass over the commands, and of their bytes.
    pub files: usize,
    pub bytes: usize,
    /// A hash of all outputs of the last pass.
    pub digest: u64,
}

/// The first difference.
#[derive(Debug)]
pub struct Difference {
    /// The position of the command.
    pub case: usize,
    /// The run, from 1, and its engine.
    pub run: usize,
    pub engine: Engine,
    /// The engine of the first run, which the others are compared with.
    pub first: Engine,
    /// The name of the output, and a description of the difference.
    pub output: String,
    pub how: String,
    /// The outputs of the first run and of this one.
    pub outputs: [Outputs; 2],
}

/// Runs `count` commands `runs` times on each engine by `run(engine, command, number of the run)`,
/// until outputs differ. Returns the engines whose outputs are equal, and the difference.
pub fn compare(
    engines: &[Engine],
    count: usize,
    runs: usize,
    mut run: impl FnMut(&Engine, usize, usize) -> Result<Outputs, Failure>,
) -> Result<(Vec<Group>, Option<Difference>), Failure> {
    let mut groups = Vec::new();
    let mut expected: Vec<Outputs> = Vec::new();
    for engine in engines {
        let mut group = Group {
            engine: engine.clone(),
            runs: 0,
            files: 0,
            bytes: 0,
            digest: 0,
        };
        for number in 1..=runs {
            let mut digest = Digest::default();
            (group.files, group.bytes) = (0, 0);
            for case in 0..count {
                let found = run(engine, case, number)?;
                group.runs += 1;
                for (name, bytes) in &found {
                    group.files += 1;
                    group.bytes += bytes.len();
                    digest.add(name.as_bytes());
                    digest.add(bytes);
                }
                let Some(first) = expected.get(case) else {
                    expected.push(found);
                    continue;
                };
                if let Some((output, how)) = difference(first, &found) {
                    let difference = Difference {
                        case,
                        run: number,
                        engine: engine.clone(),
                        first: engines[0].clone(),
                        output,
                        how,
                        outputs: [first.clone(), found],
                    };
                    return Ok((groups, Some(difference)));
                }
            }
            group.digest = digest.0;
        }
        groups.push(group);
    }
    Ok((groups, None))
}

/// Returns the name of the first output that differs, and a description of the difference.
fn difference(expected: &Outputs, found: &Outputs) -> Option<(String, String)> {
    let mut names = expected
        .keys()
        .chain(found.keys().filter(|name| !expected.contains_key(*name)));
    names.find_map(|name| {
        let how = match (expected.get(name), found.get(name)) {
            (Some(expected), Some(found)) => bytes_differ(name, expected, found)?,
            (Some(_), None) => "it is missing".to_owned(),
            (None, _) => "the first run has no such file".to_owned(),
        };
        Some((name.clone(), how))
    })
}

/// Describes the first difference of two outputs of this name.
fn bytes_differ(name: &str, expected: &[u8], found: &[u8]) -> Option<String> {
    if expected == found {
        return None;
    }
    let equal = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
    let line = match name.ends_with(".csv") {
        true => format!(
            ", in line {}",
            1 + expected[..equal].iter().filter(|&&byte| byte == b'\n').count()
        ),
        false => String::new(),
    };
    let lengths = match expected.len() == found.len() {
        true => String::new(),
        false => format!(
            ", and it has {} instead of {}",
            counted(found.len() as u64, "byte", "bytes"),
            counted(expected.len() as u64, "byte", "bytes")
        ),
    };
    Some(format!("byte {} differs{line}{lengths}", equal + 1))
}

/// The hash FNV-1a: Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm".
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        const PRIME: u64 = 0x0000_0100_0000_01B3;
        self.0 = bytes
            .iter()
            .fold(self.0, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGINES: [Engine; 2] = [
        Engine::Cpu { threads: 1, lanes: 4 },
        Engine::Cpu { threads: 8, lanes: 4 },
    ];

    /// Compares 2 commands of 2 outputs in 3 runs on 2 engines, of which `spoil` changes some.
    fn spoiled(spoil: impl Fn(&mut Outputs, &Engine, usize, usize)) -> (Vec<Group>, Option<Difference>) {
        let run = |engine: &Engine, case: usize, number: usize| {
            let output = |name: &str| (name.to_owned(), format!("{case}\n{name}\n").into_bytes());
            let mut outputs = Outputs::from(["a.csv", "b.npy"].map(output));
            spoil(&mut outputs, engine, case, number);
            Ok(outputs)
        };
        compare(&ENGINES, 2, 3, run).expect("every run succeeds")
    }

    #[test]
    fn equal_outputs_pass() {
        let (groups, difference) = spoiled(|_, _, _, _| ());
        assert!(difference.is_none());
        assert_eq!(groups.len(), 2);
        assert!(
            groups
                .iter()
                .all(|group| (group.runs, group.files, group.bytes) == (6, 4, 32))
        );
        assert_eq!(groups[0].digest, groups[1].digest);
    }

    #[test]
    fn one_byte_of_one_run_is_noticed() {
        let (groups, difference) = spoiled(|outputs, engine, case, number| {
            if (engine, case, number) == (&ENGINES[1], 1, 3) {
                outputs.get_mut("b.npy").expect("it is there")[4] ^= 1;
            }
        });
        let difference = difference.expect("a difference");
        assert_eq!(groups.len(), 1, "the first engine passes");
        assert_eq!(
            (difference.case, difference.run, &difference.engine),
            (1, 3, &ENGINES[1])
        );
        assert_eq!(difference.output, "b.npy");
        assert_eq!(difference.how, "byte 5 differs");
    }

    #[test]
    fn lost_new_and_short_outputs_are_noticed() {
        let last = |engine: &Engine, number| engine == &ENGINES[1] && number == 3;
        let how = |spoil: fn(&mut Outputs)| {
            let (_, difference) = spoiled(|outputs, engine, _, number| {
                if last(engine, number) {
                    spoil(outputs);
                }
            });
            difference.expect("a difference").how
        };
        assert_eq!(how(|outputs| drop(outputs.remove("a.csv"))), "it is missing");
        assert_eq!(
            how(|outputs| drop(outputs.insert("c.csv".into(), Vec::new()))),
            "the first run has no such file"
        );
        assert_eq!(
            how(|outputs| outputs.get_mut("a.csv").expect("it is there").truncate(3)),
            "byte 4 differs, in line 2, and it has 3 bytes instead of 8 bytes"
        );
    }

    /// Outputs that depend on the number of the run, as those of a program that is not
    /// deterministic.
    #[test]
    fn different_outputs_of_the_second_run_are_noticed() {
        let (groups, difference) = spoiled(|outputs, _, _, number| {
            outputs.insert("time".into(), number.to_string().into_bytes());
        });
        let difference = difference.expect("a difference");
        assert!(groups.is_empty());
        assert_eq!(
            (difference.case, difference.run, &difference.engine),
            (0, 2, &ENGINES[0])
        );
    }
}
