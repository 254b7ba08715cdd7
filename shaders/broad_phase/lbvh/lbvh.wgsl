// The tree's links, shared by the kernels that build it and walk over it. Twin: src/broad_phase/lbvh/layout.rs, where the tree is
// explained.

// A link names a node; with this bit it names a leaf, which is a record.
const LEAF: u32 = 0x80000000u;
const POSITION: u32 = 0x7fffffffu;
// No node follows.
const END: u32 = 0xffffffffu;

// Walks over a sample of records tell how much work a walk is: src/broad_phase/lbvh/layout.rs.
const SAMPLES: u32 = 1024u;
