//! Submissions to a GPU.

use std::time::Instant;

use obbligato::gpu::Recordable;
use obbligato::{GpuChecker, wgpu};

/// Records a question and submits it. Returns the seconds until it is done, and the answer.
pub fn submit<Q: Recordable>(checker: &mut GpuChecker, question: Q) -> Result<(f64, Q::Recorded), String> {
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let recorded = checker
        .record(&mut encoder, question)
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    checker.queue().submit([encoder.finish()]);
    let done = checker.device().poll(wgpu::PollType::wait_indefinitely());
    done.map_err(|error| error.to_string())?;
    Ok((start.elapsed().as_secs_f64(), recorded))
}
