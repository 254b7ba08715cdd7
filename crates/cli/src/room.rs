//! `obbligato room`: the walls of a room that boxes touch or cross.

use std::time::Instant;

use obbligato::{
    Checker,
    glam::{Quat, Vec2},
    query::Containment,
    region::{Enclosure, EnclosureState, Room},
    report::Engine,
};
use obbligato_files as files;
use obbligato_files::{Layout, ReadOptions, ResultFile, SceneFile, Table, output::is_stdout};

use super::{
    args::room::RoomArguments,
    engine,
    failure::Failure,
    output,
    progress::Progress,
    table::{self, facts, grouped},
};

/// The walls by their bits.
const WALLS: [(&str, u8); 6] = [
    ("-x", Room::MIN_X),
    ("+x", Room::MAX_X),
    ("-y", Room::MIN_Y),
    ("+y", Room::MAX_Y),
    ("-z", Room::MIN_Z),
    ("+z", Room::MAX_Z),
];

pub fn run(arguments: &RoomArguments) -> Result<(), Failure> {
    let config = arguments.backend.config()?;
    // Before the file is read, as far as possible.
    let rough = room(arguments, None)?;
    let mut out = begin(arguments)?;

    let progress = Progress::spinner("reading");
    let options = ReadOptions {
        frame: arguments.frame,
        id_column: arguments.id_column.clone(),
        ..ReadOptions::default()
    };
    let scene = files::read_scene_with(&arguments.file, &options)?;
    progress.stage("checking");
    let room = match scene.in_plane {
        true => room(arguments, Some(&scene))?,
        false => in_space(arguments, rough)?,
    };
    let mut checker = Checker::new(config)?;
    let start = Instant::now();
    let found = checker.check(Containment::new(&room, scene.bodies()))?;
    engine::warn(&checker);
    let time = start.elapsed().as_secs_f64() * 1e3;
    progress.stage("writing");
    out.enclosures(&scene, &found)?;
    out.finish()?;
    drop(progress);
    match is_stdout(&arguments.out) {
        true => Ok(()),
        false => output::print(&summary(&scene, &found, &checker.engine_for(found.len()), time)),
    }
}

/// Returns the room; for a scene in the plane one that is higher than everything in it.
fn room(arguments: &RoomArguments, in_plane: Option<&SceneFile>) -> Result<Room, Failure> {
    let named = |name: &'static str| move |error| Failure::Input(format!("{name}: {error}"));
    let corners = [(arguments.min, -1.0), (arguments.max, 1.0)];
    let [min, max] = corners.map(|(corner, side)| {
        let z = match in_plane {
            Some(scene) => side * above(scene),
            None => corner.z.unwrap_or(side),
        };
        Vec2::from(corner.plan).extend(z)
    });
    let is_tilted = |[x, y, ..]: [f32; 4]| x != 0.0 || y != 0.0;
    if in_plane.is_some() && arguments.rotation.is_some_and(is_tilted) {
        return Err(Failure::Input(
            "--rotation: a scene in the plane has rooms that are rotated about z: give 0,0,Z,W".into(),
        ));
    }
    let room = Room::new(min, max).map_err(named("--min and --max"))?;
    match arguments.rotation {
        Some(rotation) => room.turned(Quat::from_array(rotation)).map_err(named("--rotation")),
        None => Ok(room),
    }
}

/// Returns the room unless its corners lack z.
fn in_space(arguments: &RoomArguments, room: Room) -> Result<Room, Failure> {
    match [arguments.min.z, arguments.max.z] {
        [Some(_), Some(_)] => Ok(room),
        _ => Err(Failure::Input(
            "--min and --max need three numbers, because the scene is in space: give X,Y,Z".into(),
        )),
    }
}

/// Returns a height that no body of a scene in the plane reaches.
fn above(scene: &SceneFile) -> f32 {
    let boxes = scene.boxes.iter().map(|obb| obb.half_extents.z);
    let capsules = scene.capsules.iter().map(|capsule| capsule.radius);
    let spheres = scene.spheres.iter().map(|sphere| sphere.radius);
    let largest = boxes.chain(capsules).chain(spheres).fold(0.5, f32::max);
    2.0 * largest
}

/// Returns the output, after checking that it can be written.
fn begin(arguments: &RoomArguments) -> Result<ResultFile, Failure> {
    let out = &arguments.out;
    output::check_paths(&[out], &[&arguments.file], &arguments.backend.kept())?;
    Ok(ResultFile::new(out, Table::Enclosures, Layout::default())?)
}

/// Returns the result as text.
fn summary(scene: &SceneFile, found: &[Enclosure], engine: &Engine, time: f64) -> String {
    let count =
        |wanted: &dyn Fn(&Enclosure) -> bool| grouped(found.iter().filter(|found| wanted(found)).count() as u64);
    let state = |state: EnclosureState| (state.name(), count(&|found| found.state == state));
    let walls = WALLS.map(|(name, bit)| format!("{name} {}", count(&|found| found.walls & bit != 0)));
    let lines = [
        ("device", engine::describe(engine)),
        (table::bodies(scene)[1], grouped(found.len() as u64)),
        state(EnclosureState::Inside),
        state(EnclosureState::Crossing),
        state(EnclosureState::Outside),
        ("walls", walls.join(", ")),
        ("time", format!("{time:.3} ms")),
    ];
    facts(&lines)
}
