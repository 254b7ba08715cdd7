//! The linear tree: its links, shared by the twins, and why each pair is found exactly once.
//!
//! # The tree
//!
//! Records are sorted by *keys*: the place of their center along a Morton curve over the world, with 21 bits in each axis, in cubes. Where
//! there are worlds, a record's world comes before its place. Records with equal keys are told apart by their positions. Over keys in
//! this order T. Karras ("Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012) defines a binary
//! tree, all of whose nodes find their children at once: the records below a node are those whose keys begin with the same bits, and its
//! children are those with a 0 and those with a 1 after these. Node `i` has record `i` at one of its ends; node 0 is the root. No
//! path is longer than keys have bits, 127 with worlds and positions.
//!
//! # Links
//!
//! A walk needs no stack. Each node and each record has an *escape link*: where to go on after it. That is the largest subtree that begins
//! with the next record. Karras' numbers say at once which that is: of all nodes only node `k` can begin with record `k` and be a second
//! child, so it is node `k` if its records extend upwards from `k`, else the record itself. After the last record of a world nothing
//! follows ([`END`]): a world's records are all that is below some node, so each world has a tree of its own, and no walk leaves it.
//!
//! # Why every pair is found exactly once
//!
//! The partners that a record looks for are those after it in the order. Its walk begins with its escape link. At a node whose bounds meet its
//! own it goes on to the first child, else along the escape link, as it does at a record. So the subtrees that it comes to
//! are disjoint, and together they have all records of the world after the one it began at, in order; those that are left out are below a
//! node whose bounds it does not meet. A node's bounds contain those of its records: they are least and largest coordinates, which no
//! rounding changes. Of two records whose bounds meet, the walk of the first comes to the second, once, and no other walk does.
//!
//! What the keys are does not matter for that. They are computed once, and all kernels read the same; a device that rounds otherwise makes
//! another tree and finds the same pairs.
//!
//! # What it costs
//!
//! Records closer together than 2^-21 of the world's extent have the same key, and their order says nothing about where they are. A walk
//! among m of them compares up to m bounds. So a dense cluster in a world two million times its size is better left to the grid.

/// A link with this bit names a record, else a node.
pub(crate) const LEAF: u32 = 1 << 31;
/// The number of what a link names.
pub(crate) const POSITION: u32 = LEAF - 1;
/// Nothing follows.
pub(crate) const END: u32 = u32::MAX;

/// Bits of a cell's coordinate.
pub(crate) const BITS: u32 = 21;
/// The least extent of the world that is told from none.
pub(crate) const SMALLEST_SPAN: f32 = f32::from_bits((127 - 90) << 23);

/// Records of a block, or blocks of a larger one: see `lbvh_bounds_cpu.rs`.
pub(crate) const BLOCK: usize = 8;
