//! The arguments of `obbligato render`.

use std::path::PathBuf;

use clap::Args;
use obbligato::glam::DVec3;

use crate::args::{
    choices::{FrameChoice, SearchArguments},
    values::{parse_duration, parse_frame, parse_place, parse_size},
};

/// `obbligato render`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato render boxes.csv --out boxes.png
  obbligato render boxes.npy --out boxes.png --size 1920x1080 --camera 40,-60,30 --target 0,0,5
  obbligato render tracks.csv --frame all --out tracks.png
  obbligato render moving.csv --dt 0.5 --out motion.png
  obbligato render hull.stl --out hull.png
  obbligato render boxes.csv --out boxes.glb

A scene is one of `check`, and its rules hold as there; a mesh is one of `mesh`. What is free is grey, what only touches is blue, and \
what overlaps is vermillion; triangles of a mesh are grey or vermillion. Nothing is too small to be seen: bodies are drawn at least a \
pixel in size. Without --camera all is in the picture, seen from above at an angle, with z up. PICTURE is .png, of all frames an \
animated one, or .glb: the scene as binary glTF, to be opened elsewhere, without camera, legend and contacts.")]
pub struct RenderArguments {
    /// The scene, .npy, .csv or .csv.gz, or a mesh, .obj, .stl, .ply, .glb or .gltf; `-` is CSV from stdin
    pub file: PathBuf,
    /// Write the picture, .png, or the scene, .glb; `-` is stdout, which takes PNG
    #[arg(long, value_name = "PICTURE")]
    pub out: PathBuf,
    /// The size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub size: [u32; 2],
    /// The frame to draw of a CSV file with several, or `all`: a picture that moves, 10 frames a second
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = parse_frame)]
    pub frame: Option<FrameChoice>,
    /// Where the camera is [default: so that everything is seen]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_place)]
    pub camera: Option<DVec3>,
    /// What the camera looks at [default: the middle of the scene]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_place, requires = "camera")]
    pub target: Option<DVec3>,
    /// Draw contacts as arrows, from A to B: the deepest 10,000
    #[arg(long)]
    pub contacts: bool,
    /// Draw where bodies go within so many seconds; those that meet something on the way in the colour of what overlaps
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = parse_duration)]
    pub dt: Option<f64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
}
