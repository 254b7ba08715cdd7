//! `obbligato generate`: writes a named scene to a file.

use obbligato::{Error, Obb, files, scenes::Scene, unstable::memory, unstable::output::is_stdout};

use super::{args::GenerateArguments, failure::Failure, output, progress::Progress, table::counted};

pub fn run(arguments: &GenerateArguments) -> Result<(), Failure> {
    output::check_paths(&[&arguments.out], &[])?;
    let format = arguments.format.format();
    files::check_output_path(&arguments.out)?;
    let progress = Progress::spinner("generating");
    let boxes = scene(arguments.scene, arguments.count, arguments.seed)?;
    progress.stage("writing");
    files::write_scene_as(&arguments.out, format, &boxes)?;
    drop(progress);
    if is_stdout(&arguments.out) {
        return Ok(());
    }
    output::print(&format!(
        "wrote {} of {} (seed {}) to {}\n",
        counted(boxes.len() as u64, "box", "boxes"),
        arguments.scene.name(),
        arguments.seed,
        arguments.out.display()
    ))
}

/// Generates a named scene, or returns an error if the machine has no memory for it.
pub fn scene(scene: Scene, count: usize, seed: u64) -> Result<Vec<Obb>, Error> {
    // The generators take what they need without asking, so ask first.
    memory::reserve(&mut Vec::<Obb>::new(), count, "the scene")?;
    Ok(scene.generate(count, seed))
}
