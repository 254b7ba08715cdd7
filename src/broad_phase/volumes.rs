//! Trees of bounding volumes over the parts of rigid bodies: spheres (Hubbard, "Approximating
//! Polyhedra with Spheres", 1996), oriented boxes (Gottschalk, Lin and Manocha, "OBBTree", 1996),
//! and boxes along the body's own axes (van den Bergen, "Efficient Collision Detection of Complex
//! Deformable Models using AABB Trees", 1997).
//!
//! A tree is built once, in the frame of its body, and compared with other trees for any poses of
//! the bodies: only the motion between the two frames changes. In contrast, a grid or a tree of
//! bounds in the world must be rebuilt after each rotation.
//!
//! A leaf holds one part: a triangle of a mesh, a box of a compound. Nodes bound the *parts* under
//! them, not the volumes of their children, which is tighter. The result contains each pair of
//! parts whose leaves may meet, and all of whose ancestors may meet.
//!
//! # The shape of a tree
//!
//! Parts are halved at their median, along the axis with the largest spread of their middles
//! ([`order`]), so the shape follows from their number alone: nodes are stored depth first, a node
//! of n parts has n / 2 of them in its left child, next to it, and the right child comes after the
//! 2 (n / 2) - 1 nodes of the left one. There are no links and no cycles, and the depth is at most
//! 32.
//!
//! # Why no pair is missed
//!
//! Volumes are certain to contain their parts, and only pairs proved to be apart are left out; see
//! [`volume`]. When the budget of a walk is exhausted, the pairs of nodes that it has not reached
//! are returned as *assumed* to meet.

pub(crate) mod ball;
pub(crate) mod boxes;
pub(crate) mod order;
pub(crate) mod part;
pub(crate) mod tree;
pub(crate) mod volume;
pub(crate) mod walk;
