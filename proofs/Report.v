(** * What is proved, and on which axioms. *)

Require Import Reals.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Overlap Parallel
  Overlapping Rounding Constants Axes Rule Shader Filter Answers Cpu64 Cpu32 Upright UprightShader
  UprightCpu Bounds Grid.

Open Scope R_scope.

Check F_is_n_s_f.
Print Assumptions F_is_n_s_f.
Check positive_F_separates.
Print Assumptions positive_F_separates.
Check fifteen_axes.
Print Assumptions fifteen_axes.
Check no_positive_F_collides.
Print Assumptions no_positive_F_collides.
Check parallel_edges.
Print Assumptions parallel_edges.
Check negative_or_rule_overlaps.
Print Assumptions negative_or_rule_overlaps.
Check rewriting_error.
Print Assumptions rewriting_error.
Check F_change.
Print Assumptions F_change.
Check f32_shader_separated.
Print Assumptions f32_shader_separated.
Check f32_shader_overlapping.
Print Assumptions f32_shader_overlapping.
Check cpu_f64_separated.
Print Assumptions cpu_f64_separated.
Check cpu_f64_overlapping.
Print Assumptions cpu_f64_overlapping.
Check cpu_f32_separated.
Print Assumptions cpu_f32_separated.
Check cpu_f32_overlapping.
Print Assumptions cpu_f32_overlapping.
Check five_axes.
Print Assumptions five_axes.
Check five_negative_overlap.
Print Assumptions five_negative_overlap.
Check f32_upright_separated.
Print Assumptions f32_upright_separated.
Check f32_upright_overlapping.
Print Assumptions f32_upright_overlapping.
Check cpu_f32_upright_separated.
Print Assumptions cpu_f32_upright_separated.
Check cpu_f32_upright_overlapping.
Print Assumptions cpu_f32_upright_overlapping.
Check bounds_contain.
Print Assumptions bounds_contain.
Check bounds_overlap.
Print Assumptions bounds_overlap.
Check walk_visits.
Print Assumptions walk_visits.
Check found_once.
Print Assumptions found_once.
