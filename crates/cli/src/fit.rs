//! `obbligato fit`: the box around each group of points.

use std::time::Instant;

use obbligato::{
    Obb,
    glam::{DVec3, Vec3},
};
use obbligato_files as files;
use obbligato_files::{Origins, PointGroups, SceneFile, output::is_stdout};
use obbligato_support::memory;

use super::{
    args::fit::FitArguments,
    failure::{Failure, note},
    output,
    points::tell_rounding,
    progress::Progress,
    table::{facts, grouped},
};

pub fn run(arguments: &FitArguments) -> Result<(), Failure> {
    let out = &arguments.out;
    output::check_paths(&[out], &[&arguments.file], &[])?;
    files::check_scene_path(out, &named_scene(Vec::new(), files::Ids::Numbers(Vec::new())))?;

    let progress = Progress::spinner("reading");
    let groups = files::read_points_about(&arguments.file, arguments.id_column.as_deref(), Origins::Each)?;
    tell_rounding(&arguments.file, &groups);
    progress.stage("fitting");
    let start = Instant::now();
    let lists: Vec<&[Vec3]> = memory::collect(groups.iter(), "the groups of points")?;
    let mut boxes = match groups.in_plane {
        true => Obb::around_each_in_plane(&lists)?,
        false => Obb::around_each(&lists)?,
    };
    let centers = placed(&mut boxes, &groups)?;
    let time = start.elapsed().as_secs_f64() * 1e3;
    progress.stage("writing");
    let points = groups.points.len();
    let scene = SceneFile {
        in_plane: groups.in_plane,
        centers,
        ..named_scene(boxes, groups.ids)
    };
    files::write_scene_file(out, &scene)?;
    drop(progress);
    if scene.centers.is_some() {
        note(&format!(
            "{}: centers are f64, as the points are far from the origin: check them with --f64",
            output::shown(out)
        ));
    }
    match is_stdout(out) {
        true => Ok(()),
        false => output::print(&summary(points, scene.in_plane, &scene.boxes, time)),
    }
}

fn named_scene(boxes: Vec<Obb>, ids: files::Ids) -> SceneFile {
    SceneFile {
        boxes,
        ids: Some(ids),
        ..SceneFile::default()
    }
}

/// Moves boxes, which surround points relative to the origin of their group, to the places of the
/// points. Returns their centers in `f64`, unless all origins are 0. Rounding has moved points, so
/// boxes are enlarged by as much, and contain the points of the file.
fn placed(boxes: &mut [Obb], groups: &PointGroups) -> Result<Option<Vec<DVec3>>, Failure> {
    if groups.origins.iter().all(|origin| *origin == DVec3::ZERO) {
        return Ok(None);
    }
    let list = groups.origins.iter().zip(&groups.moves).zip(boxes);
    let place = |((&origin, &moved), obb): ((&DVec3, &f64), &mut Obb)| {
        let own = obb.center.as_dvec3();
        let center = origin + own;
        // The rounding error of the sum, and the displacement by rounding along three axes, for any
        // rotation of the box.
        let lost = (center - origin - own).abs().max_element();
        let reach = 2.0 * (lost + moved);
        if reach > 0.0 {
            let larger = |half: f32| (f64::from(half) + reach) as f32;
            obb.half_extents = Vec3::from_array(obb.half_extents.to_array().map(|half| larger(half).next_up()));
        }
        obb.center = center.as_vec3();
        center
    };
    Ok(Some(memory::collect(list.map(place), "the centers of boxes")?))
}

/// Returns the result as text.
fn summary(points: usize, in_plane: bool, boxes: &[Obb], time: f64) -> String {
    let volume = |obb: &Obb| match in_plane {
        true => 4.0 * obb.half_extents.truncate().as_dvec2().element_product(),
        false => 8.0 * obb.half_extents.as_dvec3().element_product(),
    };
    let lines = [
        ("points", grouped(points as u64)),
        ("boxes", grouped(boxes.len() as u64)),
        (
            if in_plane { "area" } else { "volume" },
            format!("{:.6e}", boxes.iter().map(volume).sum::<f64>()),
        ),
        ("time", format!("{time:.3} ms")),
    ];
    facts(&lines)
}
