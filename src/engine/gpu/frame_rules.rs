//! Rules for recorded frames: uploaded once, and used for any number of frames.

use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::base::plural::plural;
use crate::device::context::Context;
use crate::engine::gpu::images::ImageRecord;
use crate::engine::gpu::scene::SceneAtRest;
use crate::engine::gpu::subject::FrameSubject;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::check_count;
use crate::geometry::kinds::KINDS;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::joint::Joint;
use crate::rules::kinds::layers_of;
use crate::rules::list::append_images;
use crate::rules::model::Rules;
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::kind::Shape;
use crate::shapes::triangle::set::Neighbours;

/// Rules in the memory of a device, for [`FrameQuery::with`](crate::gpu::FrameQuery::with). Clones
/// share that memory.
///
/// They never change. If a rule changes, upload new ones.
#[derive(Clone, Debug)]
pub struct FrameRules {
    /// See `rules/list.rs`.
    list: wgpu::Buffer,
    boxes: usize,
    worlds: bool,
    layers: bool,
    asks: bool,
    own_margins: bool,
    context: Arc<()>,
    /// The scene that movers are checked against, if the rules are for movers.
    scene: Option<Arc<()>>,
    /// The offset of the records of images in the list, in bytes, and the images that there is room
    /// for.
    images: Option<(u64, u32)>,
}

/// The input of [`GpuChecker::upload_rules`](crate::GpuChecker::upload_rules): rules, and the sets
/// they apply to.
#[derive(Clone, Copy, Debug)]
pub struct RulesOf<'a> {
    lists: Lists<'a>,
    images: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Lists<'a> {
    Boxes(&'a Rules<'a>, u32),
    Between([(&'a Rules<'a>, BodyCounts); 2]),
    Against(&'a PreparedScene, &'a Rules<'a>, u32),
}

impl<'a> RulesOf<'a> {
    /// Creates rules for this many boxes, bounds or bodies.
    pub fn boxes(rules: &'a Rules<'a>, count: u32) -> Self {
        Self::of(Lists::Boxes(rules, count))
    }

    /// Creates rules for two sets of boxes of the given sizes, which follow each other in the
    /// buffer of a frame. Only pairs of a box of the first set and one of the second are found.
    /// Pairs name the boxes by their positions in the buffer. Excluded pairs name the second box by
    /// its position in its set.
    pub fn between(sets: [(&'a Rules<'a>, u32); 2]) -> Self {
        Self::of(Lists::Between(
            sets.map(|(rules, count)| (rules, BodyCounts::of_boxes(count))),
        ))
    }

    /// Creates rules for two sets of bodies, as in [`RulesOf::between`]. In the buffer, the boxes
    /// of the second set follow those of the first, then come the capsules of both, and then the
    /// spheres of both.
    pub fn between_bodies(sets: [(&'a Rules<'a>, BodyCounts); 2]) -> Self {
        Self::of(Lists::Between(sets))
    }

    /// Creates rules for this many movers that are checked against a scene, which has its own
    /// rules.
    pub fn against(scene: &'a PreparedScene, rules: &'a Rules<'a>, movers: u32) -> Self {
        Self::of(Lists::Against(scene, rules, movers))
    }

    /// Adds room for this many images, for [`ImagesOf::with`]: as many as it has room for, or more.
    /// The rules of a body apply to its images.
    ///
    /// [`ImagesOf::with`]: crate::gpu::ImagesOf::with
    #[must_use]
    pub fn with_images(self, most: u32) -> Self {
        Self {
            images: Some(most),
            ..self
        }
    }

    fn of(lists: Lists<'a>) -> Self {
        Self { lists, images: None }
    }
}

impl FrameRules {
    /// Uploads rules.
    pub(crate) fn upload(context: &Context, RulesOf { lists, images }: RulesOf<'_>) -> Result<Self> {
        match lists {
            Lists::Boxes(rules, boxes) => {
                let boxes = boxes as usize;
                check_count(boxes)?;
                let mut rules = SetRules::new(rules, boxes)?;
                rules.layers = layers_of(&PairRules::of_one_set(&rules, boxes)?, boxes, &|_| None)?;
                Self::new(context, &PairRules::of_one_set(&rules, boxes)?, boxes, (None, images))
            }
            Lists::Between(sets) => {
                let counts = sets.map(|(_, counts)| counts.in_order().map(|count| count as usize));
                let both = counts.map(|counts| counts.into_iter().fold(0, usize::saturating_add));
                let count = both[0].saturating_add(both[1]);
                check_count(count)?;
                let first = SetRules::new(sets[0].0, both[0])?;
                let second = SetRules::new(sets[1].0, both[1])?;
                let joint = Joint::new(counts);
                let mut joined = SetRules::joined([&first, &second], &joint)?;
                joined.layers = layers_of(&PairRules::of_two_sets(&joined, joint, both)?, count, &|_| None)?;
                let rules = PairRules::of_two_sets(&joined, joint, both)?;
                Self::new(context, &rules, count, (None, images))
            }
            Lists::Against(..) if images.is_some() => Err(Error::Unavailable {
                what: "a prepared scene with images of its movers",
                hint: "use `RulesOf::boxes`, or check the bodies with `Query::periodic`",
            }),
            Lists::Against(scene, rules, movers) => {
                let movers = movers as usize;
                check_count(movers)?;
                let at_rest = scene.on_device(context)?;
                let of_movers = SetRules::new(rules, movers)?;
                let rules = scene.rules_of(&of_movers, movers)?;
                Self::new(context, &rules, movers, (Some(at_rest), None))
            }
        }
    }

