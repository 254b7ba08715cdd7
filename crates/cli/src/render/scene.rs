//! The content of a picture of a file: its bodies, and the results of a check.

use std::path::Path;

use obbligato::{
    Checker, Period, Query, Report,
    contact::Contacts,
    glam::DVec3,
    motion::Step,
    query::{ContactQuery, Sweep},
    shape::{OwnedBodies, Triangle},
};
use obbligato_files as files;
use obbligato_files::{ReadOptions, SceneFile};
use obbligato_render::{Arrow, Legend, Mark, View, arrows, ghosts, marks};

use crate::{
    args::{choices::FrameChoice, render::RenderArguments},
    contacts,
    failure::{Failure, note},
    mesh::shared,
    output, period,
    progress::Progress,
    sweep,
    table::grouped,
};

/// The content of one picture.
#[derive(Default)]
pub struct Shown {
    scene: SceneFile,
    marks: Vec<Mark>,
    triangles: Vec<Triangle>,
    triangle_marks: Vec<Mark>,
    ghosts: OwnedBodies,
    ghost_marks: Vec<Mark>,
    arrows: Vec<Arrow>,
    origin: DVec3,
    caption: String,
    legend: Legend,
}

impl Shown {
    pub fn view(&self) -> View<'_> {
        View {
            bodies: self.scene.bodies(),
            marks: &self.marks,
            triangles: &self.triangles,
            triangle_marks: &self.triangle_marks,
            ghosts: self.ghosts.all(),
            ghost_marks: &self.ghost_marks,
            arrows: &self.arrows,
            origin: self.origin,
            caption: &self.caption,
            legend: self.legend,
            ..View::default()
        }
    }
}

/// Reads and checks a file: a mesh, or one frame or all of a scene.
pub fn read(arguments: &RenderArguments, checker: &mut Checker, progress: &Progress) -> Result<Vec<Shown>, Failure> {
    if is_mesh(&arguments.file) {
        return Ok(vec![mesh(arguments, checker, progress)?]);
    }
    let options = ReadOptions {
        frame: match arguments.frame {
            Some(FrameChoice::One(frame)) => Some(frame),
            _ => None,
        },
        id_column: arguments.id_column.clone(),
        motions: arguments.dt.is_some(),
        ..ReadOptions::default()
    };
    let frames = match arguments.frame {
        Some(FrameChoice::All) => {
            let frames = files::read_frames(&arguments.file, &options)?;
            // Equally wide in every frame, so that nothing jumps.
            let widest = frames.iter().map(|(frame, _)| frame.to_string().len()).max();
            let widest = widest.unwrap_or(0);
            let captioned = |(frame, scene)| (format!("frame {frame:>widest$}"), scene);
            frames.into_iter().map(captioned).collect()
        }
        _ => vec![(String::new(), files::read_scene_with(&arguments.file, &options)?)],
    };
    progress.stage("checking");
    let checked = |(caption, scene)| checked(arguments, checker, scene, caption);
    frames.into_iter().map(checked).collect()
}

/// Returns `true` if a file is a mesh by its extension.
fn is_mesh(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    ["obj", "stl", "ply", "glb", "gltf"].contains(&&*ending)
}

fn mesh(arguments: &RenderArguments, checker: &mut Checker, progress: &Progress) -> Result<Shown, Failure> {
    let unused = [
        ("--frame", arguments.frame.is_some()),
        ("--id-column", arguments.id_column.is_some()),
        ("--contacts", arguments.contacts),
        ("--dt", arguments.dt.is_some()),
        ("--period", arguments.period.is_some()),
    ];
    if let Some((option, _)) = unused.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Input(format!(
            "{option} is for scenes, and {} is a mesh: leave it out",
            output::shown(&arguments.file)
        )));
    }
    let mesh = shared::read(&arguments.file)?;
    progress.stage("checking");
    let report = checker.check(Query::mesh(&mesh.triangles))?;
    let mark = |collides| if collides { Mark::Overlapping } else { Mark::Free };
    Ok(Shown {
        triangle_marks: report.marks()?.into_iter().map(mark).collect(),
        triangles: mesh.triangles,
        // Cameras use the coordinates of the file.
        origin: mesh.origin,
        // A check of a mesh does not distinguish touching from overlapping.
        legend: Legend::Colliding,
        ..Shown::default()
    })
}

fn checked(
    arguments: &RenderArguments,
    checker: &mut Checker,
    scene: SceneFile,
    caption: String,
) -> Result<Shown, Failure> {
    let query = Query::from(scene.set());
    let query = arguments.period.map_or(query, |period| query.periodic(period));
    let report = match scene.in_plane {
        true => checker.check(query.in_plane()),
        false => checker.check(query),
    };
    let report = report.map_err(|error| period::named(&scene, error))?;
    let arrows = match arguments.contacts {
        true => contact_arrows(checker, &scene, &report, arguments.period)?,
        false => Vec::new(),
    };
    let (ghosts, ghost_marks) = match arguments.dt {
        Some(dt) => motion(arguments, checker, &scene, dt)?,
        None => Default::default(),
    };
    Ok(Shown {
        marks: marks(&report)?,
        scene,
        ghosts,
        ghost_marks,
        arrows,
        caption,
        ..Shown::default()
    })
}

/// The contacts of all pairs, or the deepest.
fn contact_arrows(
    checker: &mut Checker,
    scene: &SceneFile,
    report: &Report,
    period: Option<Period>,
) -> Result<Vec<Arrow>, Failure> {
    let found = match period {
        Some(period) => {
            let query = ContactQuery::within(scene.bodies(), report.pairs()?);
            contacts::of_images(checker, scene.in_plane, query, period)?.found
        }
        None => {
            let mut found = Contacts::default();
            let sets = [scene.bodies().into(); 2];
            contacts::update(&mut found, scene.in_plane, sets, report.pairs()?)?;
            found
        }
    };
    let arrows = arrows(&found, DVec3::ZERO)?;
    let [drawn, all] = [arrows.len(), found.points().len()].map(|count| count as u64);
    if drawn < all {
        note(&format!(
            "the deepest {} of {} contacts are drawn",
            grouped(drawn),
            grouped(all)
        ));
    }
    Ok(arrows)
}

/// Returns the poses of bodies during a step, with marks for those that meet another in it.
fn motion(
    arguments: &RenderArguments,
    checker: &mut Checker,
    scene: &SceneFile,
    dt: f64,
) -> Result<(OwnedBodies, Vec<Mark>), Failure> {
    let step = Step { dt, tolerance: None };
    // Impacts in the plane are those in space.
    let order = scene.order()?;
    let swept = checker.check(Sweep::new(scene.moving_set(&order), &step));
    let found = swept.map_err(|error| sweep::named(&arguments.file, scene, error))?;
    let motions = scene.motions.as_deref().unwrap_or_default();
    Ok(ghosts(scene.bodies(), motions, &found.impacts, dt)?)
}
