//! `--bcf`: clashes as topics for coordinators.

use std::collections::{HashMap, HashSet};

use obbligato::glam::DVec3;
use obbligato_files::{
    BcfCamera, BcfCounts, BcfFile, BcfTopic, BcfVersion, Clash, Ids, Kind, bcf_priority, is_ifc_guid,
};
use obbligato_render::{
    Camera,
    close_up::{FIELD_OF_VIEW, SIZE},
};

use super::{clash_rules::ClashRules, close_up::CloseUp, groups::Grouping, page::measured, scenes::Scenes};
use crate::{
    args::{check::CheckArguments, choices::FrameChoice},
    date,
    failure::Failure,
    html::pictures::Artist,
};

/// The maximum number of clashes that a topic describes.
pub const DESCRIBED: usize = 20;

/// The archive of a check.
pub struct Bcf<'a> {
    file: BcfFile,
    keep: &'a [String],
    grouping: Option<&'a Grouping>,
    rules: Option<&'a ClashRules>,
    artist: Artist,
}

impl<'a> Bcf<'a> {
    /// Begins the archive, if one is requested.
    pub fn new(arguments: &'a CheckArguments, rules: Option<&'a ClashRules>) -> Result<Option<Self>, Failure> {
        let Some(path) = &arguments.bcf else {
            return Ok(None);
        };
        if arguments.frame == Some(FrameChoice::All) {
            return Err(Failure::Input(
                "--bcf cannot hold several frames: pick one with --frame".into(),
            ));
        }
        let version = arguments.bcf_version.map(BcfVersion::from);
        Ok(Some(Self {
            file: BcfFile::begin(path, date::now(), version)?,
            keep: &arguments.keep,
            grouping: arguments.group.as_ref(),
            rules,
            artist: Artist::new()?,
        }))
    }

    /// Writes a topic for each clash or group of clashes.
    pub fn write(&mut self, scenes: &Scenes, clashes: &[Clash]) -> Result<(), Failure> {
        let groups = self.groups(scenes, clashes);
        let deepest = groups.iter().filter_map(|(_, group)| group.first().copied());
        let close_ups = CloseUp::of_all(scenes, deepest)?;
        for ((key, group), close_up) in groups.iter().zip(&close_ups) {
            let topic = self.topic(scenes, (key, group), close_up);
            let artist = &mut self.artist;
            let snapshot = || close_up.draw(|view, _| artist.png(view, &close_up.camera(), SIZE));
            self.file.topic(&topic, snapshot)?;
        }
        Ok(())
    }

