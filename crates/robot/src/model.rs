//! The tree of links and joints that a URDF file describes.

use obbligato::glam::{DQuat, DVec3, EulerRot};
use urdf_rs::JointType;

use crate::error::{Error, JointProblem, Result};

/// A joint that moves, with a column of its own in configurations.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Joint {
    /// The name.
    pub name: String,
    /// The lowest and the highest value, in radians or in the unit of length of the file. They are
    /// infinite for a continuous joint. [`check`](crate::Robot::check) does not compare
    /// configurations with them.
    pub limits: [f64; 2],
}

/// A rotation and then a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkPose {
    /// The rotation, of length 1.
    pub rotation: DQuat,
    /// The origin, in the unit of length of the file.
    pub translation: DVec3,
}

impl LinkPose {
    pub(crate) const IDENTITY: Self = Self {
        rotation: DQuat::IDENTITY,
        translation: DVec3::ZERO,
    };

    /// Reads an `origin` element, whose angles are about fixed axes x, y and z, in this order.
    pub(crate) fn of(origin: &urdf_rs::Pose) -> Self {
        let [roll, pitch, yaw] = origin.rpy.0;
        Self {
            rotation: DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll),
            translation: DVec3::from(origin.xyz.0),
        }
    }

    /// Returns the pose `inner`, given in the frame of `self`, in the frame of `self`'s parent.
    pub(crate) fn then(&self, inner: &Self) -> Self {
        Self {
            rotation: self.rotation * inner.rotation,
            translation: self.translation + self.rotation * inner.translation,
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

/// The value of a joint: `factor * configuration[column] + offset`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive {
    pub column: usize,
    pub factor: f64,
    pub offset: f64,
}

impl Drive {
    pub fn value(&self, configuration: &[f64]) -> f64 {
        self.factor * configuration[self.column] + self.offset
    }
}

/// A joint of the tree, moving or fixed.
#[derive(Clone, Debug)]
pub(crate) struct TreeJoint {
    pub parent: usize,
    pub child: usize,
    pub origin: LinkPose,
    /// `None` for a fixed joint.
    pub drive: Option<Drive>,
    /// Of length 1.
    pub axis: DVec3,
    pub slides: bool,
}

/// Links, and the joints between them in an order in which parents come first.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub links: Vec<String>,
    pub joints: Vec<Joint>,
    pub tree: Vec<TreeJoint>,
    /// The position in `tree` of the joint above each link; `None` for roots.
    pub above: Vec<Option<usize>>,
}

impl Model {
    pub fn new(robot: &urdf_rs::Robot) -> Result<Self> {
        let links: Vec<String> = robot.links.iter().map(|link| link.name.clone()).collect();
        expect_distinct("link", links.iter())?;
        expect_distinct("joint", robot.joints.iter().map(|joint| &joint.name))?;
        let moving = robot
            .joints
            .iter()
            .filter(|joint| joint.mimic.is_none() && moves(joint));
        let joints: Vec<Joint> = moving.map(joint_of).collect::<Result<_>>()?;
        let read = robot.joints.iter().map(|joint| tree_joint(joint, &links, &joints));
        let unordered: Vec<TreeJoint> = read.collect::<Result<_>>()?;
        let tree = in_order(unordered, links.len(), &robot.joints)?;
        let mut above = vec![None; links.len()];
        for (k, joint) in tree.iter().enumerate() {
            above[joint.child] = Some(k);
        }
        Ok(Self {
            links,
            joints,
            tree,
            above,
        })
    }

    /// Computes the pose of each link.
    pub fn poses(&self, configuration: &[f64], poses: &mut [LinkPose]) {
        for (pose, above) in poses.iter_mut().zip(&self.above) {
            if above.is_none() {
                *pose = LinkPose::IDENTITY;
            }
        }
        for joint in &self.tree {
            let mut pose = poses[joint.parent].then(&joint.origin);
            if let Some(drive) = joint.drive {
                let value = drive.value(configuration);
                if joint.slides {
                    pose.translation += pose.rotation * (joint.axis * value);
                } else {
                    pose.rotation *= DQuat::from_axis_angle(joint.axis, value);
                }
            }
            poses[joint.child] = pose;
        }
    }

    /// Returns the joints above a link, from the nearest to the root, as positions in the tree.
    pub fn chain(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.above[link], |&joint| self.above[self.tree[joint].parent])
    }

    /// Returns the position of a link by its name, or an error that says where it is named.
    pub fn link(&self, name: &str, place: impl FnOnce() -> String) -> Result<usize> {
        position(&self.links, name, place)
    }
}

