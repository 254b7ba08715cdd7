//! Scenes and results as files: CSV, NPY and, with the feature `parquet`, Parquet, chosen by the
//! file's extension.
//!
//! A scene is a table of bodies. Boxes have the columns `cx cy cz` (center), `hx hy hz` (half
//! extents) and `qx qy qz qw` (rotation), all `f32`.
//!
//! - `.npy`: `float32` of shape (N, 10) in C order, with the columns in the order above; or of
//!   shape (N, 16), with the motion columns `vx vy vz wx wy wz` after them.
//! - `.csv`: a header row names the columns, in any order. The columns `id`, `frame` and the rules
//!   `memberships`, `filter`, `owner`, `world` and `static` are optional. Other columns are ignored
//!   unless [`ReadOptions`] names them. Among these are the columns of motions: `vx vy vz`
//!   (velocity), `wx wy wz` (angular velocity) and `ax ay az` (acceleration), where a missing
//!   column or an empty field is 0. Semicolons separate fields if the header row has more of them
//!   than commas; the decimal mark is a point. `.csv.gz` is the same, compressed by gzip. Fields
//!   may be quoted as in RFC 4180; a misplaced or missing closing quote is an error. Lines end with
//!   LF, CR LF or CR.
//! - `.parquet`: the columns of `.csv`, in any order, as floats, doubles, integers, booleans and
//!   texts. Doubles are rounded once; a null is an empty field. Columns that are not read may be of
//!   any type.
//! - `.csv` of boxes, spheres and capsules: a column `shape` has the shape of each row, `box` if it
//!   is empty. A sphere takes the columns `cx cy cz radius`, a capsule these and `hz qx qy qz qw`.
//!   Fields that a row's shape does not take are ignored, and columns that no row takes may be
//!   missing. For a sphere, the angular velocity is also ignored.
//! - `.csv` of upright cuboids: `x0 y0 x1 y1 x2 y2 x3 y3 z_min z_max` instead: the corners in plan,
//!   in any order, as for [`Upright::from_corners`](obbligato::shape::Upright::from_corners). They
//!   are read as `f64` and become a box whose numbers are rounded once to `f32` (`Obb::from`), so
//!   surfaces may move by about 1e-7 of the size and the coordinates.
//!
//! Points are a `.csv` with the columns `id`, `x`, `y` and `z`, with one row for each point
//! ([`read_points`]).
//!
//! With the feature `bcf`, clashes are written as a BCF archive ([`BcfFile`]).
//!
//! Meshes are `.obj`, `.stl`, `.ply`, `.glb` or `.gltf` ([`read_mesh`]).
//!
//! Every error is an [`Error::File`] of one line: the file, the problem, the first bad row (its
//! line in a CSV file, else its number from 0), the number of bad rows, and what to do.
//!
//! Files are written under a temporary name in the same folder and renamed once complete, so that
//! no one sees a partial file. Links are followed. Pipes, devices and stdout (`-`) are written
//! directly, as CSV unless another format is requested.

#[cfg(feature = "bcf")]
mod bcf;
mod box_file;
mod box_rows;
mod clash;
mod coordinates;
mod csv;
mod error;
mod format;
mod frame_ids;
mod hash_table;
mod ids;
mod mesh;
mod named_pairs;
mod npy;
mod options;
pub mod out_of_core;
pub mod output;
mod pair_rows;
#[cfg(feature = "parquet")]
mod parquet;
mod point_rows;
mod points;
mod problem;
mod read;
mod result_file;
mod result_table;
mod rows;
mod scene;
mod scene_rows;
pub mod source;
mod table;
mod texts;
mod tracked_contacts;
mod unique_ids;
mod value_rows;
mod write;
mod write_boxes;

#[cfg(feature = "bcf")]
pub use crate::bcf::{BcfCamera, BcfCounts, BcfFile, BcfTopic, BcfVersion, bcf_priority, is_ifc_guid};
pub use crate::clash::{Clash, Kind, MeshClash};
pub use crate::error::{Error, Result};
pub use crate::format::Format;
pub use crate::frame_ids::FrameIds;
pub use crate::ids::{Id, IdOrder, Ids};
pub use crate::mesh::mesh_file::{MeshFile, MeshPart};
pub use crate::mesh::notes::{Note, NoteKind, Notes};
pub use crate::mesh::{read_mesh, read_mesh_and_points, read_mesh_from, read_meshes};
pub use crate::named_pairs::NamedPairs;
pub use crate::options::ReadOptions;
#[cfg(feature = "parquet")]
pub use crate::parquet::catches_panics;
pub use crate::points::{Origins, PointGroups};
pub use crate::read::{
    read_frames, read_pairs, read_point_list, read_points, read_points_about, read_scene, read_scene_from,
    read_scene_with,
};
pub use crate::result_file::{ResultFile, Sides};
pub use crate::result_table::{Layout, Table};
pub use crate::scene::{Column, SceneFile};
pub use crate::texts::Texts;
pub use crate::tracked_contacts::TrackedContacts;
pub use crate::value_rows::{Value, read_scene_rows};
pub use crate::write::{
    check_output_path, check_rows_path, check_scene_path, write_degrees, write_enclosures, write_neighbours,
    write_pairs, write_rows, write_scene, write_scene_as, write_scene_file,
};
pub use crate::write_boxes::write_boxes;