    /// Returns the clashes of each topic, and the texts that identify it. Two elements that are in
    /// both files, each as the first and as the second of a pair, are one topic.
    fn groups<'s>(&self, scenes: &'s Scenes, clashes: &'s [Clash]) -> Vec<(Vec<&'s str>, Vec<&'s Clash>)> {
        let mut groups: Vec<(Vec<&str>, Vec<&Clash>)> = Vec::new();
        let mut places = HashMap::new();
        for group in numbered(clashes) {
            let key = match (self.grouping, &*group) {
                (None, [clash, ..]) => scenes.texts_of(clash.pair).to_vec(),
                (None, []) => continue,
                (Some(grouping), group) => grouping.key(scenes, group),
            };
            let place = *places.entry(key.clone()).or_insert(groups.len());
            match groups.get_mut(place) {
                Some((_, clashes)) => clashes.extend(group),
                None => groups.push((key, group)),
            }
        }
        groups
    }

    fn topic<'s>(
        &self,
        scenes: &'s Scenes,
        (key, group): (&[&'s str], &[&Clash]),
        close_up: &CloseUp<'s>,
    ) -> BcfTopic<'s>
    where
        'a: 's,
    {
        let clash = close_up.clash;
        let mut seen = HashSet::new();
        let guids = group.iter().flat_map(|clash| scenes.texts_of(clash.pair));
        let components = guids.filter(|guid| seen.insert(*guid)).collect();
        let others = match group.len() - 1 {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        BcfTopic {
            key: key.to_vec(),
            title: self.names(scenes, clash) + &others,
            kind: clash.kind,
            rule: self.rules.and_then(|rules| rules.name(clash.rule)),
            priority: bcf_priority(clash.kind, Some(clash.depth)),
            description: self.description(scenes, group),
            components,
            colour: close_up.mark().colour(),
            camera: bcf_camera(&close_up.camera(), scenes.origin),
        }
    }

    /// Returns the names of both elements: their texts in the kept columns, else their GUIDs.
    fn names(&self, scenes: &Scenes, clash: &Clash) -> String {
        let [a, b] = scenes.sides();
        let both = [(a, clash.pair.a), (b, clash.pair.b)].map(|(scene, body)| {
            let columns = self.keep.iter().filter_map(|name| scene.column(name));
            let texts: Vec<&str> = columns.map(|texts| texts.get(body as usize)).collect();
            match texts.join(" ").trim() {
                "" => scene.id_of(body as usize).to_string(),
                name => name.to_owned(),
            }
        });
        both.join(" / ")
    }

    fn description(&self, scenes: &Scenes, group: &[&Clash]) -> String {
        let mut lines: Vec<String> = Vec::new();
        for clash in group.iter().take(DESCRIBED) {
            let [depth, distance, x, y, z] = [clash.depth, clash.distance, clash.point.x, clash.point.y, clash.point.z]
                .map(|number| measured(number).text().to_owned());
            let what = match clash.kind {
                Kind::Touch => "touch".to_owned(),
                Kind::Near => format!("near, {distance} apart"),
                kind => format!("{}, {depth} deep", kind.name()),
            };
            lines.push(format!("{}: {what} at {x}, {y}, {z}", self.names(scenes, clash)));
        }
        if group.len() > DESCRIBED {
            lines.push(format!("and {} more", group.len() - DESCRIBED));
        }
        lines.join("\n")
    }

    /// Ends the archive, and gives it its name.
    pub fn finish(self) -> Result<BcfCounts, Failure> {
        Ok(self.file.finish()?)
    }
}

/// Returns the clashes of each numbered group, or each clash alone.
fn numbered(clashes: &[Clash]) -> Vec<Vec<&Clash>> {
    let mut groups: Vec<Vec<&Clash>> = Vec::new();
    for clash in clashes {
        match clash.group.and_then(|group| groups.get_mut(group as usize)) {
            Some(group) => group.push(clash),
            // Groups are numbered by their first clash.
            None => groups.push(vec![clash]),
        }
    }
    groups
}

/// Returns the camera of a picture in the world, whose origin is that of the pictures.
pub fn bcf_camera(camera: &Camera, origin: DVec3) -> BcfCamera {
    BcfCamera::looking(camera.position + origin, camera.target + origin, FIELD_OF_VIEW, SIZE)
}

/// Returns a failure if an id is not an IFC GUID.
pub fn expect_guids(scenes: &Scenes) -> Result<(), Failure> {
    let (mut first, mut count) = (None, 0u64);
    for scene in scenes
        .sides()
        .into_iter()
        .take(if scenes.against.is_some() { 2 } else { 1 })
    {
        let is_guid = |body: usize| match &scene.ids {
            Some(Ids::Texts(texts)) => is_ifc_guid(texts.get(body)),
            _ => false,
        };
        for body in (0..scene.len()).filter(|&body| !is_guid(body)) {
            first.get_or_insert_with(|| scene.id_of(body).to_string());
            count += 1;
        }
    }
    match first {
        None => Ok(()),
        Some(id) => Err(Failure::Input(format!(
            "--bcf needs ids that are IFC GUIDs of 22 characters, but {id} is not one ({count} such in all): name the \
             column of GUIDs with --id-column"
        ))),
    }
}
