(** * The constants of the sources, which tests/it/proofs.rs compares with these. *)

Require Import Rbase Rfunctions.
Open Scope R_scope.

(** [sat.wgsl]: the unit of rounding, the smallest normal number, K_T, K_G, and A, which is for
    flushed numbers. *)
Definition u : R := 1 / 2 ^ 23.
Definition phi : R := 1 / 2 ^ 126.
Definition K_T : R := 92.
Definition K_G : R := 72.
Definition A : R := 1 / 2 ^ 118.

(** The rule for parallel edges: [obb_sat.wgsl]. *)
Definition KAPPA : R := 1.16.

(** The shader in f64: [obb_sat_f64.wgsl]. *)
Definition ERROR_PER_SIZE : R := 1 / 2 ^ 35.

(** The CPU in f64: E = ERROR_FACTOR 2^-52 Z. *)
Definition ERROR_FACTOR : R := 48.

(** The CPU in f32: its unit of rounding is half that of shaders. *)
Definition DISTANCE_ERROR : R := 44.
Definition RADIUS_ERROR : R := 34.

(** Bounds: [obb_bounds.wgsl]. *)
Definition EXTENT_ERROR : R := 1 / 2 ^ 18.
Definition CENTER_ERROR : R := 1 / 2 ^ 22.
Definition ABSOLUTE_ERROR : R := 1 / 2 ^ 100.
Definition MARGIN_ERROR : R := 1 / 2 ^ 19.
Definition MARGIN_FLUSH : R := 1 / 2 ^ 120.

(** The grid: [src/broad_phase/grid/layout.rs]. *)
Definition BASE_SLACK : R := 1 / 2 ^ 10.
Definition SLACK_PER_CELL : R := 1 / 2 ^ 20.

(** Balls, capsules, and boxes with either: [round/filter.rs]. *)
Definition SPHERES_ERROR : R := 15.
Definition SEGMENTS_ERROR : R := 32.
Definition BOX_ERROR : R := 76.
Definition FLUSH_SQUARE : R := 1 / 2 ^ 118.
Definition FLUSH_LENGTH : R := 1 / 2 ^ 60.
