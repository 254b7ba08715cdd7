//! The arguments of `obbligato render`.

use std::path::PathBuf;

use clap::Args;
use obbligato::{Period, glam::DVec3};

use crate::args::{
    choices::{FrameChoice, SearchArguments},
    values::{parse_duration, parse_frame, parse_period, parse_place, parse_size},
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

A scene is a file that `check` reads, with the same rules; a mesh is a file that `mesh` reads. \
Free bodies are grey, bodies that only touch are blue, and bodies that overlap are vermillion; \
triangles of a mesh are grey or vermillion. Every body is drawn at least one pixel in size. \
Without --camera, everything is in the picture, seen from above at an angle, with z up. PICTURE is \
.png, animated with --frame all, or .glb: the scene as binary glTF for other programs, without \
camera, legend and contacts.")]
pub struct RenderArguments {
    /// The scene, .npy, .csv or .csv.gz, or a mesh, .obj, .stl, .ply, .glb or .gltf; `-` is CSV
    /// from stdin
    pub file: PathBuf,
    /// Write the picture, .png, or the scene, .glb; `-` is PNG to stdout
    #[arg(long, value_name = "PICTURE")]
    pub out: PathBuf,
    /// The size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub size: [u32; 2],
    /// The frame to draw from a CSV file with several frames, or `all`: an animation at 10 frames
    /// per second
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = parse_frame)]
    pub frame: Option<FrameChoice>,
    /// The position of the camera [default: a position from which everything is visible]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_place)]
    pub camera: Option<DVec3>,
    /// The point that the camera looks at [default: the middle of the scene]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_place, requires = "camera")]
    pub target: Option<DVec3>,
    /// Draw the 10,000 deepest contacts as arrows from A to B
    #[arg(long)]
    pub contacts: bool,
    /// Draw the motion of bodies during this many seconds; bodies that meet others on the way have
    /// the colour of overlaps
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = parse_duration)]
    pub dt: Option<f64>,
    /// Repeat space after these lengths along x, y and z; - for an axis that does not repeat.
    /// Bodies are drawn where they are given
    #[arg(long, value_name = "LX,LY,LZ", allow_hyphen_values = true, value_parser = parse_period, conflicts_with = "dt")]
    pub period: Option<Period>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
}
