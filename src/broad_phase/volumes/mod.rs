//! Trees of bounding volumes over the parts of rigid bodies: balls (Hubbard, "Approximating Polyhedra with Spheres", 1996), oriented
//! boxes (Gottschalk, Lin and Manocha, "OBBTree", 1996), and boxes along the body's own axes (van den Bergen, "Efficient Collision Detection of
//! Complex Deformable Models using AABB Trees", 1997).
//!
//! A tree is built once, in the frame of its body, and held against other trees wherever the bodies are: only the motion between the two
//! frames changes. A grid or a tree of bounds in the world would have to be built again after each turn.
//!
//! A leaf holds one part: a triangle of a mesh, a box of a compound. Nodes bound the *parts* under them, not the volumes of their children, which
//! is tighter. What is found is each pair of parts whose leaves may meet, and whose ancestors all may.
//!
//! # The shape of a tree
//!
//! Parts are split in halves by their middles, along the axis on which these spread most ([`order`]), so the shape follows from their number
//! alone: nodes are stored depth first, a node of n parts has n / 2 of them in its left child, next to it, and the right child comes after the
//! 2 (n / 2) - 1 nodes of the left one. No links, no circles, and a depth of 32 at most.
//!
//! # Never a pair less
//!
//! Volumes hold their parts for certain, and only what is proved apart is left out; see [`volume`]. When the budget of a walk is spent, the pairs of nodes that it
//! has not come to are named as *assumed* to meet.

pub(crate) mod ball;
pub(crate) mod boxes;
pub(crate) mod order;
pub(crate) mod part;
pub(crate) mod tree;
pub(crate) mod volume;
pub(crate) mod walk;
