// The tree's links, shared by the kernels that build it and walk over it. Twin:
// src/broad_phase/lbvh/layout.rs, which explains the tree.

// A link is the index of a node, or with this bit the index of a leaf, which is a record.
const LEAF: u32 = 0x80000000u;
const POSITION: u32 = 0x7fffffffu;
// The link after the last node of a walk.
const END: u32 = 0xffffffffu;

// The number of sample records whose walks estimate the work per walk:
// src/broad_phase/lbvh/layout.rs.
const SAMPLES: u32 = 1024u;
