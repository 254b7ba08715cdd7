//! The grounds of a verification: statements that hold by proof, with its assumptions, and those
//! that hold by comparison on this machine.

use obbligato::report::Engine;
use obbligato_files::SceneFile;
use serde_json::{Value, json};

use super::Outcome;
use crate::{args::verify::VerifyArguments, table::bodies};

/// Why a statement holds.
pub(super) enum By {
    /// These theorems of the folder `proofs`, if the assumption holds.
    Proof {
        theorems: &'static [&'static str],
        assuming: &'static str,
    },
    /// A comparison, of all bodies or a sample.
    Comparison(String),
}

/// A statement about the answers, and why it holds.
pub(super) struct Ground {
    pub statement: &'static str,
    pub by: By,
}

/// The statements about boxes whose theorems do not depend on the backend.
const OF_BOXES: [Ground; 3] = [
    Ground {
        statement: "15 axes decide whether two boxes collide, and 5 whether upright boxes do",
        by: By::Proof {
            theorems: &[
                "F_is_n_s_f",
                "positive_F_separates",
                "fifteen_axes",
                "five_axes",
                "parallel_edges",
            ],
            assuming: "nothing about the machine",
        },
    },
    Ground {
        statement: "the exact stage distinguishes separated, touching and overlapping boxes, by integers that have \
                    enough words for all valid boxes",
        by: By::Proof {
            theorems: &[
                "separated_is",
                "touching_is",
                "overlapping_is",
                "exact_sign",
                "wide_sign",
                "widest",
                "wide_answer",
                "wide_parallel_answer",
                "aligned_is_true",
            ],
            assuming: "that the processor adds, multiplies and shifts words as integers, and rounds as IEEE 754 says",
        },
    },
    Ground {
        statement: "a walk of the grid or of the linear tree finds each pair of boxes with overlapping bounds once",
        by: By::Proof {
            theorems: &["walk_visits", "found_once", "levels_find_once", "tree_finds_once"],
            assuming: "that the table is sorted, and that bounds of nodes contain those below them",
        },
    },
];

/// The statement about the arithmetic of a GPU.
const GPU: Ground = Ground {
    statement: "boxes that the GPU's f32 separates are apart, those that it finds overlapping do, and bounds contain \
                their boxes",
    by: By::Proof {
        theorems: &[
            "f32_shader_separated",
            "f32_shader_overlapping",
            "f32_upright_separated",
            "f32_upright_overlapping",
            "bounds_contain",
            "bounds_overlap",
        ],
        assuming: "that the driver rounds each operation to a neighbour of its result, and rewrites formulas \
                   only as arithmetic allows",
    },
};

/// The statement about the arithmetic of the CPU.
const CPU: Ground = Ground {
    statement: "boxes that the CPU's f32 or f64 separates are apart, and those that it finds overlapping do",
    by: By::Proof {
        theorems: &[
            "cpu_f32_separated",
            "cpu_f32_overlapping",
            "cpu_f32_upright_separated",
            "cpu_f32_upright_overlapping",
            "cpu_f64_separated",
            "cpu_f64_overlapping",
        ],
        assuming: "that the processor rounds as IEEE 754 says",
    },
};

impl Outcome<'_> {
    /// Returns what the answers of this scene and backend rest on, proofs first.
    pub(super) fn grounds(&self, scene: &SceneFile, arguments: &VerifyArguments) -> Vec<Ground> {
        let mut grounds = Vec::new();
        // The proofs are about boxes in f32 in space that does not repeat.
        let has_proofs = !scene.boxes.is_empty() && scene.centers.is_none() && arguments.period.is_none();
        if has_proofs {
            grounds.extend(OF_BOXES);
            if matches!(self.own.engine, Engine::Gpu { .. }) {
                grounds.push(GPU);
            }
            grounds.push(CPU);
        }
        let [_, many] = bodies(scene);
        let extent = self.verdict().extent();
        let mut compared = |statement, with| {
            grounds.push(Ground {
                statement,
                by: By::Comparison(format!("with {with}")),
            });
        };
        if self.failed().is_none() {
            compared(
                "the partners of each body compared are right, whatever its shape",
                format!("a reference that shares no code with the backends: {extent} {many}"),
            );
            if self.twin.is_some() {
                compared(
                    "the GPU finds the same pairs as the CPU",
                    format!("all pairs of both: {}", self.own.pairs.len()),
                );
            }
        }
        grounds
    }
}

impl Ground {
    /// Returns why it holds, and on which assumption.
    pub fn why(&self) -> [String; 2] {
        match &self.by {
            By::Proof { theorems, assuming } => [
                format!("proof: {}", theorems.join(", ")),
                format!("assuming {assuming}"),
            ],
            By::Comparison(with) => ["comparison".to_owned(), with.clone()],
        }
    }

    pub fn json(&self) -> Value {
        match &self.by {
            By::Proof { theorems, assuming } => json!({
                "statement": self.statement,
                "by": "proof",
                "theorems": theorems,
                "assuming": assuming,
            }),
            By::Comparison(with) => json!({
                "statement": self.statement,
                "by": "comparison",
                "compared": with,
            }),
        }
    }
}
