//! A picture of a clash check: the ground floor of a building, coloured by what the check found.
//!
//! `cargo run --release --example picture > docs/src/images/building.svg`

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use obbligato::files::read_scene;
use obbligato::glam::{DVec2, DVec3};
use obbligato::{BoxSet, Checker, Config, Obb, Report, Rules};

/// Walls and doors are drawn up to this height, in metres: the rooms behind them stay visible.
const CUT: f32 = 1.5;
/// Where the camera is, as seen from the building.
const CAMERA: DVec3 = DVec3::new(0.45, -1.0, 1.25);
/// Pixels a metre, and the space around the drawing in pixels.
const SCALE: f64 = 17.0;
const BORDER: DVec2 = DVec2::splat(16.0);
/// Where the light comes from.
const LIGHT: DVec3 = DVec3::new(-0.35, -0.5, 0.8);

/// What a check says about a box, the worst last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Free,
    Touches,
    Overlaps,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/building.csv");
    let elements = read_scene(&path, None)?.boxes.into_iter().zip(kinds(&path)?);
    // Spaces and openings are not solid. Ceilings and the upper floor would hide the rooms.
    let hidden = ["IfcSpace", "IfcOpeningElement", "IfcCovering"];
    let (boxes, kinds): (Vec<Obb>, Vec<String>) = elements
        .filter(|(element, kind)| !hidden.contains(&kind.as_str()) && element.center.z < 3.5)
        .unzip();

    // Doors stand in walls, and walls in one another: what is built is static, and only desks, trees and signs are checked.
    let placed = ["IfcFurnishingElement", "IfcBuildingElementProxy"];
    let built: Vec<bool> = kinds.iter().map(|kind| !placed.contains(&kind.as_str())).collect();
    let rules = Rules {
        statics: Some(&built),
        ..Rules::default()
    };
    let mut checker = Checker::new(Config {
        list_touching: true,
        ..Config::default()
    })?;
    let report = checker.check(BoxSet::new(&boxes).with(rules))?;
    let states = states(&report);
    print!("{}", picture(&boxes, &states)?);
    Ok(())
}

/// What each row's element is.
fn kinds(path: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut rows = csv::Reader::from_path(path)?;
    let column = rows.headers()?.iter().position(|header| header == "type");
    let column = column.ok_or("no column type")?;
    rows.records().map(|row| Ok(row?[column].to_owned())).collect()
}

fn states(report: &Report) -> Vec<State> {
    let mut states = vec![State::Free; report.boxes];
    for pair in report.pairs().expect("asked for") {
        let state = match report.touching().expect("asked for").binary_search(pair) {
            Ok(_) => State::Touches,
            Err(_) => State::Overlaps,
        };
        for position in [pair.a, pair.b] {
            let own = &mut states[position as usize];
            *own = state.max(*own);
        }
    }
    states
}

fn picture(boxes: &[Obb], states: &[State]) -> Result<String, Box<dyn Error>> {
    // Of faces in one plane the later is drawn over the earlier: windows over their walls.
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&a, &b| {
        let volume = |position: usize| boxes[position].half_extents.element_product();
        volume(b).total_cmp(&volume(a))
    });
    let faces = order
        .iter()
        .flat_map(|&position| faces(&boxes[position], states[position]));
    let faces: Vec<Face> = faces.collect();
    let points = || {
        faces
            .iter()
            .flat_map(|face| &face.corners)
            .map(|&corner| project(corner))
    };
    let low = points().fold(DVec2::MAX, DVec2::min) - BORDER;
    let size = points().fold(DVec2::MIN, DVec2::max) + BORDER - low;
    let mut svg = String::new();
    writeln!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0} {:.0}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="17">
<title>A clash check of a building</title>
<desc>Made by examples/picture.rs from tests/data/building.csv, whose source tests/data/README.md names.</desc>
<rect width="100%" height="100%" rx="10" fill="#fbfbf9"/>
<g stroke-width=".6" stroke-linejoin="round" transform="translate({:.1} {:.1})">"##,
        size.x, size.y, -low.x, -low.y
    )?;
    if let Some(tree) = Tree::new(faces) {
        tree.draw(&mut svg)?;
    }
    svg.push_str("</g>\n<g fill=\"#1d2733\">\n");
    for (row, (state, text)) in [
        (State::Overlaps, "overlap another box"),
        (State::Touches, "only touch others"),
        (State::Free, "are free"),
    ]
    .into_iter()
    .enumerate()
    {
        let count = states.iter().filter(|&&own| own == state).count();
        let y = size.y as usize - 108 + 28 * row;
        let fill = shade(state, 1.0);
        writeln!(
            svg,
            r##"<rect x="28" y="{y}" width="18" height="18" rx="3" fill="{fill}"/><text x="56" y="{}">{count} boxes {text}</text>"##,
            y + 15
        )?;
    }
    svg.push_str("</g>\n</svg>\n");
    Ok(svg)
}

/// A polygon in space: a face of a box, or a piece of one.
struct Face {
    corners: Vec<DVec3>,
    /// Whether the side from each corner to the next is an edge of the box; the other sides are cuts.
    edges: Vec<bool>,
    normal: DVec3,
    state: State,
    /// Trees hide nothing.
    glass: bool,
}

