(** * What is proved, and on which axioms. *)

Require Import Rbase Rfunctions.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Overlap Parallel
  Overlapping Rounding Flushing Constants Axes Rule Shader Filter Answers Cpu64 Cpu32 Upright UprightShader
  UprightCpu Bounds Grid Counts Written Wide Integers MachineWidths Scaling Widths Exact
  Levels Folds Tree Touching Interiors LastStage
  Aligned Sums Staged Margins Distances MarginWidths
  Round Squares Balls Witnesses Directions Seen Segments RoundBox Fits
  CapsUpright CapsUprightCpu CapsBounds CapsRound TwoSum Caps Shader64 Caps64 BoundsCpu RoundBounds Orders RoundExact RoundWidths
  BoxBallExact AlignedMargins
  SegmentBox Numbers Decided BoxCapsuleExact NearNumbers
  Products Around Machines Swept Images Rescaled
  Halves Nodes.

Open Scope R_scope.

Check F_is_n_s_f.
Check positive_F_separates.
Check fifteen_axes.
Check no_positive_F_collides.
Check parallel_edges.
Check negative_or_rule_overlaps.
Check rewriting_error.
Check length_rewriting_error.
Check F_change.
Check f32_shader_separated.
Check f32_shader_overlapping.
Check cpu_f64_separated.
Check cpu_f64_overlapping.
Check apart_f64_separated.
Check apart_f64_overlapping.
Check left_out_apart_is_settled.
Check shader_f64_separated.
Check shader_f64_overlapping.
Check halves_are.
Check f64_terms.
Check sum_terms_f64.
Check rule_terms_f64.
Check distance_terms_f64.
Check written_c_f64.
Check written_t_f64.
Check written_distances_f64.
Check written_sums_f64.
Check written_rule_f64.
Check cpu_f32_separated.
Check cpu_f32_overlapping.
Check five_axes.
Check five_negative_overlap.
Check f32_upright_separated.
Check f32_upright_overlapping.
Check cpu_f32_upright_separated.
Check cpu_f32_upright_overlapping.
Check written_upright_run.
Check written_upright_distances.
Check written_upright_answers.
Check written_upright_run32.
Check written_upright_distances32.
Check written_upright_f32.
Check bounds_contain.
Check walk_visits.
Check found_once.
Check written_run.
Check written_distances.
Check rule_terms.
Check written_sums.
Check written_rule.
Check written_sine.
Check written_f64.
Check written_f32.
Check written_distances32.
Check zero_walk_visits.
Check walk_is_short.
Check half_walk_is.
Check levels_find_once.
Check slot_is.
Check row_is_a_run.
Check slot_in_table.
Check plain_slots_differ.
Check row_end_is.
Check key_names_row.
Check home_cell_is.
Check walk_finds.
Check walk_of_record.
Check tree_finds_once.
Check stands_is.
Check add_stands.
Check sub_stands.
Check neg_stands.
Check mul_stands.
Check times_stands.
Check sign_is.
Check abs_stands.
Check shifted_stands.
Check product_fits.
Check product_stands.
Check compare_products_is.
Check tiny_turns_fit.
Check short_turns_fit.
Check parallel_turns_fit.
Check tiny_products_fit.
Check short_products_fit.
Check parallel_products_fit.
Check long_fits.
Check parallel_long_fits.
Check turned_fits.
Check parallel_turned_fits.
Check guards.
Check widest.
Check wide_sign.
Check turned_sign.
Check exact_sign.
Check exact_separated.
Check exact_collide.
Check grain_holds.
Check length_bits.
Check grain64_holds.
Check length_bits64.
Check turn_grain.
Check wide_parallel_sign.
Check entry_sign.
Check separated_is.
Check touching_is.
Check overlapping_is.
Check largest_is_true.
Check one_rotation_is_true.
Check left_out_is_settled.
Check staged_answer.
Check staged_parallel_answer.
Check wide_answer.
Check wide_parallel_answer.
Check inner_point_overlaps.
Check interiors_meet.
Check aligned_is_true.
Check gap_sign.
Check lane_sign.
Check difference_sign.
Check rest_is_number.
Check stored_gap_sign.
Check stored_lane_sign.
Check largest_of_three.
Check nearest_exists.
Check features_are_enough.
Check three_kinds.
Check point_to_box.
Check point_to_segment.
Check segments_are.
Check near_in_frame.
Check within_is.
Check aligned_within_is.
Check coordinates_most.
Check sizes_most.
Check squares_fit.
Check point_fits.
Check segments_fit.
Check meets_fit.
Check margin_fits.
Check margin_widest.
Check aligned_margin_fits.
Check point_square_scaled.
Check apart_is_beyond.
Check apart_is_separated.
Check closer_is_near.
Check closer_is_overlap.
Check square_error.
Check balls_separated.
Check balls_overlapping.
Check segments_separated.
Check segments_overlapping.
Check round_box_separated.
Check round_box_overlapping.
Check written_reach.
Check written_balls.
Check written_direction.
Check written_along.
Check written_segments.
Check written_segments_error.
Check written_segments_apart.
Check written_closer.
Check written_round_box.
Check written_box_error.
Check written_inside.
Check written_box_apart.
Check two_sum.
Check parts_have_the_sum.
Check widened_holds.
Check bounds_contain_within.
Check cpu_bounds_contain.
Check cpu_bounds_contain_within.
Check half_margins_are_enough.
Check box_bounded.
Check cpu_box_bounded.
Check ball_bounded.
Check ball_in_grid_bounded.
Check capsule_bounded.
Check all_bounds_overlap.
Check meeting_bounds_overlap.
Check written_box_bounds.
Check written_ball_bounds.
Check written_capsule_bounds.
Check point_order_decides.
Check segments_order_decides.
Check cores_order_decides.
Check says_of_bodies.
Check cores_order_stands.
Check balls_answer.
Check rounds_answer.
Check balls_fit.
Check rounds_most.
Check rounds_fit.
Check box_ball_answer.
Check box_ball_fits.
Check aligned_margin_answer.
Check meets_is.
Check apart_features.
Check segment_box_order_decides.
Check cores_decided.
Check segment_to_box_decided.
Check balls_decided.
Check rounds_decided.
Check box_decided.
Check near_features.
Check feature_decided.
Check aligned_decided.
Check box_capsule_answer.
Check margin_answer.
Check box_capsule_most.
Check box_capsule_fits.
Check box_capsule_widest.
Check near_add_sound.
Check near_mul_sound.
Check near_sign_sound.
Check near_sound.
Check exact_stands.
Check error_is_lost.
Check parts_stand.
Check dekker.
Check product_loses.
Check lost_above.
Check near_f64_sound.
Check around_contains.
Check around_apart.
Check around_reach.
Check least_is_enough.
Check around_bounded.
Check machine_is.
Check tiny_answer.
Check short_answer.
Check turned_answer.
Check tiny_parallel_answer.
Check turned_parallel_answer.
Check swept_decided.
Check swept_box_decided.
Check swept_fits.
Check swept_box_fits.
Check image_found.
Check image_found_once.
Check image_is_tried.
Check place_is_near_cell.
Check places_are_near.
Check enough_for_places.
Check moved_bounded.
Check moved_corner_holds.
Check rescaled_exactly.
Check rescaled_in_f64.
Check larger_collide.
Check larger_touching.
Check unites_ends.
Check unites_all.
Check unites_existing.
Check node_holds.

