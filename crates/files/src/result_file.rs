//! A table of results that is written to a file.

use std::path::{Path, PathBuf};

use glam::DVec3;

use crate::clash::{Clash, MeshClash};
use crate::csv::results::{self, Names};
use crate::error::{Error, Result};
use crate::format::{ENDINGS, Format};
use crate::frame_ids::FrameIds;
use crate::ids::Ids;
use crate::output::Unfinished;
#[cfg(feature = "parquet")]
use crate::parquet::results::ParquetResults;
use crate::points::PointGroups;
use crate::problem::problem;
use crate::result_table::{Layout, Table};
use crate::scene::{Column, SceneFile};
use crate::tracked_contacts::TrackedContacts;
use crate::{npy, output};
use obbligato::{
    Pair,
    contact::{ClosestPoints, Contacts, Overlap},
    motion::{Approaching, Impact},
    region::{Enclosure, PointState},
    report::Neighbours,
    shape::Image,
    tracking::Event,
};
use obbligato_support::memory;

/// The scenes of the boxes `a` and `b` in a table; the same scene twice for pairs of one scene.
pub type Sides<'a> = [&'a SceneFile; 2];

/// A file of results, written frame by frame if there are several. Dropping it before
/// [`ResultFile::finish`] leaves nothing behind.
pub struct ResultFile {
    path: PathBuf,
    table: Table,
    format: Format,
    layout: Layout,
    begun: Option<Unfinished>,
    /// Used instead of `begun` for a Parquet file.
    #[cfg(feature = "parquet")]
    parquet: Option<ParquetResults>,
}

impl ResultFile {
    /// Creates a table to be written to a path; `-` is stdout. Call it before computing the
    /// results: it checks that they can be written there. Temporary files that ended processes left
    /// in the folder are removed.
    ///
    /// # Errors
    /// [`Error::File`] if the extension is unknown or belongs to a format that
    /// cannot hold the table, if the folder does not exist or does not accept new files, or if the
    /// path is a folder itself.
    pub fn new(path: &Path, table: Table, layout: Layout) -> Result<Self> {
        let endings = match table.beyond_numbers() {
            None => ENDINGS,
            // As NPY these are two files, not a table.
            Some(_) if table == Table::Neighbours => ".csv or .npy",
            Some(_) => ".csv",
        };
        let format = Format::of_output(path, layout.unnamed, endings)?;
        if let Some(what) = match format {
            Format::Csv => None,
            Format::Npy => table.beyond_numbers().or(layout.frames.then_some("several frames")),
            #[cfg(feature = "parquet")]
            Format::Parquet => table.beyond_numbers(),
        } {
            return Err(cannot_hold(path, format, what));
        }
        output::check_place(path)?;
        Ok(Self {
            path: path.to_owned(),
            table,
            format,
            layout,
            begun: None,
            #[cfg(feature = "parquet")]
            parquet: None,
        })
    }

    /// Checks that the file can hold the ids of scenes: NPY files cannot hold texts. Call this,
    /// too, before computing the results.
    ///
    /// # Errors
    /// [`Error::File`] if not.
    pub fn check_ids(&self, sides: Sides<'_>) -> Result<()> {
        self.check_texts(ids(sides))
    }

    /// Checks that the file can hold the ids of groups of points, as [`ResultFile::check_ids`] does
    /// for scenes.
    ///
    /// # Errors
    /// [`Error::File`] if not.
    pub fn check_group_ids(&self, groups: &PointGroups) -> Result<()> {
        self.check_texts([Some(&groups.ids); 2])
    }

    fn check_texts(&self, ids: [Option<&Ids>; 2]) -> Result<()> {
        let texts = ids.iter().any(|ids| matches!(ids, Some(Ids::Texts(_))));
        match texts && self.format == Format::Npy && self.table == Table::Pairs {
            true => Err(cannot_hold(&self.path, Format::Npy, "ids that are texts")),
            false => Ok(()),
        }
    }

    /// Writes pairs in the order given.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written;
    /// [`Error::ClosedPipe`](crate::Error::ClosedPipe) if it is stdout and its reader is gone. The
    /// same holds for all tables.
    pub fn pairs(&mut self, frame: Option<i64>, sides: Sides<'_>, pairs: &[Pair]) -> Result<()> {
        self.write_pairs(frame, ids(sides), pairs)
    }

