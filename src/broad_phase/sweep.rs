//! Sort and sweep: bounds are sorted along an axis, and each is compared with those that begin
//! before it ends (Baraff, "Dynamic Simulation of Non-Penetrating Rigid Bodies", 1992), in strips
//! of a second axis (Tracy, Buss and Woods, "Efficient Large-Scale Sweep and Prune Methods with
//! AABB Insertion and Removal", 2009, divide space likewise). On the CPU only.
//!
//! On one axis, each of a million boxes in space, with a handful of neighbours each, overlaps ten
//! thousand others: the plain method takes O(n^(5/3)) in such a scene. Bounds are therefore sorted
//! in two steps. The *second* axis cuts each world into *strips* with about equal numbers of boxes,
//! by the beginning of each box on it. Within a strip, boxes are sorted by their beginnings on the
//! *first* axis. Boxes that are compared overlap on the first axis and, except for the width of a
//! strip, on the second: O(n^(4/3)) in that scene.
//!
//! # Why each pair is found exactly once
//!
//! Every box is stored once, in the strip in which it begins, and strips ascend: a box in a later
//! strip begins no earlier on the second axis. Of two boxes of one world, the *earlier* one is that
//! whose strip comes first, or that which is sorted first if both are in one strip. Only the
//! earlier box looks for the other.
//!
//! - In its own strip it is compared with the boxes after it, up to the first that begins beyond
//!   its end on the first axis. All boxes after that one begin further on, too.
//! - In a later strip it is compared with all boxes that begin before its end on the first axis,
//!   unless they end before its beginning. Whole blocks are skipped by their largest end. It
//!   continues with the next strip until the smallest beginning in one, on the second axis, is
//!   beyond its own end. Smallest beginnings ascend.
//!
//! Strips may share a beginning, and any of them may be empty: only the order counts. Coordinates
//! are compared as they are. -0 and 0, which are the same place, may come in either order. Nothing
//! is rounded, so nothing is widened.
//!
//! # Worlds
//!
//! Strips are cut from all boxes sorted by world and then by the second axis. A strip may hold
//! several worlds, each of which is then a separate [`Run`](strips::Run), sorted separately: boxes
//! of different worlds never meet, wherever they are.
//!
//! # Cost
//!
//! Axes and strips are chosen by the comparisons and searches predicted from a sample of the boxes
//! ([`plan`]). A giant is compared with all boxes that it overlaps on both axes, and costs others
//! only one more comparison, because ends are known by blocks, blocks of blocks, and so on. The
//! method remains quadratic if boxes overlap on the two best axes and not on the third: long sticks
//! that point in all three directions. For such scenes, grids and trees are better.

pub(crate) mod blocks;
pub(crate) mod plan;
pub(crate) mod strips;
pub(crate) mod sweep_cpu;
