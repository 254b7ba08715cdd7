(** * What is proved, and on which axioms. *)

Require Import Reals.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Overlap Parallel
  Overlapping Rounding Flushing Constants Axes Rule Shader Filter Answers Cpu64 Cpu32 Upright UprightShader
  UprightCpu Bounds Grid Counts Written Wide Integers MachineWidths Scaling Widths Exact
  Levels Folds Tree Touching Interiors LastStage
  Aligned Staged Margins Distances MarginWidths.

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
Check length_rewriting_error.
Print Assumptions length_rewriting_error.
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
Check written_run.
Print Assumptions written_run.
Check written_distances.
Print Assumptions written_distances.
Check rule_terms.
Print Assumptions rule_terms.
Check zero_walk_visits.
Print Assumptions zero_walk_visits.
Check walk_is_short.
Print Assumptions walk_is_short.
Check half_walk_is.
Print Assumptions half_walk_is.
Check levels_find_once.
Print Assumptions levels_find_once.
Check slot_is.
Print Assumptions slot_is.
Check row_is_a_run.
Print Assumptions row_is_a_run.
Check slot_in_table.
Print Assumptions slot_in_table.
Check plain_slots_differ.
Print Assumptions plain_slots_differ.
Check row_end_is.
Print Assumptions row_end_is.
Check key_names_row.
Print Assumptions key_names_row.
Check home_cell_is.
Print Assumptions home_cell_is.
Check walk_finds.
Print Assumptions walk_finds.
Check walk_of_record.
Print Assumptions walk_of_record.
Check tree_finds_once.
Print Assumptions tree_finds_once.
Check stands_is.
Print Assumptions stands_is.
Check add_stands.
Print Assumptions add_stands.
Check sub_stands.
Print Assumptions sub_stands.
Check neg_stands.
Print Assumptions neg_stands.
Check mul_stands.
Print Assumptions mul_stands.
Check times_stands.
Print Assumptions times_stands.
Check sign_is.
Print Assumptions sign_is.
Check abs_stands.
Print Assumptions abs_stands.
Check shifted_stands.
Print Assumptions shifted_stands.
Check product_fits.
Print Assumptions product_fits.
Check product_stands.
Print Assumptions product_stands.
Check compare_products_is.
Print Assumptions compare_products_is.
Check tiny_turns_fit.
Print Assumptions tiny_turns_fit.
Check short_turns_fit.
Print Assumptions short_turns_fit.
Check parallel_turns_fit.
Print Assumptions parallel_turns_fit.
Check tiny_products_fit.
Print Assumptions tiny_products_fit.
Check short_products_fit.
Print Assumptions short_products_fit.
Check parallel_products_fit.
Print Assumptions parallel_products_fit.
Check long_fits.
Print Assumptions long_fits.
Check parallel_long_fits.
Print Assumptions parallel_long_fits.
Check turned_fits.
Print Assumptions turned_fits.
Check parallel_turned_fits.
Print Assumptions parallel_turned_fits.
Check guards.
Print Assumptions guards.
Check widest.
Print Assumptions widest.
Check wide_sign.
Print Assumptions wide_sign.
Check turned_sign.
Print Assumptions turned_sign.
Check exact_sign.
Print Assumptions exact_sign.
Check exact_separated.
Print Assumptions exact_separated.
Check exact_collide.
Print Assumptions exact_collide.
Check grain_holds.
Print Assumptions grain_holds.
Check length_bits.
Print Assumptions length_bits.
Check turn_grain.
Print Assumptions turn_grain.
Check wide_parallel_sign.
Print Assumptions wide_parallel_sign.
Check entry_sign.
Print Assumptions entry_sign.
Check separated_is.
Print Assumptions separated_is.
Check touching_is.
Print Assumptions touching_is.
Check overlapping_is.
Print Assumptions overlapping_is.
Check largest_is_true.
Print Assumptions largest_is_true.
Check one_rotation_is_true.
Print Assumptions one_rotation_is_true.
Check left_out_is_settled.
Print Assumptions left_out_is_settled.
Check staged_answer.
Print Assumptions staged_answer.
Check staged_parallel_answer.
Print Assumptions staged_parallel_answer.
Check wide_answer.
Print Assumptions wide_answer.
Check wide_parallel_answer.
Print Assumptions wide_parallel_answer.
Check inner_point_overlaps.
Print Assumptions inner_point_overlaps.
Check interiors_meet.
Print Assumptions interiors_meet.
Check aligned_is_true.
Print Assumptions aligned_is_true.
Check gap_sign.
Print Assumptions gap_sign.
Check lane_sign.
Print Assumptions lane_sign.
Check largest_of_three.
Print Assumptions largest_of_three.
Check nearest_exists.
Print Assumptions nearest_exists.
Check features_are_enough.
Print Assumptions features_are_enough.
Check three_kinds.
Print Assumptions three_kinds.
Check point_to_box.
Print Assumptions point_to_box.
Check point_to_segment.
Print Assumptions point_to_segment.
Check segments_are.
Print Assumptions segments_are.
Check near_in_frame.
Print Assumptions near_in_frame.
Check within_is.
Print Assumptions within_is.
Check aligned_within_is.
Print Assumptions aligned_within_is.
Check coordinates_most.
Print Assumptions coordinates_most.
Check sizes_most.
Print Assumptions sizes_most.
Check squares_fit.
Print Assumptions squares_fit.
Check point_fits.
Print Assumptions point_fits.
Check segments_fit.
Print Assumptions segments_fit.
Check meets_fit.
Print Assumptions meets_fit.
Check margin_fits.
Print Assumptions margin_fits.
Check margin_widest.
Print Assumptions margin_widest.
Check aligned_margin_fits.
Print Assumptions aligned_margin_fits.
Check point_square_scaled.
Print Assumptions point_square_scaled.