    /// Writes `count` pairs of numbers that arrive in order and in batches: `pairs` passes each
    /// batch to its argument.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`]; also if the number of pairs is not `count`; and those of `pairs`.
    pub fn pairs_in_order(
        &mut self,
        count: u64,
        pairs: impl FnOnce(&mut dyn FnMut(&[Pair]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        if self.format == Format::Npy {
            self.begin()?.write(|out| npy::begin_pairs(out, count))?;
        }
        let mut written = 0;
        pairs(&mut |some| {
            written += some.len() as u64;
            match self.format {
                Format::Npy => self.begin()?.write(|out| npy::write_more_pairs(out, [None; 2], some)),
                _ => self.write_pairs(None, [None; 2], some),
            }
        })?;
        match written == count {
            true => Ok(()),
            false => Err(problem(
                &self.path,
                format!("was announced with {count} pairs but got {written}: give as many as announced"),
            )),
        }
    }

    /// Writes pairs of groups of points.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn pairs_of_groups(&mut self, groups: &PointGroups, pairs: &[Pair]) -> Result<()> {
        self.write_pairs(None, [Some(&groups.ids); 2], pairs)
    }

    /// Writes pairs of positions, such as those of triangles.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn pairs_of_positions(&mut self, pairs: &[Pair]) -> Result<()> {
        self.write_pairs(None, [None; 2], pairs)
    }

    pub(super) fn write_pairs(&mut self, frame: Option<i64>, ids: [Option<&Ids>; 2], pairs: &[Pair]) -> Result<()> {
        let names = Names { frame, ids };
        match self.format {
            Format::Csv => self.begin()?.write(|out| results::write_pairs(out, names, pairs)),
            Format::Npy => {
                let numbers = ids.map(|ids| ids.and_then(Ids::numbers));
                self.begin()?.write(|out| npy::write_pairs(out, numbers, pairs))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => self.begin_parquet(ids)?.write_pairs(names, pairs),
        }
    }

    /// Writes the number of pairs of each body, in the row order of the scene's file.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn degrees(&mut self, frame: Option<i64>, scene: &SceneFile, degrees: &[u32]) -> Result<()> {
        let order = scene.by_rows()?;
        self.write_degrees(frame, scene.ids.as_ref(), order.as_deref(), degrees)
    }

    pub(super) fn write_degrees(
        &mut self,
        frame: Option<i64>,
        ids: Option<&Ids>,
        order: Option<&[u32]>,
        degrees: &[u32],
    ) -> Result<()> {
        let names = Names { frame, ids: [ids; 2] };
        match (self.format, order) {
            (Format::Csv, _) => {
                let out = self.begin()?;
                out.write(|out| results::write_degrees(out, names, order, degrees))
            }
            (Format::Npy, None) => self.begin()?.write(|out| npy::write_numbers(out, degrees)),
            (Format::Npy, Some(order)) => {
                let ordered = order.iter().map(|&body| degrees[body as usize]);
                let ordered = memory::collect(ordered, "the degrees by rows")?;
                self.begin()?.write(|out| npy::write_numbers(out, &ordered))
            }
            #[cfg(feature = "parquet")]
            (Format::Parquet, _) => self.begin_parquet([ids; 2])?.write_degrees(names, order, degrees),
        }
    }

