//! A robot: its model, its bodies, the pairs of links that may collide, and a checker.

use std::fs;
use std::path::Path;

use obbligato::shape::OwnedBodies;
use obbligato::{Checker, Config, Precision, PreparedScene, Set};

use crate::error::{Error, Result, in_one_line};
use crate::geometry::{LinkPairs, Parts};
use crate::model::{Joint, LinkPose, Model};

/// A robot whose links are boxes, capsules and spheres.
///
/// Cylinders of the file become capsules around them, and meshes their bounding boxes along the
/// axes of the element, so that a configuration that is said to be free is free. Two links that a
/// joint connects never count as colliding, nor do the pairs that an SRDF file disables.
///
/// The [`Config`] chooses the backend and the margin. Pairs are always exact
/// ([`Precision::Exact`]) for the bodies of [`Robot::bodies`], and all of them are found:
/// [`Config::output`] and [`Config::max_pairs`] do not apply.
///
/// A configuration has a value for each of [`joints`](Robot::joints): radians, or the unit of
/// length of the file. The root is at the origin of the scene.
pub struct Robot {
    pub(crate) model: Model,
    pub(crate) parts: Parts,
    pub(crate) pairs: LinkPairs,
    pub(crate) checker: Checker,
    /// The distance within which bodies collide.
    pub(crate) margin: f64,
}

impl std::fmt::Debug for Robot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [links, joints] = [self.links().len(), self.joints().len()];
        write!(f, "Robot({links} links, {joints} joints, {} bodies)", self.parts.len())
    }
}

impl Robot {
    /// Reads a URDF file. Names of meshes are relative to its folder; `package://` is looked up in
    /// the folders above it.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Parse`] and [`Error::NoLinks`]; errors that name the link or joint
    /// that cannot be used; [`Error::Engine`] if there is no such backend.
    pub fn from_urdf(path: impl AsRef<Path>, config: Config) -> Result<Self> {
        let path = path.as_ref();
        let text = read(path, "URDF")?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::new(&text, &path.display().to_string(), folder, config)
    }

    /// Reads the text of a URDF file. `folder` has the meshes that it names.
    ///
    /// # Errors
    /// As [`Robot::from_urdf`].
    pub fn from_urdf_text(text: &str, folder: impl AsRef<Path>, config: Config) -> Result<Self> {
        Self::new(text, "the text", folder.as_ref(), config)
    }

    fn new(text: &str, file: &str, folder: &Path, config: Config) -> Result<Self> {
        let robot = urdf_rs::read_from_string(text).map_err(|error| Error::Parse {
            file: file.to_owned(),
            kind: "URDF",
            reason: in_one_line(error),
        })?;
        if robot.links.is_empty() {
            return Err(Error::NoLinks { file: file.to_owned() });
        }
        let model = Model::new(&robot)?;
        Ok(Self {
            parts: Parts::new(&robot, folder)?,
            pairs: LinkPairs::new(&model),
            margin: config.margin,
            checker: Checker::new(Config {
                precision: Precision::Exact,
                ..config
            })?,
            model,
        })
    }

    /// Disables the pairs of links that an SRDF file names in `disable_collisions`.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Parse`], and [`Error::UnknownLink`].
    pub fn with_srdf(self, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = read(path, "SRDF")?;
        self.with_disabled(&text, &path.display().to_string())
    }

    /// Disables the pairs of links that the text of an SRDF file names.
    ///
    /// # Errors
    /// As [`Robot::with_srdf`].
    pub fn with_srdf_text(self, text: &str) -> Result<Self> {
        self.with_disabled(text, "the text")
    }

    fn with_disabled(mut self, text: &str, file: &str) -> Result<Self> {
        let document = roxmltree::Document::parse(text).map_err(|error| Error::Parse {
            file: file.to_owned(),
            kind: "SRDF",
            reason: in_one_line(error),
        })?;
        for pair in document
            .descendants()
            .filter(|node| node.has_tag_name("disable_collisions"))
        {
            let link = |name| self.model.link(pair.attribute(name).unwrap_or(""), || file.to_owned());
            let (a, b) = (link("link1")?, link("link2")?);
            self.pairs.allow(a, b);
        }
        Ok(self)
    }

