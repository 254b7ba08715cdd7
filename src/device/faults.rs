//! Counts of the calls on a device, and faults that tests inject into them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A fault of a device. Calls into wgpu are numbered from 1, beginning with the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Fault {
    /// None.
    #[default]
    None,
    /// The device refuses memory in the call of this number.
    Memory(usize),
    /// The device is lost in the call of this number.
    Loss(usize),
}

/// The counts of a context, and its next fault.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// The number of buffers created so far.
    pub buffers: AtomicUsize,
    /// The number of submissions waited for so far.
    pub submissions: AtomicUsize,
    /// The number of calls into wgpu since a fault was last injected.
    pub calls: AtomicUsize,
    refused: AtomicUsize,
    lost: AtomicUsize,
}

impl Watched {
    /// Injects a fault.
    pub fn inject(&self, fault: Fault) {
        let [refused, lost] = match fault {
            Fault::None => [0, 0],
            Fault::Memory(call) => [call, 0],
            Fault::Loss(call) => [0, call],
        };
        self.refused.store(refused, Relaxed);
        self.lost.store(lost, Relaxed);
        self.calls.store(0, Relaxed);
    }

    /// Counts a call into wgpu, before it is made, and returns `true` if the device refuses it.
    pub fn call(&self, device: &wgpu::Device) -> bool {
        let call = self.calls.fetch_add(1, Relaxed) + 1;
        if call == self.lost.load(Relaxed) {
            device.destroy();
        }
        call == self.refused.load(Relaxed)
    }
}