(** What the theorems about whole numbers rest on, and the others. All of a kind are printed together:
  for each on its own this takes minutes. A tuple would repeat the types of all that follow. *)

Notation "'all' ( x , .. , y )" := (let _ := x in .. (let _ := y in I) ..) (at level 0, x at level 99, y at level 99).

Definition about_whole_numbers := all
  (found_once, half_walk_is, levels_find_once, slot_is, row_is_a_run, slot_in_table,
   plain_slots_differ, row_end_is, key_names_row, home_cell_is, walk_finds, walk_of_record,
   tree_finds_once, stands_is, add_stands, sub_stands, neg_stands, mul_stands, times_stands,
   sign_is, abs_stands, shifted_stands, product_fits, product_stands, compare_products_is,
   tiny_turns_fit, short_turns_fit, parallel_turns_fit, tiny_products_fit, short_products_fit,
   parallel_products_fit, long_fits, parallel_long_fits, turned_fits, parallel_turned_fits, guards,
   widest, wide_sign, turned_sign, grain_holds, length_bits, grain64_holds, length_bits64,
   turn_grain, wide_parallel_sign, entry_sign, coordinates_most, sizes_most, squares_fit, point_fits, segments_fit, meets_fit,
   margin_fits, margin_widest, aligned_margin_fits, balls_fit, rounds_most, rounds_fit,
   box_ball_fits, box_capsule_most, box_capsule_fits, box_capsule_widest, machine_is,
   swept_fits, swept_box_fits, unites_ends, unites_all, unites_existing, node_holds).