fn position(links: &[String], name: &str, place: impl FnOnce() -> String) -> Result<usize> {
    links
        .iter()
        .position(|link| link == name)
        .ok_or_else(|| Error::UnknownLink {
            place: place(),
            link: name.to_owned(),
        })
}

fn expect_distinct<'a>(kind: &'static str, names: impl Iterator<Item = &'a String>) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            let name = name.clone();
            return Err(Error::Duplicate { kind, name });
        }
    }
    Ok(())
}

fn moves(joint: &urdf_rs::Joint) -> bool {
    use JointType::{Continuous, Prismatic, Revolute};
    matches!(joint.joint_type, Revolute | Continuous | Prismatic)
}

fn refuse(joint: &urdf_rs::Joint, problem: JointProblem) -> Error {
    Error::Joint {
        joint: joint.name.clone(),
        problem,
    }
}

fn joint_of(joint: &urdf_rs::Joint) -> Result<Joint> {
    let limits = match joint.joint_type {
        JointType::Continuous => [f64::NEG_INFINITY, f64::INFINITY],
        _ => [joint.limit.lower, joint.limit.upper],
    };
    // NaN is refused, too.
    if !matches!(limits[0].partial_cmp(&limits[1]), Some(order) if order.is_le()) {
        return Err(refuse(joint, JointProblem::EmptyLimits));
    }
    Ok(Joint {
        name: joint.name.clone(),
        limits,
    })
}

fn tree_joint(joint: &urdf_rs::Joint, links: &[String], joints: &[Joint]) -> Result<TreeJoint> {
    let link = |name: &str| position(links, name, || format!("joint {:?}", joint.name));
    let drive = match joint.joint_type {
        JointType::Floating | JointType::Planar | JointType::Spherical => {
            return Err(refuse(joint, JointProblem::Unsupported));
        }
        JointType::Fixed => None,
        JointType::Revolute | JointType::Continuous | JointType::Prismatic => Some(drive_of(joint, joints)?),
    };
    let axis = DVec3::from(joint.axis.xyz.0);
    let origin = LinkPose::of(&joint.origin);
    let is_finite = origin.is_finite() && axis.is_finite();
    if !is_finite || drive.is_some_and(|drive| !drive.factor.is_finite() || !drive.offset.is_finite()) {
        return Err(refuse(joint, JointProblem::NotFinite));
    }
    let axis = match (axis.try_normalize(), drive) {
        (None, Some(_)) => return Err(refuse(joint, JointProblem::NoAxis)),
        (axis, _) => axis.unwrap_or(DVec3::X),
    };
    Ok(TreeJoint {
        parent: link(&joint.parent.link)?,
        child: link(&joint.child.link)?,
        origin,
        drive,
        axis,
        slides: joint.joint_type == JointType::Prismatic,
    })
}

/// Returns the drive of a joint that moves: by its own column, or by that of the joint it mimics.
fn drive_of(joint: &urdf_rs::Joint, joints: &[Joint]) -> Result<Drive> {
    let (name, factor, offset) = match &joint.mimic {
        None => (&joint.name, 1.0, 0.0),
        Some(mimic) => (
            &mimic.joint,
            mimic.multiplier.unwrap_or(1.0),
            mimic.offset.unwrap_or(0.0),
        ),
    };
    let column = joints.iter().position(|other| other.name == *name);
    let column = column.ok_or_else(|| Error::UnknownJoint {
        joint: joint.name.clone(),
        mimicked: name.clone(),
    })?;
    Ok(Drive { column, factor, offset })
}

/// Sorts joints so that each comes after those that its parent hangs on.
fn in_order(joints: Vec<TreeJoint>, links: usize, named: &[urdf_rs::Joint]) -> Result<Vec<TreeJoint>> {
    let refuse = |k: usize, problem| Error::NotATree {
        joint: named[k].name.clone(),
        problem,
    };
    let mut is_placed = vec![true; links];
    for (k, joint) in joints.iter().enumerate() {
        if !std::mem::take(&mut is_placed[joint.child]) {
            return Err(refuse(k, "its child has another parent already"));
        }
    }
    let mut waiting: Vec<(usize, TreeJoint)> = joints.into_iter().enumerate().collect();
    let mut ordered = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let (ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(_, joint)| is_placed[joint.parent]);
        if ready.is_empty() {
            return Err(refuse(rest[0].0, "it is its own ancestor"));
        }
        for (_, joint) in ready {
            is_placed[joint.child] = true;
            ordered.push(joint);
        }
        waiting = rest;
    }
    Ok(ordered)
}