    /// Writes the contacts of pairs with these images, which are used if [`Layout::images`] is set,
    /// one row per point. Points are numbered from 0 in each pair; for the notation of features,
    /// see [`Feature`](obbligato::contact::Feature). Numbers have as many digits as needed to read
    /// the same `f64` back.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn contacts(
        &mut self,
        frame: Option<i64>,
        sides: Sides<'_>,
        pairs: &[Pair],
        contacts: &Contacts,
        images: &[Image],
    ) -> Result<()> {
        let (names, images) = (named(frame, sides), self.layout.images.then_some(images));
        self.begin()?
            .write(|out| results::write_contacts(out, names, pairs, contacts, images))
    }

    /// Writes the distances and closest points of pairs with these images, which are used if
    /// [`Layout::images`] is set. Numbers have as many digits as needed to
    /// read the same `f64` back.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn distances(
        &mut self,
        frame: Option<i64>,
        sides: Sides<'_>,
        pairs: &[Pair],
        closest: &[ClosestPoints],
        images: &[Image],
    ) -> Result<()> {
        let images = self.layout.images.then_some(images);
        self.write_distances(named(frame, sides), (pairs, images), closest, DVec3::ZERO)
    }

    /// Writes the distances and closest points of pairs of groups of points.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn distances_of_groups(
        &mut self,
        groups: &PointGroups,
        pairs: &[Pair],
        closest: &[ClosestPoints],
    ) -> Result<()> {
        let names = Names {
            frame: None,
            ids: [Some(&groups.ids); 2],
        };
        let origin = groups.origins.first().copied().unwrap_or_default();
        self.write_distances(names, (pairs, None), closest, origin)
    }

    fn write_distances(
        &mut self,
        names: Names<'_>,
        pairs: (&[Pair], Option<&[Image]>),
        closest: &[ClosestPoints],
        origin: DVec3,
    ) -> Result<()> {
        self.begin()?
            .write(|out| results::write_distances(out, names, pairs, closest, origin))
    }

    /// Writes the overlaps of pairs with these images, which are used if [`Layout::images`] is set.
    /// Numbers have as many digits as needed to read the same `f64` back.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn volumes(
        &mut self,
        frame: Option<i64>,
        sides: Sides<'_>,
        pairs: &[Pair],
        overlaps: &[Overlap],
        images: &[Image],
    ) -> Result<()> {
        let (names, images) = (named(frame, sides), self.layout.images.then_some(images));
        self.begin()?
            .write(|out| results::write_volumes(out, names, (pairs, images), overlaps))
    }

    /// Writes clashes in the order given, with the columns of [`Layout::kept`].
    ///
    /// # Errors
    /// See [`ResultFile::pairs`]; also if a scene was read without one of these columns.
    pub fn clashes(&mut self, frame: Option<i64>, sides: Sides<'_>, clashes: &[Clash]) -> Result<()> {
        let kept = self.layout.kept.iter().map(|name| {
            let [a, b] = sides.map(|scene| scene.columns.iter().find(|column| column.name == *name));
            let lacks = || problem(&self.path, format!("needs the column {name} of the scene: read it"));
            Ok([a.ok_or_else(lacks)?, b.ok_or_else(lacks)?])
        });
        let kept: Vec<[&Column; 2]> = kept.collect::<Result<_>>()?;
        let (names, layout) = (named(frame, sides), self.layout.clone());
        self.begin()?
            .write(|out| results::write_clashes(out, names, &kept, &layout, clashes))
    }

    /// Writes clashes of meshes in the order given.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn mesh_clashes(&mut self, clashes: &[MeshClash<'_>]) -> Result<()> {
        self.begin()?.write(|out| results::write_mesh_clashes(out, clashes))
    }

    /// Writes impacts with these images, which are used if [`Layout::images`] is set, in the order
    /// given. Numbers have as many digits as needed to read the same `f64` back.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn impacts(&mut self, scene: &SceneFile, impacts: &[Impact], images: &[Image]) -> Result<()> {
        let (names, images) = (named(None, [scene; 2]), self.layout.images.then_some(images));
        self.begin()?
            .write(|out| results::write_impacts(out, names, impacts, images))
    }

    /// Writes closest approaches with their images in the order given, as [`ResultFile::impacts`]
    /// does.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn approaches(&mut self, scene: &SceneFile, approaches: &[Approaching], images: &[Image]) -> Result<()> {
        let (names, images) = (named(None, [scene; 2]), self.layout.images.then_some(images));
        self.begin()?
            .write(|out| results::write_approaches(out, names, approaches, images))
    }

    /// Writes the events of a frame, whose boxes have the numbers of `ids`.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn events(&mut self, frame: i64, ids: &FrameIds<'_>, events: &[Event]) -> Result<()> {
        self.begin()?
            .write(|out| results::write_events(out, frame, ids, events))
    }

    /// Writes the contact points of a frame, whose boxes have the numbers of `ids`: one row per
    /// point, in the order of [`ResultFile::contacts`].
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn tracked_contacts(&mut self, frame: i64, ids: &FrameIds<'_>, found: &TrackedContacts<'_>) -> Result<()> {
        self.begin()?
            .write(|out| results::write_tracked_contacts(out, frame, ids, found))
    }

    /// Writes the containment of each body in a room, in the row order of the scene's file.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn enclosures(&mut self, scene: &SceneFile, found: &[Enclosure]) -> Result<()> {
        let order = scene.by_rows()?;
        self.write_enclosures(scene.ids.as_ref(), order.as_deref(), found)
    }

    pub(super) fn write_enclosures(
        &mut self,
        ids: Option<&Ids>,
        order: Option<&[u32]>,
        found: &[Enclosure],
    ) -> Result<()> {
        let names = Names {
            frame: None,
            ids: [ids; 2],
        };
        self.begin()?
            .write(|out| results::write_enclosures(out, names, order, found))
    }

    /// Writes the location of points, numbered from 0.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn point_states(&mut self, states: &[PointState]) -> Result<()> {
        self.begin()?.write(|out| results::write_point_states(out, states))
    }

    /// Writes the neighbours of each body, in the order of the ids. Numbers have as many digits as
    /// needed to read the same `f64` back.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn neighbours(&mut self, scene: &SceneFile, found: &Neighbours) -> Result<()> {
        let (names, order) = (named(None, [scene; 2]), scene.order()?);
        self.begin()?
            .write(|out| results::write_neighbours(out, names, &order, found))
    }

    /// Ends the file, which may have no rows, and gives it its name.
    ///
    /// # Errors
    /// See [`ResultFile::pairs`].
    pub fn finish(mut self) -> Result<()> {
        #[cfg(feature = "parquet")]
        if self.format == Format::Parquet {
            self.begin_parquet([None; 2])?;
            return self.parquet.map_or(Ok(()), ParquetResults::finish);
        }
        if self.format == Format::Csv {
            self.begin()?;
        }
        match self.begun {
            Some(begun) => begun.finish()?.commit(),
            None => Ok(()),
        }
    }

    /// Returns the names of all columns.
    fn columns(&self) -> Vec<String> {
        let own = self.table.columns().split(',').map(str::to_owned);
        let kept = &self.layout.kept;
        let kept = kept.iter().flat_map(|name| [format!("a_{name}"), format!("b_{name}")]);
        let frame = self.layout.frames.then(|| "frame".to_owned());
        let is_clashes = self.table == Table::Clashes;
        let last = [
            ("status", self.layout.status),
            ("kind", is_clashes),
            ("group", self.layout.groups),
            ("distance", self.layout.rules.is_some()),
            ("rule", self.layout.rules.is_some()),
        ];
        let last = last
            .into_iter()
            .filter(|(_, has)| *has)
            .map(|(name, _)| name.to_owned());
        let has_images = self.layout.images && self.table.is_about_images();
        let images = ["ia", "ib", "ic"]
            .iter()
            .filter(|_| has_images)
            .map(|&name| name.to_owned());
        let all = frame.into_iter().chain(own).chain(images);
        all.chain(kept).chain(last).collect()
    }

    /// Returns the Parquet file, begun, with a column for each id and for the frame.
    #[cfg(feature = "parquet")]
    fn begin_parquet(&mut self, ids: [Option<&Ids>; 2]) -> Result<&mut ParquetResults> {
        if self.parquet.is_none() {
            let texts = ids.map(|ids| matches!(ids, Some(Ids::Texts(_))));
            let degrees = self.table == Table::Degrees;
            self.parquet = Some(ParquetResults::begin(&self.path, degrees, self.layout.frames, texts)?);
        }
        Ok(self.parquet.as_mut().expect("it has begun"))
    }

    /// Returns the file, begun, with its header if it is CSV.
    fn begin(&mut self) -> Result<&mut Unfinished> {
        if self.begun.is_none() {
            let mut out = Unfinished::begin(&self.path)?;
            if self.format == Format::Csv {
                let columns = self.columns();
                out.write(|out| results::write_header(out, columns.iter().map(String::as_str)))?;
            }
            self.begun = Some(out);
        }
        Ok(self.begun.as_mut().expect("it has begun"))
    }
}

/// Returns an error that names the unsuitable format and a remedy.
fn cannot_hold(path: &Path, format: Format, what: &str) -> Error {
    let instead = match output::is_written_through(path) {
        true => "leave --format npy out",
        false => "name it .csv",
    };
    problem(path, format!("cannot hold {what} as {}: {instead}", format.name()))
}

fn ids<'a>(sides: Sides<'a>) -> [Option<&'a Ids>; 2] {
    sides.map(|scene| scene.ids.as_ref())
}

fn named<'a>(frame: Option<i64>, sides: Sides<'a>) -> Names<'a> {
    Names { frame, ids: ids(sides) }
}
