//! The threads of the CPU backend.

/// Lets the whole process use this number of threads.
pub fn use_threads(count: usize) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count);
    pool.build_global().map_err(|error| error.to_string())
}
