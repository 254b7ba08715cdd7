//! `--bcf`: clashes of elements as topics for coordinators.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, PoisonError},
};

use obbligato::{
    Obb, Pair,
    glam::{DVec3, Vec3},
    mesh::{MeshBody, MeshPair},
    shape::{Aabb, Triangle},
};
use obbligato_files::{BcfCounts, BcfFile, BcfTopic, BcfVersion, Kind, is_ifc_guid};
use obbligato_render::{Arrow, Camera, Legend, Mark, View};

use super::scene::{Element, kind_of};
use crate::{
    args::mesh::MeshArguments,
    check::{
        bcf::{DESCRIBED, SIZE, bcf_camera},
        close_up::{Around, camera, size, visit_around},
    },
    date,
    failure::Failure,
    html::pictures::Artist,
};

/// The archive of a scene.
pub struct Bcf {
    file: BcfFile,
    artist: Artist,
    /// `true` if y is up in the files, as in glTF, and not z.
    has_y_up: bool,
}

/// The elements of a scene, as topics show them.
#[derive(Clone, Copy)]
pub struct Elements<'a> {
    pub all: &'a [Element<'a>],
    pub bodies: &'a [MeshBody],
    /// The point that was subtracted from all coordinates.
    pub origin: DVec3,
}

impl Bcf {
    /// Begins the archive, if one is requested.
    pub fn new(arguments: &MeshArguments) -> Result<Option<Self>, Failure> {
        let Some(path) = &arguments.bcf else {
            return Ok(None);
        };
        let version = arguments.bcf_version.map(BcfVersion::from);
        Ok(Some(Self {
            file: BcfFile::begin(path, date::now(), version)?,
            artist: Artist::new()?,
            has_y_up: is_gltf(&arguments.file),
        }))
    }

    /// Writes a topic for each pair of elements, whose names are IFC GUIDs, and ends the archive.
    pub fn write(mut self, elements: Elements<'_>, found: &[MeshPair]) -> Result<BcfCounts, Failure> {
        let mut topics: BTreeMap<[&str; 2], Vec<&MeshPair>> = BTreeMap::new();
        for pair in found {
            let mut key = elements.of(pair.pair).map(Element::part_name);
            key.sort_unstable();
            topics.entry(key).or_default().push(pair);
        }
        let bounds: Vec<Aabb> = elements
            .bodies
            .iter()
            .map(|body| self.bounds(body.triangles()))
            .collect();
        let around = around(&bounds, topics.values().map(|pairs| pairs[0].pair))?;
        for ((key, pairs), around) in topics.iter().zip(&around) {
            let picture = self.picture(elements, pairs[0], (&bounds, around));
            let topic = BcfTopic {
                key: key.to_vec(),
                title: elements.title(pairs[0].pair) + &more(pairs.len() - 1),
                kind: kind_of(pairs[0].relation),
                rule: None,
                priority: priority(kind_of(pairs[0].relation)),
                description: description(elements, pairs),
                components: distinct(key),
                colour: picture.mark.colour(),
                camera: bcf_camera(&picture.camera, self.turned(elements.origin)),
            };
            let artist = &mut self.artist;
            self.file.topic(&topic, || picture.draw(artist))?;
        }
        Ok(self.file.finish()?)
    }

    fn turned(&self, point: DVec3) -> DVec3 {
        match self.has_y_up {
            true => DVec3::new(point.x, -point.z, point.y),
            false => point,
        }
    }

    /// Returns triangles where z is up.
    fn upright(&self, triangles: &[Triangle]) -> Vec<Triangle> {
        let turned = |corner: Vec3| self.turned(corner.as_dvec3()).as_vec3();
        let turned = triangles.iter().map(|triangle| triangle.corners.map(turned));
        turned.map(|corners| Triangle { corners }).collect()
    }

    fn bounds(&self, triangles: &[Triangle]) -> Aabb {
        let bounds = self.upright(triangles).into_iter().map(|triangle| triangle.bounds());
        let joined = bounds.reduce(|a, b| Aabb::new(a.min.min(b.min), a.max.max(b.max)));
        joined.unwrap_or(Aabb::new(Vec3::ZERO, Vec3::ZERO))
    }

    fn picture(&self, elements: Elements<'_>, pair: &MeshPair, (bounds, around): (&[Aabb], &Around)) -> Picture {
        let both = [pair.pair.a, pair.pair.b].map(|element| element as usize);
        let kind = kind_of(pair.relation);
        let own = both.map(|element| bounds[element]);
        let smaller = usize::from(size(own[1]) < size(own[0]));
        let meshes = both.map(|element| elements.bodies[element].triangles());
        let named = pair.triangles.map(|Pair { a, b }| {
            let named = [meshes[0][a as usize], meshes[1][b as usize]];
            self.upright(&named)
        });
        // Where there are no triangles, one element is inside the other.
        let places = named
            .as_ref()
            .map_or([own[smaller]; 2], |named| [named[0].bounds(), named[1].bounds()]);
        // All of the smaller one is in the picture.
        let camera = camera(places, 4.0 * size(own[smaller]));
        let [p, q, r] = named.map_or([Vec3::ZERO, Vec3::X, Vec3::Y], |named| named[0].corners);
        let mut solid = meshes.map(|triangles| self.upright(triangles));
        let mut glass = Vec::new();
        if kind == Kind::Contain {
            // The outer one would hide the inner one.
            solid[1 - smaller].clear();
            glass.push((own[1 - smaller], mark_of(kind)));
        }
        glass.extend(
            around
                .iter()
                .map(|&(_, _, number)| (bounds[number as usize], Mark::Free)),
        );
        Picture {
            mark: mark_of(kind),
            camera,
            solid: solid.concat(),
            glass,
            arrow: Arrow {
                point: camera.target.as_vec3(),
                normal: (q - p).cross(r - p).try_normalize().unwrap_or(Vec3::Z),
                depth: 0.0,
            },
        }
    }
}

