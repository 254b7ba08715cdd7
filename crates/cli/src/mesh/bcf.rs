//! `--bcf`: clashes of elements as topics for coordinators.

use std::{borrow::Cow, collections::BTreeMap, path::Path};

use obbligato::{
    Pair,
    glam::{DVec3, Vec3},
    mesh::{MeshBody, MeshPair},
    shape::Triangle,
};
use obbligato_files::{BcfCounts, BcfFile, BcfTopic, BcfVersion, Kind, bcf_priority, is_ifc_guid};
use obbligato_render::{
    Mark,
    close_up::{MeshClash, MeshCloseUps, SIZE},
};

use super::scene::{Element, kind_of};
use crate::{
    args::mesh::MeshArguments,
    check::bcf::{DESCRIBED, bcf_camera},
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
    /// Begins the archive, if one is requested. `first` is the first file of the scene.
    pub fn new(arguments: &MeshArguments, first: &Path) -> Result<Option<Self>, Failure> {
        let Some(path) = &arguments.bcf else {
            return Ok(None);
        };
        let version = arguments.bcf_version.map(BcfVersion::from);
        Ok(Some(Self {
            file: BcfFile::begin(path, date::now(), version)?,
            artist: Artist::new()?,
            has_y_up: is_gltf(first),
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
        let meshes: Vec<Cow<'_, [Triangle]>> = elements.bodies.iter().map(|body| self.upright(body)).collect();
        let meshes: Vec<&[Triangle]> = meshes.iter().map(|mesh| &**mesh).collect();
        let clashes: Vec<MeshClash> = topics.values().map(|pairs| clash(&meshes, pairs[0])).collect();
        let close_ups = MeshCloseUps::new(&meshes, &clashes)?;
        for (number, (key, pairs)) in topics.iter().enumerate() {
            let kind = kind_of(pairs[0].relation);
            let topic = BcfTopic {
                key: key.to_vec(),
                title: elements.title(pairs[0].pair) + &more(pairs.len() - 1),
                kind,
                rule: None,
                priority: bcf_priority(kind, None),
                description: description(elements, pairs),
                components: distinct(key),
                colour: clashes[number].mark.colour(),
                camera: bcf_camera(&close_ups.camera(number), self.turned(elements.origin)),
            };
            let artist = &mut self.artist;
            self.file.topic(&topic, || artist.close_up(&close_ups, number, SIZE))?;
        }
        Ok(self.file.finish()?)
    }

    fn turned(&self, point: DVec3) -> DVec3 {
        match self.has_y_up {
            true => DVec3::new(point.x, -point.z, point.y),
            false => point,
        }
    }

    /// Returns the triangles of an element, turned so that z is up.
    fn upright<'a>(&self, body: &'a MeshBody) -> Cow<'a, [Triangle]> {
        if !self.has_y_up {
            return body.triangles().into();
        }
        let turned = |corner: Vec3| self.turned(corner.as_dvec3()).as_vec3();
        let triangles = body.triangles().iter();
        triangles
            .map(|triangle| Triangle {
                corners: triangle.corners.map(turned),
            })
            .collect()
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

/// Returns a clash for its picture. Where there are no triangles, one element is inside the other.
fn clash(meshes: &[&[Triangle]], found: &MeshPair) -> MeshClash {
    let named = found.triangles.map(|Pair { a, b }| {
        let [first, second] = [found.pair.a, found.pair.b].map(|element| meshes[element as usize]);
        [first[a as usize], second[b as usize]]
    });
    let [p, q, r] = named.map_or([Vec3::ZERO, Vec3::X, Vec3::Y], |named| named[0].corners);
    let kind = kind_of(found.relation);
    MeshClash {
        pair: found.pair,
        place: named.map(|named| named.map(|triangle| triangle.bounds())),
        mark: match kind {
            Kind::Touch | Kind::Near => Mark::Touching,
            _ => Mark::Overlapping,
        },
        is_nested: kind == Kind::Contain,
        normal: (q - p).cross(r - p).try_normalize().unwrap_or(Vec3::Z),
    }
}

fn is_gltf(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ["glb", "gltf"].iter().any(|name| ending.eq_ignore_ascii_case(name))
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
