//! Contact manifolds, distances and closest points on the caller's device: of a recorded frame's pairs, which stay there, and of a
//! list of the caller's.

use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::Result;
use crate::device::context::Waiting;
use crate::engine::gpu::GpuChecker;
use crate::engine::gpu::pair_forms::{FoundPairs, PairForms};
use crate::engine::gpu::resident::Recorded;
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::contacts::{Contacts, validate};
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::shapes::obb::record::Obb;

/// Where [`GpuChecker::record_contacts`] leaves the contact manifolds of a frame. The buffers can be bound as storage buffers and
/// copied from.
///
/// As those of [`Recorded`], they belong to the checker, and the next one writes into them again.
#[derive(Clone, Debug)]
pub struct RecordedContacts {
    /// A [`ManifoldRecord`](super::ManifoldRecord) for each stored pair, in the order of [`Recorded::pairs`].
    pub manifolds: wgpu::Buffer,
    /// The [`PointRecord`](super::PointRecord)s of all manifolds. Those of one stand together; which comes first differs from run to run.
    pub points: wgpu::Buffer,
    /// How many points the manifolds have, whether or not there was room for them, as a `u32` at offset 0.
    pub counts: wgpu::Buffer,
}

impl GpuChecker {
    /// Records what finds the contact manifold of every pair of a frame: [`Obb::manifold`] in `f32`.
    ///
    /// Goes into the encoder after the frame, and before the next one; nothing is submitted or waited for. There is room for
    /// `max_points` points, of which a pair has up to eight, four as a rule; manifolds whose points do not fit have none, and
    /// [`RecordedContacts::counts`] tells what was needed. Pairs that are undecided stay in their list and have no manifold. Of frames
    /// with a margin, pairs that are apart have a manifold that says [`ManifoldRecord::UNDECIDED`](super::ManifoldRecord::UNDECIDED).
    ///
    /// Normal, depth, features and points are those of [`Obb::manifold`] where `f32` can tell; its tolerance, the *slop*, is larger
    /// by some 2e-6 of the distance of the centers and all half extents together, and so are the errors of lengths. Edges
    /// at an angle of less than a 4,000th are taken as parallel, so the depth may be larger than the least by that part of the size.
    ///
    /// Takes 24 bytes a pair there is room for and 20 a point; kernels and memory are made by the first call, and kept.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) without [`Output::Pairs`](crate::Output::Pairs), and for pairs of bounds; [`Error::LimitExceeded`](crate::Error::LimitExceeded)
    /// beyond the device's limits, [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
    pub fn record_contacts(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        max_points: u32,
    ) -> Result<RecordedContacts> {
        let found = FoundPairs::of(recorded, "contacts")?;
        self.context.check_trouble()?;
        self.context.recorded.store(true, Relaxed);
        pollster::block_on(async {
            let mut forms = self.take_pair_forms().await?;
            let contacts = forms.record_contacts(&self.context, encoder, found, max_points).await?;
            self.pair_forms = Some(forms);
            Ok(contacts)
        })
    }

    /// Records what finds the distance and the closest points of every pair of a frame: [`Obb::closest_points`] in `f32`, a
    /// [`ClosestRecord`](super::ClosestRecord) for each stored pair, in the order of [`Recorded::pairs`].
    ///
    /// It is of use after frames with a [`Config::margin`](crate::Config::margin), whose pairs may be apart. Goes into the
    /// encoder after the frame, and before the next one; nothing is submitted or waited for. The buffer that is returned can be bound as
    /// a storage buffer and copied from; it belongs to the checker, and the next call writes into it again. Takes 32 bytes a pair there
    /// is room for; kernel and memory are made by the first call, and kept.
    ///
    /// # Errors
    /// As [`GpuChecker::record_contacts`].
    pub fn record_closest_points(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
    ) -> Result<wgpu::Buffer> {
        let found = FoundPairs::of(recorded, "closest points")?;
        self.context.check_trouble()?;
        self.context.recorded.store(true, Relaxed);
        pollster::block_on(async {
            let mut forms = self.take_pair_forms().await?;
            let records = forms.record_closest(&self.context, encoder, found).await?;
            self.pair_forms = Some(forms);
            Ok(records)
        })
    }

    /// The contact manifolds of a list of pairs; see [`Checker::contacts`](crate::Checker::contacts).
    pub fn contacts(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Contacts> {
        self.context.set_waiting(Waiting::Blocking);
        pollster::block_on(self.contacts_of(sets, pairs))
    }

    /// [`GpuChecker::contacts`] without blocking: a thread waits for the device, and the future for that thread.
    pub async fn contacts_async(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Contacts> {
        self.context.set_waiting(Waiting::Background);
        self.contacts_of(sets, pairs).await
    }

    /// The distances and closest points of a list of pairs; see [`Checker::closest_points`](crate::Checker::closest_points).
    pub fn closest_points(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Vec<ClosestPoints>> {
        self.context.set_waiting(Waiting::Blocking);
        pollster::block_on(self.closest_points_of(sets, pairs))
    }

    /// [`GpuChecker::closest_points`] without blocking: a thread waits for the device, and the future for that thread.
    pub async fn closest_points_async(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Vec<ClosestPoints>> {
        self.context.set_waiting(Waiting::Background);
        self.closest_points_of(sets, pairs).await
    }

    async fn contacts_of(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Contacts> {
        self.context.check_trouble()?;
        validate(sets, pairs)?;
        let mut forms = self.take_pair_forms().await?;
        let mut parts = Vec::new();
        for chunk in pairs.chunks(PairForms::most_at_once(&self.context)) {
            parts.extend(forms.contacts_of(&self.context, sets, chunk).await?);
        }
        self.pair_forms = Some(forms);
        Ok(Contacts::joined(parts))
    }

    async fn closest_points_of(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Vec<ClosestPoints>> {
        self.context.check_trouble()?;
        validate(sets, pairs)?;
        let mut forms = self.take_pair_forms().await?;
        let mut all = Vec::with_capacity(pairs.len());
        for chunk in pairs.chunks(PairForms::most_at_once(&self.context)) {
            all.extend(forms.closest_points_of(&self.context, sets, chunk).await?);
        }
        self.pair_forms = Some(forms);
        Ok(all)
    }

    /// Of a call that fails nothing is kept: it may have lost buffers that others are tied to, or left them mapped.
    async fn take_pair_forms(&mut self) -> Result<Box<PairForms>> {
        match self.pair_forms.take() {
            Some(forms) => Ok(forms),
            None => Ok(Box::new(PairForms::new(&self.context).await?)),
        }
    }
}