impl<'a> Elements<'a> {
    fn of(self, pair: Pair) -> [&'a Element<'a>; 2] {
        let mut both = [pair.a, pair.b].map(|element| &self.all[element as usize]);
        both.sort_by_key(|element| &element.name);
        both
    }

    fn title(self, pair: Pair) -> String {
        self.of(pair).map(|element| element.name.as_str()).join(" / ")
    }
}

/// A clash as a picture, where z is up.
struct Picture {
    mark: Mark,
    camera: Camera,
    solid: Vec<Triangle>,
    glass: Vec<(Aabb, Mark)>,
    arrow: Arrow,
}

impl Picture {
    /// Returns it as PNG: the elements in colour, and the bounds of those around them as glass.
    fn draw(&self, artist: &mut Artist) -> Result<Vec<u8>, Failure> {
        let solid = |bounds: Aabb| {
            let half = 0.5 * (bounds.max - bounds.min);
            Obb::axis_aligned(bounds.min.midpoint(bounds.max), half)
        };
        let ghosts: Vec<Obb> = self.glass.iter().map(|(bounds, _)| solid(*bounds)).collect();
        let ghost_marks: Vec<Mark> = self.glass.iter().map(|(_, mark)| *mark).collect();
        let marks = vec![self.mark; self.solid.len()];
        let view = View {
            triangles: &self.solid,
            triangle_marks: &marks,
            ghosts: (&ghosts).into(),
            ghost_marks: &ghost_marks,
            arrows: std::slice::from_ref(&self.arrow),
            legend: Legend::Hidden,
            ..View::default()
        };
        artist.png(&view, &self.camera, SIZE)
    }
}

/// Returns the elements around each pair.
fn around(bounds: &[Aabb], pairs: impl Iterator<Item = Pair>) -> Result<Vec<Around>, Failure> {
    let pairs: Vec<Pair> = pairs.collect();
    let place = |Pair { a, b }: &Pair| {
        let [a, b] = [a, b].map(|element| bounds[*element as usize]);
        Aabb::new(a.min.min(b.min), a.max.max(b.max))
    };
    let places: Vec<Aabb> = pairs.iter().map(place).collect();
    let around = Mutex::new(pairs.iter().map(|_| Around::default()).collect::<Vec<_>>());
    let add = |met: &[Pair]| {
        let mut around = around.lock().unwrap_or_else(PoisonError::into_inner);
        for Pair { a: place, b: number } in met {
            let own = pairs[*place as usize];
            if ![own.a, own.b].contains(number) {
                around[*place as usize].add((size(bounds[*number as usize]), 0, *number));
            }
        }
    };
    visit_around(&places, bounds, &add)?;
    Ok(around.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn is_gltf(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ["glb", "gltf"].iter().any(|name| ending.eq_ignore_ascii_case(name))
}

fn mark_of(kind: Kind) -> Mark {
    match kind {
        Kind::Touch | Kind::Near => Mark::Touching,
        _ => Mark::Overlapping,
    }
}

/// Returns the priority of a clash: how deep meshes are in each other is not known.
fn priority(kind: Kind) -> &'static str {
    match kind {
        Kind::Touch | Kind::Near => "Low",
        _ => "High",
    }
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        others => format!(" and {others} more"),
    }
}

fn distinct<'a>(key: &[&'a str; 2]) -> Vec<&'a str> {
    let mut components = key.to_vec();
    components.dedup();
    components
}

fn description(elements: Elements<'_>, pairs: &[&MeshPair]) -> String {
    let line = |pair: &&MeshPair| {
        let what = match kind_of(pair.relation) {
            Kind::Near => format!("near, {} apart", pair.distance),
            kind => kind.name().to_owned(),
        };
        format!("{}: {what}", elements.title(pair.pair))
    };
    let mut lines: Vec<String> = pairs.iter().take(DESCRIBED).map(line).collect();
    if pairs.len() > DESCRIBED {
        lines.push(format!("and {} more", pairs.len() - DESCRIBED));
    }
    lines.join("\n")
}

/// Returns a failure if the name of an element is not an IFC GUID.
pub fn expect_guids(elements: &[Element<'_>]) -> Result<(), Failure> {
    let mut others = elements.iter().filter(|element| !is_ifc_guid(element.part_name()));
    match others.next() {
        None => Ok(()),
        Some(first) => Err(Failure::Input(format!(
            "--bcf needs elements whose names are IFC GUIDs of 22 characters, but {} is not one ({} such in all): export \
             the model with GUIDs as names",
            first.name,
            1 + others.count()
        ))),
    }
}
