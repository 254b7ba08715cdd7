//! The values of arguments, and the errors about invalid ones.

use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use obbligato::{BroadPhase, Period, glam::DVec3};
use obbligato_files::out_of_core::OutOfCore;
use obbligato_render::Picture;
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::BodyScene;

use crate::{args::choices::FrameChoice, compare::Extent, output::Sink};

/// The default seed, so that `verify --scene` sees the same boxes that `bench` timed.
pub const DEFAULT_SEED: u64 = 1;

/// Parses the name of a scene.
pub(super) fn scene_parser() -> impl TypedValueParser<Value = BodyScene> {
    let names = BodyScene::all().map(|scene| PossibleValue::new(scene.name()).help(scene.describe()));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<BodyScene>())
}

/// Parses the name of a broad phase.
pub(super) fn broad_phase_parser() -> impl TypedValueParser<Value = BroadPhase> {
    let names = BroadPhase::ALL
        .iter()
        .map(|phase| PossibleValue::new(phase.name()).help(phase.describe()));
    let named = |name: String| BroadPhase::ALL.iter().copied().find(|phase| phase.name() == name);
    PossibleValuesParser::new(names).try_map(move |name| named(name).ok_or("no such broad phase"))
}

/// Returns the help on the choice of a broad phase.
pub(super) fn broad_phase_help() -> String {
    let on_cpu: Vec<&str> = BroadPhase::ALL
        .iter()
        .filter(|phase| !phase.is_on_gpu())
        .map(|phase| phase.name())
        .collect();
    let (last, others) = on_cpu.split_last().unwrap_or((&"none", &[]));
    format!(
        "The algorithm that finds the candidate pairs; all give the same result. {} and {last} run on the CPU",
        others.join(", ")
    )
}

/// Parses the destination of a result.
pub(super) fn sink_parser() -> impl TypedValueParser<Value = Sink> {
    PathBufValueParser::new().map(Sink::new)
}

/// Parses `N` comma-separated numbers.
pub(super) fn parse_numbers<const N: usize>(text: &str) -> Result<[f32; N], String> {
    let wrong = || format!("expected {N} numbers separated by commas");
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    numbers.map_err(|_| wrong())?.try_into().map_err(|_| wrong())
}

/// A corner of a room: without z, if that is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    pub plan: [f32; 2],
    pub z: Option<f32>,
}

/// Parses a corner of a room.
pub(super) fn parse_corner(text: &str) -> Result<Corner, String> {
    match parse_numbers::<2>(text) {
        Ok(plan) => Ok(Corner { plan, z: None }),
        Err(_) => parse_numbers::<3>(text).map(|[x, y, z]| Corner {
            plan: [x, y],
            z: Some(z),
        }),
    }
}

/// Parses a point in space.
pub(super) fn parse_place(text: &str) -> Result<DVec3, String> {
    let wrong = || "expected 3 finite numbers separated by commas".to_owned();
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    let place: [f64; 3] = numbers.map_err(|_| wrong())?.try_into().map_err(|_| wrong())?;
    let place = DVec3::from_array(place);
    place.is_finite().then_some(place).ok_or_else(wrong)
}

/// Parses the lengths after which space repeats.
pub(super) fn parse_period(text: &str) -> Result<Period, String> {
    let wrong = || "expected 3 lengths above 0 separated by commas, or - for an axis that does not repeat".to_owned();
    let length = |text: &str| match text.trim() {
        "-" => Some(None),
        number => {
            let length: f64 = number.parse().ok()?;
            (length.is_finite() && length > 0.0).then_some(Some(length))
        }
    };
    let lengths: Option<Vec<Option<f64>>> = text.split(',').map(length).collect();
    let lengths = lengths.ok_or_else(wrong)?.try_into().map_err(|_| wrong())?;
    Ok(Period::new(lengths))
}

/// Parses the width and the height of a picture.
pub(super) fn parse_size(text: &str) -> Result<[u32; 2], String> {
    const MOST: u32 = Picture::MOST_PIXELS;
    let size = text.split_once(['x', 'X']).and_then(|(width, height)| {
        let side = |text: &str| text.trim().parse().ok().filter(|side| (1..=MOST).contains(side));
        Some([side(width)?, side(height)?])
    });
    size.ok_or_else(|| format!("expected pixels as WIDTHxHEIGHT, such as 1920x1080, up to {MOST} each"))
}

/// Parses a frame number, or `all`.
pub(super) fn parse_frame(text: &str) -> Result<FrameChoice, String> {
    match text {
        "all" => Ok(FrameChoice::All),
        number => match number.parse() {
            Ok(frame) => Ok(FrameChoice::One(frame)),
            Err(_) => Err("expected a whole number, or all".into()),
        },
    }
}

