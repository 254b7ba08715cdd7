//! `obbligato fit`: the box around each group of points.

use std::time::Instant;

use obbligato::glam::Vec3;
use obbligato::{
    Obb,
    files::{self, SceneFile},
    unstable::{memory, output::is_stdout},
};

use super::{
    args::fit::FitArguments,
    failure::Failure,
    output,
    progress::Progress,
    table::{facts, grouped},
};

pub fn run(arguments: &FitArguments) -> Result<(), Failure> {
    let out = &arguments.out;
    output::check_paths(&[out], &[&arguments.file])?;
    files::check_scene_path(out, &named_scene(Vec::new(), files::Ids::Numbers(Vec::new())))?;

    let progress = Progress::spinner("reading");
    let groups = files::read_points(&arguments.file, arguments.id_column.as_deref())?;
    progress.stage("fitting");
    let start = Instant::now();
    let lists: Vec<&[Vec3]> = memory::collect(groups.iter(), "the groups of points")?;
    let boxes = Obb::around_each(&lists)?;
    let time = start.elapsed().as_secs_f64() * 1e3;
    progress.stage("writing");
    let points = groups.points.len();
    let scene = named_scene(boxes, groups.ids);
    files::write_scene_file(out, &scene)?;
    drop(progress);
    match is_stdout(out) {
        true => Ok(()),
        false => output::print(&summary(points, &scene.boxes, time)),
    }
}

fn named_scene(boxes: Vec<Obb>, ids: files::Ids) -> SceneFile {
    SceneFile {
        boxes,
        ids: Some(ids),
        ..SceneFile::default()
    }
}

/// The result for people.
fn summary(points: usize, boxes: &[Obb], time: f64) -> String {
    let volume = |obb: &Obb| 8.0 * obb.half_extents.as_dvec3().element_product();
    let lines = [
        ("points", grouped(points as u64)),
        ("boxes", grouped(boxes.len() as u64)),
        ("volume", format!("{:.6e}", boxes.iter().map(volume).sum::<f64>())),
        ("time", format!("{time:.3} ms")),
    ];
    facts(&lines)
}
