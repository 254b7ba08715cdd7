//! `obbligato generate`: writes a named scene to a file.

use obbligato::{Obb, shape::OwnedBodies};
use obbligato_files as files;
use obbligato_files::{
    SceneFile,
    output::{is_stdout, is_written_through},
};
use obbligato_support::memory;
use obbligato_verify::scenes::BodyScene;

use super::{args::generate::GenerateArguments, failure::Failure, output, progress::Progress, table};

pub fn run(arguments: &GenerateArguments) -> Result<(), Failure> {
    output::check_paths(&[&arguments.out], &[], &[])?;
    let format = arguments.format.format();
    files::check_output_path(&arguments.out)?;
    let progress = Progress::spinner("generating");
    if let BodyScene::Boxes(scene) = arguments.scene
        && !scene.is_shuffled()
        && !is_written_through(&arguments.out)
    {
        files::write_boxes(
            &arguments.out,
            arguments.count,
            scene.boxes(arguments.count, arguments.seed),
        )?;
        drop(progress);
        return say(arguments, arguments.count, ["box", "boxes"]);
    }
    let scene = scene(arguments.scene, arguments.count, arguments.seed)?;
    progress.stage("writing");
    files::write_scene_as(&arguments.out, format, scene.bodies())?;
    drop(progress);
    if is_stdout(&arguments.out) {
        return Ok(());
    }
    say(arguments, scene.len(), table::bodies(&scene))
}

/// Prints a message about the written file.
fn say(arguments: &GenerateArguments, count: usize, [one, many]: [&str; 2]) -> Result<(), Failure> {
    output::print(&format!(
        "wrote {} of {} (seed {}) to {}\n",
        table::counted(count as u64, one, many),
        arguments.scene.name(),
        arguments.seed,
        arguments.out.display()
    ))
}

/// Generates a named scene, or returns an error if the machine has no memory for it.
pub fn scene(scene: BodyScene, count: usize, seed: u64) -> Result<SceneFile, Failure> {
    // The generators take what they need without asking, so ask first.
    memory::reserve(&mut Vec::<Obb>::new(), count, "the scene")?;
    let OwnedBodies {
        boxes,
        capsules,
        spheres,
    } = scene.bodies(count, seed);
    Ok(SceneFile {
        boxes,
        capsules,
        spheres,
        ..SceneFile::default()
    })
}
