//! Sort and sweep: bounds sorted along an axis, each compared with those that begin before it ends (Baraff, "Dynamic Simulation of
//! Non-Penetrating Rigid Bodies", 1992), in strips of a second axis (Tracy, Buss and Woods, "Efficient Large-Scale Sweep and Prune
//! Methods with AABB Insertion and Removal", 2009, cut space likewise). On the CPU alone.
//!
//! On one axis a million boxes in space, each with a handful of neighbours, overlap ten thousand others each: the plain method is
//! quadratic, O(n^(5/3)) in such a scene. So bounds are sorted in two steps. The *second* axis, by where a box begins on it, cuts each
//! world into *strips* of about as many boxes each; within a strip, boxes are sorted by where they begin on the *first*. What is
//! compared overlaps on the first axis and, but for the width of a strip, on the second: O(n^(4/3)) in that scene.
//!
//! # Why each pair is found exactly once
//!
//! Every box is stored once, in the strip in which it begins, and strips ascend: whoever is in a later strip begins no earlier on the
//! second axis. Of two boxes of one world the *earlier* is the one whose strip comes first, or in one strip the one that is sorted first.
//! It alone looks for the other.
//!
//! - In its own strip it is compared with those after it, up to the first that begins beyond its end on the first axis. All after
//!   that begin further on, too.
//! - In a later strip it is compared with all that begin before its end on the first axis, unless they end before its beginning; whole
//!   blocks are passed over by the largest of their ends. It goes on to the next strip until the least beginning in one, on the second axis, is
//!   beyond its own end. Least beginnings ascend.
//!
//! Strips may share a beginning, and any of them may have no box: only the order counts. Coordinates are compared as they are, and -0 next
//! to 0, which is the same place, may come before or after it; nothing is rounded, so nothing is widened.
//!
//! # Worlds
//!
//! Strips are cut from all boxes sorted by world and then by the second axis. A strip may hold several worlds, each of which then is a
//! [`Run`](strips::Run) of its own, sorted by itself: boxes of different worlds never meet, wherever they are.
//!
//! # What it costs
//!
//! Axes and strips are chosen by the comparisons and searches that a sample of the boxes promises ([`plan`]). A giant is compared with all
//! that it overlaps on both axes and costs others one comparison more, as ends are known by blocks, blocks of blocks, and so on. What is left is quadratic
//! where boxes overlap on the two best axes and not on the third: long sticks that point in all three directions. There grids
//! and trees are better.

pub(crate) mod blocks;
pub(crate) mod plan;
pub(crate) mod strips;
pub(crate) mod sweep_cpu;
