//! Compiled kernels that several checkers of one device share: compiling takes a driver far longer
//! than a check of a small scene.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::error::Result;

/// All that a compiled kernel depends on, apart from its device.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    /// The address of the kernel's declaration.
    pub code: usize,
    /// The values of its pipeline constants.
    pub constants: Vec<(&'static str, f64)>,
    /// Set for the form with subgroup operations.
    pub subgroups: bool,
    /// Set if compiled with bounds checks.
    pub checks: bool,
    /// The caller's part.
    pub guest: Option<Arc<str>>,
}

/// The compiled kernels of a device.
#[derive(Default)]
pub(crate) struct SharedPipelines(Mutex<Vec<(Key, wgpu::ComputePipeline)>>);

impl SharedPipelines {
    /// Returns a compiled kernel, and compiles it first if it has not been. No lock is held
    /// meanwhile: two threads that need the same kernel at the same time both compile it.
    pub fn get_or_compile(
        &self,
        key: Key,
        compile: impl FnOnce() -> Result<wgpu::ComputePipeline>,
    ) -> Result<wgpu::ComputePipeline> {
        let known = self.locked().iter().find(|(known, _)| *known == key).cloned();
        if let Some((_, kernel)) = known {
            return Ok(kernel);
        }
        let kernel = compile()?;
        self.locked().push((key, kernel.clone()));
        Ok(kernel)
    }

    fn locked(&self) -> MutexGuard<'_, Vec<(Key, wgpu::ComputePipeline)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of compiled kernels.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.locked().len()
    }
}
