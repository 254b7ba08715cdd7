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
                "two_sum",
            ],
            assuming: "that the processor adds, multiplies and shifts words as integers, and rounds as IEEE 754 says",
        },
    },
    Ground {
        statement: "a walk of the grid or of the linear tree finds each pair of boxes with overlapping bounds once",
        by: By::Proof {
            theorems: &[
                "walk_visits",
                "found_once",
                "levels_find_once",
                "tree_finds_once",
                "node_holds",
            ],
            assuming: "that the table is sorted, and that the nodes are a tree over the records",
        },
    },
];

/// The assumption of the theorems about the arithmetic of a GPU.
const DRIVER: &str = "that the driver rounds each operation to a neighbour of its result, and rewrites formulas only \
                      as arithmetic allows";

/// The assumption of those about the arithmetic of the CPU.
const PROCESSOR: &str = "that the processor rounds as IEEE 754 says";

/// The statement about the arithmetic of a GPU.
const GPU: Ground = Ground {
    statement: "boxes that the GPU's f32 or f64 separates are apart, and those that it finds overlapping do",
    by: By::Proof {
        theorems: &[
            "f32_shader_separated",
            "f32_shader_overlapping",
            "f32_upright_separated",
            "f32_upright_overlapping",
            "shader_f64_separated",
            "shader_f64_overlapping",
        ],
        assuming: DRIVER,
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
        assuming: PROCESSOR,
    },
};

/// The statement about spheres and capsules. The theorems are about shaders and the CPU.
const fn of_round(assuming: &'static str) -> Ground {
    Ground {
        statement: "spheres and capsules that f32 separates from each other or from boxes are apart, and those that \
                    it finds overlapping do",
        by: By::Proof {
            theorems: &[
                "balls_separated",
                "balls_overlapping",
                "segments_separated",
                "segments_overlapping",
                "round_box_separated",
                "round_box_overlapping",
            ],
            assuming,
        },
    }
}

/// The statement about the exact stage of spheres and capsules.
const EXACT_ROUND: Ground = Ground {
    statement: "the integers that decide last distinguish separated, touching and overlapping pairs of spheres, \
                capsules and boxes, and have enough words for all that are valid",
    by: By::Proof {
        theorems: &[
            "cores_order_decides",
            "says_of_bodies",
            "balls_answer",
            "rounds_answer",
            "balls_fit",
            "rounds_most",
            "rounds_fit",
            "box_ball_answer",
            "box_ball_fits",
            "box_capsule_answer",
            "box_capsule_most",
            "box_capsule_fits",
        ],
        assuming: "that the processor adds, multiplies and shifts words as integers",
    },
};

/// The statement about bounds. The theorems are about shaders and the CPU.
const fn of_bounds(assuming: &'static str) -> Ground {
    Ground {
        statement: "bounds contain their boxes, spheres and capsules, so those of two that meet overlap",
        by: By::Proof {
            theorems: &[
                "box_bounded",
                "cpu_box_bounded",
                "ball_bounded",
                "ball_in_grid_bounded",
                "capsule_bounded",
                "meeting_bounds_overlap",
            ],
            assuming,
        },
    }
}

impl Outcome<'_> {
    /// Returns what the answers of this scene and backend rest on, proofs first.
    pub(super) fn grounds(&self, scene: &SceneFile, arguments: &VerifyArguments) -> Vec<Ground> {
        let mut grounds = Vec::new();
        let (has_boxes, has_round) = (!scene.boxes.is_empty(), scene.boxes.len() < scene.len());
        // The proofs are about bodies in f32 in space that does not repeat.
        if !scene.is_empty() && scene.centers.is_none() && arguments.period.is_none() {
            let on_gpu = matches!(self.own.engine, Engine::Gpu { .. });
            let assuming = if on_gpu { DRIVER } else { PROCESSOR };
            if has_boxes {
                grounds.extend(OF_BOXES);
                if on_gpu {
                    grounds.push(GPU);
                }
                grounds.push(CPU);
            }
            if has_round {
                grounds.extend([EXACT_ROUND, of_round(assuming)]);
            }
            grounds.push(of_bounds(assuming));
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
