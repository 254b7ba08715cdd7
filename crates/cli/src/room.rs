//! `obbligato room`: the walls of a room that boxes touch or cross.

use std::time::Instant;

use obbligato::{
    Checker,
    glam::{Quat, Vec3},
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
    let room = room(arguments)?;
    let mut out = begin(arguments)?;

    let progress = Progress::spinner("reading");
    let options = ReadOptions {
        frame: arguments.frame,
        id_column: arguments.id_column.clone(),
        ..ReadOptions::default()
    };
    let scene = files::read_scene_with(&arguments.file, &options)?;
    progress.stage("checking");
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

fn room(arguments: &RoomArguments) -> Result<Room, Failure> {
    let named = |name: &'static str| move |error| Failure::Input(format!("{name}: {error}"));
    let [min, max] = [arguments.min, arguments.max].map(Vec3::from);
    let room = Room::new(min, max).map_err(named("--min and --max"))?;
    match arguments.rotation {
        Some(rotation) => room.turned(Quat::from_array(rotation)).map_err(named("--rotation")),
        None => Ok(room),
    }
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