/// The faces of a box that the camera sees.
fn faces(obb: &Obb, state: State) -> Vec<Face> {
    let glass = obb.half_extents.z > 3.0;
    let (low, high) = (obb.center.z - obb.half_extents.z, obb.center.z + obb.half_extents.z);
    let high = if glass { high } else { high.min(CUT) };
    let mut center = obb.center.as_dvec3();
    let mut half = obb.half_extents.as_dvec3();
    center.z = f64::from(low + high) / 2.0;
    half.z = f64::from(high - low) / 2.0;
    let turn = obb.rotation.as_dquat();
    let mut faces = Vec::new();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let [u, v, w] = [1, 2, 0].map(|step| DVec3::AXES[(axis + step) % 3]);
            let normal = turn * (w * sign);
            if normal.dot(CAMERA) <= 0.0 {
                continue;
            }
            let corner = |[s, t]: [f64; 2]| center + turn * ((u * s + v * t * sign + w * sign) * half);
            faces.push(Face {
                corners: [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                    .map(corner)
                    .to_vec(),
                edges: vec![true; 4],
                normal,
                state,
                glass,
            });
        }
    }
    faces
}

impl Face {
    /// What lies behind a plane and what lies before it.
    fn split(self, normal: DVec3, offset: f64) -> [Option<Face>; 2] {
        let heights: Vec<f64> = self.corners.iter().map(|corner| corner.dot(normal) - offset).collect();
        let piece = |side: f64| {
            let (mut corners, mut edges) = (Vec::new(), Vec::new());
            for (k, &corner) in self.corners.iter().enumerate() {
                let next = (k + 1) % self.corners.len();
                let (here, there) = (heights[k] * side, heights[next] * side);
                if here >= 0.0 {
                    corners.push(corner);
                    // From a corner in the plane to the far side the way leads along the cut.
                    edges.push(self.edges[k] && (here > 0.0 || there >= 0.0));
                }
                if here * there < 0.0 {
                    corners.push(corner.lerp(self.corners[next], here / (here - there)));
                    edges.push(self.edges[k] && there > 0.0);
                }
            }
            Face { corners, edges, ..self }
        };
        let reaches = |side: f64| heights.iter().any(|height| height * side > 1e-6);
        [-1.0, 1.0].map(|side| reaches(side).then(|| piece(side)))
    }

    fn draw(&self, svg: &mut String) -> std::fmt::Result {
        let points: Vec<DVec2> = self.corners.iter().map(|&corner| project(corner)).collect();
        let light = 0.72 + 0.28 * self.normal.dot(LIGHT.normalize()).max(0.0);
        let fill = shade(self.state, light);
        let mut path = String::new();
        for (k, point) in points.iter().enumerate() {
            write!(path, "{}{:.1} {:.1}", if k == 0 { 'M' } else { 'L' }, point.x, point.y)?;
        }
        match self.glass {
            true => writeln!(svg, r##"<path d="{path}z" fill="{fill}" opacity=".18"/>"##)?,
            false => writeln!(svg, r##"<path d="{path}z" fill="{fill}" stroke="{fill}"/>"##)?,
        }
        let mut outline = String::new();
        for (k, from) in points.iter().enumerate().filter(|(k, _)| self.edges[*k]) {
            let to = points[(k + 1) % points.len()];
            write!(outline, "M{:.1} {:.1}L{:.1} {:.1}", from.x, from.y, to.x, to.y)?;
        }
        if !outline.is_empty() {
            let ink = shade(self.state, 0.5);
            writeln!(svg, r##"<path d="{outline}" stroke="{ink}"/>"##)?;
        }
        Ok(())
    }
}

/// Where a point is in the picture.
fn project(point: DVec3) -> DVec2 {
    let right = DVec3::Z.cross(CAMERA).normalize();
    let up = CAMERA.cross(right).normalize();
    DVec2::new(point.dot(right), -point.dot(up)) * SCALE
}

fn shade(state: State, light: f64) -> String {
    let colour = match state {
        State::Free => [205.0, 214.0, 224.0],
        State::Touches => [246.0, 217.0, 150.0],
        State::Overlaps => [214.0, 72.0, 84.0],
    };
    let [red, green, blue] = colour.map(|channel: f64| (channel * light) as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A binary space partition: it orders faces from back to front, even those of boxes that stand in one another.
struct Tree {
    /// Faces in one plane.
    faces: Vec<Face>,
    behind: Option<Box<Tree>>,
    before: Option<Box<Tree>>,
}

impl Tree {
    fn new(faces: Vec<Face>) -> Option<Self> {
        let first = faces.first()?;
        let (normal, offset) = (first.normal, first.corners[0].dot(first.normal));
        let (mut within, mut behind, mut before) = (Vec::new(), Vec::new(), Vec::new());
        for face in faces {
            let flat = face
                .corners
                .iter()
                .all(|corner| (corner.dot(normal) - offset).abs() <= 1e-6);
            if flat {
                within.push(face);
                continue;
            }
            let [back, front] = face.split(normal, offset);
            behind.extend(back);
            before.extend(front);
        }
        let subtree = |faces| Self::new(faces).map(Box::new);
        Some(Self {
            faces: within,
            behind: subtree(behind),
            before: subtree(before),
        })
    }

    fn draw(&self, svg: &mut String) -> std::fmt::Result {
        // All faces look at the camera.
        if let Some(tree) = &self.behind {
            tree.draw(svg)?;
        }
        for face in &self.faces {
            face.draw(svg)?;
        }
        match &self.before {
            Some(tree) => tree.draw(svg),
            None => Ok(()),
        }
    }
}
