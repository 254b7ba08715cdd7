#![doc = include_str!("../README.md")]

mod allowed;
mod check;
mod error;
mod geometry;
mod model;
mod motion;
mod robot;

pub use crate::allowed::{AllowedPair, AllowedReason};
pub use crate::check::{LinkPair, RobotReport, ScenePair};
pub use crate::error::{Error, JointProblem, Result};
pub use crate::model::{Joint, LinkPose};
pub use crate::motion::MotionState;
pub use crate::robot::Robot;
pub use obbligato;