    fn new(
        context: &Context,
        rules: &PairRules,
        boxes: usize,
        (scene, images): (Option<&SceneAtRest>, Option<u32>),
    ) -> Result<Self> {
        let own_margins = rules.have_margins();
        let mut list = crate::rules::list::list_of_pairs(rules)?;
        let room = images.map_or(0, |most| size_of::<ImageRecord>() as u64 * u64::from(most));
        let bytes = size_of_val(&list[..]) as u64 + room;
        if bytes > context.max_buffer_bytes {
            return Err(Error::LimitExceeded {
                what: "the buffer for rules".to_owned(),
                needed: bytes,
                available: context.max_buffer_bytes,
                hint: "exclude fewer pairs, give their boxes a common owner, or make room for fewer images",
            });
        }
        let images = match images {
            None => None,
            Some(most) => {
                let first = append_images(&mut list, most as usize)?;
                Some(((first * size_of::<u32>()) as u64, most))
            }
        };
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let uploaded = context.buffer_with("rules for frames", bytemuck::cast_slice(&list), usage);
        Ok(Self {
            list: uploaded?,
            boxes,
            worlds: rules.sets[1].worlds.is_some(),
            layers: rules.sets[1].layers.any(),
            asks: rules.to_ask().is_some(),
            own_margins,
            context: context.identity.clone(),
            scene: scene.map(|scene| scene.identity.clone()),
            images,
        })
    }

    /// Returns `true` if boxes have their own margins.
    pub(super) fn have_margins(&self) -> bool {
        self.own_margins
    }

    /// Returns the list on the device.
    pub(super) fn list(&self) -> &wgpu::Buffer {
        &self.list
    }

    /// Returns an error if these rules are not about this many bodies, or have no room for this
    /// many images of them.
    pub(super) fn check_images(&self, context: &Context, bodies: u32, most: u32) -> Result<()> {
        self.check_subject(context, None, bodies.into())?;
        match self.images {
            Some((_, room)) if room >= most => Ok(()),
            room => Err(Error::InvalidRule {
                rule: "FrameRules",
                problem: format!(
                    "has room for {} of {most} images: upload the rules with `RulesOf::with_images({most})`",
                    room.map_or(0, |(_, room)| room)
                ),
            }),
        }
    }

    /// Records a copy of this many images of bodies to the list, so that their rules apply to them.
    /// There is room for them.
    pub(super) fn take_images(&self, encoder: &mut wgpu::CommandEncoder, images: &wgpu::Buffer, most: u32) {
        if let Some((offset, _)) = self.images {
            let bytes = size_of::<ImageRecord>() as u64 * u64::from(most);
            encoder.copy_buffer_to_buffer(images, 0, &self.list, offset, Some(bytes));
        }
    }

    /// Returns the subject of a frame with these rules and this number of records of each kind, of
    /// which the first `count` have rules.
    pub(super) fn subject(
        rules: Option<&Self>,
        context: &Context,
        (shape, at_rest): (Shape, Option<SceneAtRest>),
        (counts, count): ([u64; KINDS], u64),
    ) -> Result<FrameSubject> {
        let Some(rules) = rules else {
            return Ok(FrameSubject {
                shape,
                counts,
                rules: at_rest.as_ref().and_then(|scene| scene.without_rules_of_movers.clone()),
                worlds: false,
                layers: false,
                asks: at_rest.is_some(),
                own_margins: at_rest.as_ref().is_some_and(|scene| scene.own_margins),
                at_rest,
                neighbours: Neighbours::default(),
                rounded: false,
                images: None,
            });
        };
        rules.check_subject(context, at_rest.as_ref(), count)?;
        Ok(FrameSubject {
            shape,
            counts,
            at_rest,
            rules: Some(rules.list.clone()),
            worlds: rules.worlds,
            layers: rules.layers,
            asks: rules.asks,
            own_margins: rules.own_margins,
            neighbours: Neighbours::default(),
            rounded: false,
            images: None,
        })
    }

    /// Returns an error if these rules are not those of this many records, or not about this scene.
    fn check_subject(&self, context: &Context, at_rest: Option<&SceneAtRest>, count: u64) -> Result<()> {
        let about_this = match (&self.scene, at_rest) {
            (Some(scene), Some(other)) => Arc::ptr_eq(scene, &other.identity),
            (scene, other) => scene.is_none() && other.is_none(),
        };
        let problem = if !Arc::ptr_eq(&self.context, &context.identity) {
            "belongs to another device: upload the rules with this checker".to_owned()
        } else if !about_this {
            "is not about the frame's scene: upload `RulesOf::against` that scene for its movers, else `RulesOf::boxes`"
                .to_owned()
        } else if self.boxes as u64 != count {
            format!(
                "is for {} {} but the frame has {count}: upload rules for this frame",
                self.boxes,
                plural(self.boxes as u64, "box", "boxes")
            )
        } else {
            return Ok(());
        };
        Err(Error::InvalidRule {
            rule: "FrameRules",
            problem,
        })
    }
}
