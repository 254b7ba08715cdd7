//! The linear tree: its links, shared by CPU and GPU, and the proof that each pair is found exactly
//! once.
//!
//! # The tree
//!
//! Records are sorted by *keys*: the place of their center along a Morton curve over the world,
//! with 21 bits in each axis, in cubes. If there are worlds, a record's world precedes its place.
//! Records with equal keys are distinguished by their positions.
//!
//! Over keys in this order T. Karras ("Maximizing Parallelism in the Construction of BVHs, Octrees,
//! and k-d Trees", HPG 2012) defines a binary tree whose nodes can all find their children in
//! parallel. The records below a node are those whose keys begin with the same bits, and its
//! children are those with a 0 and those with a 1 after these bits. Node `i` has record `i` at one
//! of its ends; node 0 is the root. No path is longer than the number of bits of a key, 127 with
//! worlds and positions.
//!
//! # Links
//!
//! A walk needs no stack. Each node and each record has an *escape link* to the place where the
//! walk continues after it: the largest subtree that begins with the next record. Karras' numbering
//! directly identifies that subtree: of all nodes only node `k` can begin with record `k` and be a
//! second child, so it is node `k` if its records extend upwards from `k`, else the record itself.
//! Nothing follows the last record of a world ([`END`]). All records of a world, and no others, are
//! below some node, so each world has its own tree, and no walk leaves it.
//!
//! # Why every pair is found exactly once
//!
//! The partners of a record are searched for among the records after it in the order. Its walk
//! begins with its escape link. At a node whose bounds meet its own, the walk continues with the
//! first child, else along the escape link. At a record, it also continues along the escape link.
//! The subtrees that it visits are therefore disjoint, and together they contain all records of the
//! world after the one it began at, in order. The records that are left out are below a node whose
//! bounds it does not meet. A node's bounds contain those of its records: they are minimum and
//! maximum coordinates, which no rounding changes. Of two records whose bounds meet, the walk of
//! the first visits the second, once, and no other walk finds the pair: `node_holds`,
//! `walk_of_record` and `tree_finds_once` of `proofs`.
//!
//! This holds for any keys. They are computed once, and all kernels read the same keys. A device
//! that rounds differently builds another tree and finds the same pairs.
//!
//! # Cost
//!
//! Records closer together than 2^-21 of the world's extent have the same key, and their order is
//! unrelated to their positions. A walk among m of them compares up to m bounds. The grid is
//! therefore better for a dense cluster in a world two million times its size.

/// Bit of a link that is set if it names a record, and clear if it names a node.
pub(crate) const LEAF: u32 = 1 << 31;
/// Mask of the number of the record or node that a link names.
pub(crate) const POSITION: u32 = LEAF - 1;
/// Link that ends a walk.
pub(crate) const END: u32 = u32::MAX;

/// Number of bits of a cell's coordinate.
pub(crate) const BITS: u32 = 21;
/// Smallest extent of the world that is distinguished from zero.
pub(crate) const SMALLEST_SPAN: f32 = f32::from_bits((127 - 90) << 23);

/// Number of records of a block, or of blocks of a larger one. See `lbvh_bounds_cpu.rs`.
pub(crate) const BLOCK: usize = 8;