/// Parses the memory limit of a check from disk.
pub(super) fn parse_memory(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        bytes if bytes < OutOfCore::LEAST_MEMORY => Err(format!(
            "a check from disk takes at least {}MB: give as much or more",
            OutOfCore::LEAST_MEMORY / 1_000_000
        )),
        bytes => Ok(bytes),
    }
}

/// Parses a number of bytes.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || "expected bytes such as 4GB, 512MB or 2GiB".to_owned();
    let text = text.trim();
    let end = text
        .find(|letter: char| letter.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let unit: f64 = match text[end..].to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => (1u64 << 20) as f64,
        "gib" => (1u64 << 30) as f64,
        "tib" => (1u64 << 40) as f64,
        _ => return Err(wrong()),
    };
    let number: f64 = text[..end].trim().parse().map_err(|_| wrong())?;
    let bytes = (number * unit).floor();
    match (1.0..1e18).contains(&bytes) {
        true => Ok(bytes as u64),
        false => Err(wrong()),
    }
}

/// Parses the number of boxes of a tile.
pub(super) fn parse_tile(text: &str) -> Result<usize, String> {
    match parse_count(text)? {
        0 => Err("expected a number from 1".into()),
        boxes => Ok(boxes),
    }
}

/// Parses a depth.
pub(super) fn parse_depth(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(depth) if (0.0..f64::INFINITY).contains(&depth) => Ok(depth),
        _ => Err("expected a depth: a number from 0".into()),
    }
}

/// Parses a distance.
pub(super) fn parse_distance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(distance) if (0.0..f64::INFINITY).contains(&distance) => Ok(distance),
        _ => Err("expected a distance: a finite number from 0".into()),
    }
}

/// Parses the length of a step.
pub(super) fn parse_duration(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(duration) if (0.0..f64::INFINITY).contains(&duration) => Ok(duration),
        _ => Err("expected seconds: a finite number from 0".into()),
    }
}

/// Parses the distance at which boxes count as colliding.
pub(super) fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(tolerance) if tolerance.is_finite() && tolerance > 0.0 => Ok(tolerance),
        _ => Err("expected a distance: a finite number above 0".into()),
    }
}

/// Parses a threshold for ratios.
pub(super) fn parse_ratio(text: &str) -> Result<f64, String> {
    let ratio = text
        .parse()
        .ok()
        .filter(|ratio: &f64| ratio.is_finite() && *ratio > 0.0);
    ratio.ok_or_else(|| "expected a ratio above 0, such as 1.2".into())
}

/// Parses the duration of a measurement.
pub(super) fn parse_minutes(text: &str) -> Result<f64, String> {
    const MOST: f64 = 1e6;
    let minutes = text
        .parse()
        .ok()
        .filter(|&minutes: &f64| minutes > 0.0 && minutes <= MOST);
    minutes.ok_or_else(|| format!("expected a number of minutes above 0, such as 9 or 0.5, and at most {MOST}"))
}

/// Parses a number of runs.
pub(super) fn parse_runs(text: &str) -> Result<usize, String> {
    const MOST: usize = 10_000;
    let runs = text.parse().ok().filter(|runs| (1..=MOST).contains(runs));
    runs.ok_or_else(|| format!("expected a number of runs from 1 to {MOST}"))
}

/// Parses the number of boxes to compare with the reference.
pub(super) fn parse_extent(text: &str) -> Result<Extent, String> {
    match text {
        "all" => Ok(Extent::All),
        _ => match parse_count(text) {
            Ok(0) => Err("comparing nothing proves nothing: expected a number above 0, or all".into()),
            Ok(count) => Ok(Extent::Boxes(count)),
            Err(problem) => Err(format!("{problem}, or all")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_places() {
        assert_eq!(parse_size("1920x1080"), Ok([1920, 1080]));
        assert_eq!(parse_place("1,-2.5, 3e2"), Ok(DVec3::new(1.0, -2.5, 300.0)));
        for text in ["", "1920", "1920x", "x", "-1x3", "1.5x2", "1x2x3", "0x9", "9x32769"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        for text in ["", "1,2", "1,2,nan", "1,2,inf", "1,2,3,4"] {
            assert!(parse_place(text).is_err(), "{text}");
        }
    }

    #[test]
    fn periods() {
        let lengths = |text| parse_period(text).map(|period| period.lengths);
        assert_eq!(lengths("1.5, 2e3,-"), Ok([Some(1.5), Some(2e3), None]));
        assert_eq!(lengths("-,8,-"), Ok([None, Some(8.0), None]));
        for text in [
            "", "1,2", "1,2,3,4", "0,1,1", "-1,1,1", "1,inf,1", "1,nan,1", "1,,1", "--,1,1",
        ] {
            assert!(parse_period(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(parse_numbers("1,-2.5, 3e2"), Ok([1.0, -2.5, 300.0]));
        for text in ["", "1,2", "1,2,3,4", "1,2,x", "1,2,", "1;2;3"] {
            assert!(parse_numbers::<3>(text).is_err(), "{text}");
        }
    }
}