    /// Disables pairs of links, by positions in [`links`](Robot::links).
    ///
    /// # Errors
    /// [`Error::UnknownLink`] for a position beyond the links.
    pub fn with_allowed(mut self, pairs: impl IntoIterator<Item = [usize; 2]>) -> Result<Self> {
        let count = self.model.links.len();
        for pair in pairs {
            if let Some(link) = pair.into_iter().find(|&link| link >= count) {
                return Err(Error::UnknownLink {
                    place: format!("the pair {pair:?}"),
                    link: link.to_string(),
                });
            }
            self.pairs.allow(pair[0], pair[1]);
        }
        Ok(self)
    }

    /// Returns the joints that move, in the order of the values of a configuration. Joints that
    /// mimic another have no value of their own.
    pub fn joints(&self) -> &[Joint] {
        &self.model.joints
    }

    /// Returns the names of the links.
    pub fn links(&self) -> &[String] {
        &self.model.links
    }

    /// Returns the pose of each link in a configuration.
    ///
    /// # Errors
    /// [`Error::WrongCount`] and [`Error::NotFinite`].
    pub fn poses(&self, configuration: &[f64]) -> Result<Vec<LinkPose>> {
        self.expect_valid(&[configuration])?;
        let mut poses = vec![LinkPose::IDENTITY; self.model.links.len()];
        self.model.poses(configuration, &mut poses);
        Ok(poses)
    }

    /// Returns the bodies of all links in a configuration: exactly those that are checked. Their
    /// poses are computed in `f64` and rounded to `f32`.
    ///
    /// # Errors
    /// As [`Robot::poses`].
    pub fn bodies(&self, configuration: &[f64]) -> Result<OwnedBodies> {
        let mut bodies = OwnedBodies::default();
        self.parts.place(&self.poses(configuration)?, &mut bodies);
        Ok(bodies)
    }

    /// Returns the link of each body of [`Robot::bodies`]: of the boxes, the capsules, the spheres.
    pub fn links_of_bodies(&self) -> Vec<usize> {
        self.parts.extents().iter().map(|extent| extent.link).collect()
    }

    /// Returns `true` if a collision of these links counts.
    ///
    /// # Panics
    /// If a position is beyond the links.
    pub fn may_collide(&self, a: usize, b: usize) -> bool {
        let count = self.model.links.len();
        assert!(a < count && b < count, "the robot has {count} links");
        self.pairs.may_collide(a, b)
    }

    /// Sorts a scene at rest once, for many calls.
    ///
    /// # Errors
    /// [`Error::Engine`], for bodies that are not valid.
    pub fn prepare<'a>(&mut self, scene: impl Into<Set<'a>>) -> Result<PreparedScene> {
        Ok(self.checker.prepare(scene)?)
    }

    pub(crate) fn expect_valid<C: AsRef<[f64]>>(&self, configurations: &[C]) -> Result<()> {
        let joints = &self.model.joints;
        for (index, configuration) in configurations.iter().enumerate() {
            let values = configuration.as_ref();
            if values.len() != joints.len() {
                return Err(Error::WrongCount {
                    index,
                    count: values.len(),
                    expected: joints.len(),
                    joints: joints.iter().map(|joint| joint.name.clone()).collect(),
                });
            }
            if let Some(k) = values.iter().position(|value| !value.is_finite()) {
                return Err(Error::NotFinite {
                    index,
                    joint: joints[k].name.clone(),
                    value: values[k],
                });
            }
        }
        Ok(())
    }
}

fn read(path: &Path, kind: &'static str) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Error::Io {
        file: path.display().to_string(),
        kind,
        reason: in_one_line(error),
    })
}
