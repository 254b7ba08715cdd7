//! `obbligato render`: a picture of a scene, or of a mesh.

mod scene;

use std::path::Path;
use std::time::Instant;

use obbligato::{Checker, Config, report::Engine};
use obbligato_files::output::{is_stdout, is_written_through, write_bytes};
use obbligato_render::{Camera, Legend, Picture, Renderer, View, glb};
use obbligato_support::excerpt::excerpt;

use self::scene::Shown;
use crate::{
    args::{choices::FrameChoice, render::RenderArguments},
    engine,
    failure::{Failure, note},
    output,
    progress::Progress,
    table::{facts, grouped},
};

/// The duration of each frame of an animation.
const MILLISECONDS: u16 = 100;

pub fn run(arguments: &RenderArguments) -> Result<(), Failure> {
    let config = Config {
        list_touching: true,
        ..arguments.search.config()?
    };
    let out = &arguments.out;
    output::check_paths(&[out], &[&arguments.file], &arguments.search.kept())?;
    let kind = Kind::of(out)?;
    if kind == Kind::Glb && arguments.frame == Some(FrameChoice::All) {
        return Err(Failure::Input(format!(
            "{}: has room for one frame alone: pick one with --frame, or name it .png",
            output::shown(out)
        )));
    }
    if let (Some(position), Some(target)) = (arguments.camera, arguments.target)
        && let Some(problem) = Camera::new(position, target).problem()
    {
        return Err(obbligato_render::Error::InvalidCamera { problem }.into());
    }
    let mut artist = match kind {
        Kind::Png => Some(Renderer::new(&config)?),
        Kind::Glb => None,
    };
    let warnings = artist.iter().flat_map(Renderer::warnings);
    warnings.for_each(|warning| note(warning));

    let progress = Progress::spinner("reading");
    let start = Instant::now();
    let mut checker = Checker::new(config)?;
    let shown = scene::read(arguments, &mut checker, &progress)?;
    engine::warn(&checker);
    let found = start.elapsed().as_secs_f64() * 1e3;
    progress.stage("drawing");
    let start = Instant::now();
    let file = draw(arguments, artist.as_mut(), &shown)?;
    let drawn = start.elapsed().as_secs_f64() * 1e3;
    write_bytes(out, &file)?;
    drop(progress);
    if is_stdout(out) {
        return Ok(());
    }
    let name = excerpt(&out.to_string_lossy()).into_owned();
    let [width, height] = arguments.size;
    let (engine, made) = match &artist {
        Some(renderer) => (renderer.engine(), ("picture", format!("{name}, {width} x {height}"))),
        None => {
            let bytes = grouped(file.len() as u64);
            (checker.engine(), ("scene", format!("{name}, {bytes} bytes")))
        }
    };
    output::print(&summary(&shown, engine, made, [found, drawn]))
}

/// The format of the output.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Png,
    Glb,
}

impl Kind {
    /// Returns the format of the extension; PNG for anything but a regular file.
    fn of(out: &Path) -> Result<Self, Failure> {
        let ending = out.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match &*ending {
            "png" => Ok(Self::Png),
            "glb" => Ok(Self::Glb),
            _ if is_written_through(out) => Ok(Self::Png),
            _ => Err(Failure::Input(format!(
                "{}: has an unknown extension: name it .png or .glb",
                output::shown(out)
            ))),
        }
    }
}

/// The file: a picture if there is someone to draw it, else the scene, which is one frame.
fn draw(arguments: &RenderArguments, artist: Option<&mut Renderer>, shown: &[Shown]) -> Result<Vec<u8>, Failure> {
    let views: Vec<View<'_>> = shown.iter().map(Shown::view).collect();
    let Some(renderer) = artist else {
        return Ok(glb(&views.first().copied().unwrap_or_default())?);
    };
    let camera = camera(arguments, &views);
    match &views[..] {
        [view] => Ok(renderer.draw(view, &camera, arguments.size)?.png()?),
        _ => {
            let pictures = views.iter().map(|view| renderer.draw(view, &camera, arguments.size));
            Ok(Picture::animation(pictures, MILLISECONDS)?)
        }
    }
}

fn camera(arguments: &RenderArguments, views: &[View<'_>]) -> Camera {
    let around = || Camera::around_all(views, arguments.size);
    let Some(position) = arguments.camera else {
        return around();
    };
    Camera::new(position, arguments.target.unwrap_or_else(|| around().target))
}

/// Returns the report as text.
fn summary(shown: &[Shown], engine: &Engine, made: (&'static str, String), times: [f64; 2]) -> String {
    let mut counts = [0_usize; 3];
    for one in shown {
        for (count, more) in counts.iter_mut().zip(one.view().counts()) {
            *count += more;
        }
    }
    let [free, touching, overlapping] = counts.map(|count| count as u64);
    let mut lines = vec![("device", engine::describe(engine))];
    if shown.len() != 1 {
        lines.push(("frames", grouped(shown.len() as u64)));
    }
    lines.push(("free", grouped(free)));
    match shown.first().map(|one| one.view().legend) {
        Some(Legend::Colliding) => lines.push(("colliding", grouped(touching + overlapping))),
        _ => lines.extend([("touching", grouped(touching)), ("overlapping", grouped(overlapping))]),
    }
    lines.extend([
        made,
        (
            "time",
            format!("{:.3} ms to draw, and {:.3} ms to read and check", times[1], times[0]),
        ),
    ]);
    facts(&lines)
}