Print Assumptions about_whole_numbers.

Definition about_real_numbers := all
  (F_is_n_s_f, positive_F_separates, fifteen_axes, no_positive_F_collides, parallel_edges,
   negative_or_rule_overlaps, rewriting_error, length_rewriting_error, F_change,
   f32_shader_separated, f32_shader_overlapping, cpu_f64_separated, cpu_f64_overlapping,
   apart_f64_separated, apart_f64_overlapping, left_out_apart_is_settled, written_sums,
   written_rule, shader_f64_separated, shader_f64_overlapping, halves_are, f64_terms,
   rule_terms_f64, distance_terms_f64, written_c_f64, written_t_f64, written_distances_f64,
   written_sums_f64, written_rule_f64, written_sine, written_f64, written_f32,
   written_distances32, cpu_f32_separated, cpu_f32_overlapping, five_axes, five_negative_overlap,
   f32_upright_separated, f32_upright_overlapping, cpu_f32_upright_separated,
   cpu_f32_upright_overlapping, bounds_contain, walk_visits, written_run, written_distances,
   rule_terms, zero_walk_visits, walk_is_short, exact_sign, exact_separated, exact_collide,
   separated_is, touching_is, overlapping_is, largest_is_true, one_rotation_is_true,
   left_out_is_settled, staged_answer, staged_parallel_answer, wide_answer, wide_parallel_answer,
   inner_point_overlaps, interiors_meet, aligned_is_true, gap_sign, lane_sign, largest_of_three,
   nearest_exists, features_are_enough, three_kinds, point_to_box, point_to_segment,
   segments_are, near_in_frame, within_is, aligned_within_is, point_square_scaled,
   apart_is_beyond, apart_is_separated, closer_is_near, closer_is_overlap, square_error,
   balls_separated, balls_overlapping, segments_separated, segments_overlapping,
   round_box_separated, round_box_overlapping, sum_terms_f64, written_upright_run,
   written_upright_distances, written_upright_answers, written_upright_run32,
   written_upright_distances32, written_upright_f32, written_box_bounds, written_ball_bounds,
   written_capsule_bounds, written_reach, written_balls, written_direction, written_along,
   written_segments, written_segments_error, written_segments_apart, written_closer,
   written_round_box, written_box_error, written_inside, written_box_apart, difference_sign,
   rest_is_number, stored_gap_sign, stored_lane_sign, two_sum, parts_have_the_sum, widened_holds,
   bounds_contain_within, cpu_bounds_contain, cpu_bounds_contain_within, half_margins_are_enough,
   box_bounded, cpu_box_bounded, ball_bounded, ball_in_grid_bounded, capsule_bounded,
   all_bounds_overlap, meeting_bounds_overlap, point_order_decides, segments_order_decides,
   cores_order_decides, says_of_bodies, cores_order_stands, balls_answer, rounds_answer,
   box_ball_answer, aligned_margin_answer, meets_is, apart_features, segment_box_order_decides,
   cores_decided, segment_to_box_decided, balls_decided, rounds_decided, box_decided,
   near_features, feature_decided, aligned_decided, box_capsule_answer, margin_answer,
   near_add_sound, near_mul_sound, near_sign_sound, near_sound, exact_stands, error_is_lost,
   parts_stand, dekker, product_loses, lost_above, near_f64_sound, around_contains, around_apart,
   around_reach, least_is_enough, around_bounded, tiny_answer, short_answer, turned_answer,
   tiny_parallel_answer, turned_parallel_answer, swept_decided, swept_box_decided, image_found,
   image_found_once, image_is_tried, place_is_near_cell, places_are_near, enough_for_places, moved_bounded,
   moved_corner_holds, rescaled_exactly, rescaled_in_f64,
   larger_collide, larger_touching).

Print Assumptions about_real_numbers.
