//! Rules for recorded frames: uploaded once, for as many frames as they hold.

use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::device::context::Context;
use crate::engine::gpu::GpuChecker;
use crate::engine::gpu::pipeline::Subject;
use crate::engine::gpu::scene::SceneAtRest;
use crate::engine::gpu::shape::Shape;
use crate::engine::prepared::PreparedScene;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::model::Rules;

/// Rules in the memory of a device, for [`GpuChecker::record_with`] and its like. Clones share it.
///
/// They stay as they are: when a rule changes, upload new ones.
#[derive(Clone, Debug)]
pub struct FrameRules {
    /// See `rule_lists.rs`.
    list: wgpu::Buffer,
    boxes: usize,
    worlds: bool,
    context: Arc<()>,
    /// The scene that movers are checked against.
    scene: Option<Arc<()>>,
}

impl GpuChecker {
    /// Uploads rules about the boxes of a frame, so many of them.
    ///
    /// # Errors
    /// [`Error::InvalidRule`] if they do not fit so many boxes, [`Error::LimitExceeded`] if the excluded pairs are too many
    /// for a buffer, [`Error::OutOfMemory`] and [`Error::OutOfDeviceMemory`].
    pub fn upload_rules(&self, rules: &Rules<'_>, boxes: usize) -> Result<FrameRules> {
        let rules = SetRules::new(rules, boxes)?;
        FrameRules::new(&self.context, &PairRules::of_one_set(&rules, boxes)?, boxes, None)
    }

    /// Uploads rules about two sets of boxes, so many of each, that follow each other in the buffer of a frame: only pairs
    /// of a box of the first set and one of the second are found. Pairs name the boxes by their positions in the buffer;
    /// excluded pairs name the second by its position in its set.
    ///
    /// # Errors
    /// As [`GpuChecker::upload_rules`].
    pub fn upload_rules_between(&self, sets: [(&Rules<'_>, usize); 2]) -> Result<FrameRules> {
        let [(first, first_count), (second, second_count)] = sets;
        let first = SetRules::new(first, first_count)?;
        let second = SetRules::new(second, second_count)?;
        let joined = SetRules::joined([(&first, first_count), (&second, second_count)])?;
        let rules = PairRules::of_two_sets(&joined, [first_count, second_count])?;
        FrameRules::new(&self.context, &rules, first_count + second_count, None)
    }

    /// Uploads rules about so many movers that are checked against a scene, which has rules of its own.
    ///
    /// # Errors
    /// As [`GpuChecker::upload_rules`], and [`Error::ForeignScene`] if the scene is of another device.
    pub fn upload_rules_against(&self, scene: &PreparedScene, rules: &Rules<'_>, movers: usize) -> Result<FrameRules> {
        let at_rest = scene.on_device(&self.context)?;
        let of_movers = SetRules::new(rules, movers)?;
        let rules = scene.rules_of(&of_movers, movers)?;
        FrameRules::new(&self.context, &rules, movers, Some(at_rest))
    }
}

impl FrameRules {
    fn new(context: &Context, rules: &PairRules, boxes: usize, scene: Option<&SceneAtRest>) -> Result<Self> {
        if rules.have_margins() {
            return Err(Error::InvalidRule {
                rule: "margins",
                problem: "is not for recorded frames: give one for all with `Config::margin`".to_owned(),
            });
        }
        let list = crate::rules::list::list_of_pairs(rules)?;
        let bytes = size_of_val(&list[..]) as u64;
        if bytes > context.max_buffer_bytes {
            return Err(Error::LimitExceeded {
                what: "the buffer of rules".to_owned(),
                needed: bytes,
                available: context.max_buffer_bytes,
                hint: "exclude fewer pairs, or give their boxes an owner in common",
            });
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let uploaded = context.buffer_with("rules of frames", bytemuck::cast_slice(&list), usage);
        Ok(Self {
            list: pollster::block_on(uploaded)?,
            boxes,
            worlds: rules.sets[1].worlds.is_some(),
            context: context.identity.clone(),
            scene: scene.map(|scene| scene.identity.clone()),
        })
    }

    /// What a frame of so many records is about, by these rules.
    pub(super) fn subject(rules: Option<&Self>, context: &Context, shape: Shape, count: u32) -> Result<Subject> {
        let Some(rules) = rules else {
            return Ok(Subject {
                rules: shape.at_rest().and_then(|scene| scene.without_rules_of_movers.clone()),
                shape,
                worlds: false,
            });
        };
        let about_this = match (&rules.scene, shape.at_rest()) {
            (Some(scene), Some(other)) => Arc::ptr_eq(scene, &other.identity),
            (scene, other) => scene.is_none() && other.is_none(),
        };
        let problem = if !Arc::ptr_eq(&rules.context, &context.identity) {
            "are of another device: upload them with this checker".to_owned()
        } else if !about_this {
            "are not about movers against this scene: upload those with `upload_rules_against`, others with `upload_rules`"
                .to_owned()
        } else if rules.boxes != count as usize {
            format!(
                "are about {} boxes and the frame has {count}: upload those of the frame",
                rules.boxes
            )
        } else {
            return Ok(Subject {
                shape,
                rules: Some(rules.list.clone()),
                worlds: rules.worlds,
            });
        };
        Err(Error::InvalidRule {
            rule: "of a recorded frame",
            problem,
        })
    }
}
