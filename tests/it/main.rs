//! The integration tests, as one program: each would link the graphics stack anew. What counts the memory of a whole
//! process is in `tests/memory.rs`.

mod support;

mod balls;
mod bodies;
mod bodies_gpu;
mod body_contacts;
mod body_rooms;
mod body_rooms_gpu;
mod bounds_within;
mod broad_phases;
mod bsp;
#[cfg(feature = "files")]
mod building;
mod check_bounds;
#[cfg(feature = "cli")]
mod cli;
mod closed_mesh;
mod contacts;
mod contacts_gpu;
mod distance;
mod elementary;
mod exact;
mod exact_gpu;
mod examples;
mod failures;
#[cfg(feature = "cli")]
mod features;
mod figures;
#[cfg(feature = "files")]
mod files;
mod fitting;
mod five_axes;
mod flaws;
mod gpu_inside;
mod gpu_vs_cpu;
mod lanes;
mod layers;
mod lbvh;
mod links;
mod made_up_frames;
mod manifest;
mod margin;
mod messages;
mod moving_bodies;
#[cfg(feature = "parquet")]
mod out_of_core;
mod outputs;
mod overflow;
mod own_margins;
mod pictures;
mod pipeline_cache;
mod positions64;
mod prepared;
mod random_scenes;
mod reference;
mod refit;
mod regions;
mod resident;
mod resident_contacts;
mod resident_forms;
mod resident_rules;
mod response;
mod rooms;
mod round;
mod rules;
mod scales;
mod scenes;
mod segments;
mod serialized;
mod solids;
mod solids_apart;
mod sweep;
mod sweeping;
mod swept;
mod tiles;
mod timers;
mod tracking;
mod triangle_bodies;
mod triangles;
mod triangles_gpu;
mod turning;
mod upright;
mod verify;
