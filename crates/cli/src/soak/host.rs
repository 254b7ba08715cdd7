//! The memory of this process.

use serde_json::{Value, json};

/// Returns the bytes of memory that this process occupies, or `None` if the system does not report
/// them as Linux does.
pub fn resident() -> Option<u64> {
    of_status("VmRSS:")
}

/// Returns the most that it has occupied so far.
fn peak() -> Option<u64> {
    of_status("VmHWM:")
}

fn of_status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix(name))?;
    let number = kibibytes.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    Some(number << 10)
}

/// The memory of this process over a run, between scenes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    pub start: Option<u64>,
    /// After a tenth of the run.
    pub warm: Option<u64>,
    pub end: Option<u64>,
    /// The most at any time.
    pub peak: Option<u64>,
}

impl Memory {
    /// Notes the memory at the end.
    pub fn note_end(&mut self) {
        (self.end, self.peak) = (resident(), peak());
    }

    /// Returns it as text.
    pub fn words(&self) -> String {
        match [self.start, self.warm, self.end, self.peak] {
            [Some(start), warm, Some(end), Some(peak)] => format!(
                "{} at the start, {} after warm-up, {} at the end, {} at most",
                mebibytes(start),
                warm.map_or("-".to_owned(), mebibytes),
                mebibytes(end),
                mebibytes(peak)
            ),
            _ => "not available: this system has no /proc/self/status".to_owned(),
        }
    }

    /// Returns it as JSON.
    pub fn json(&self) -> Value {
        json!({ "start": self.start, "warm": self.warm, "end": self.end, "peak": self.peak })
    }
}

/// Formats bytes in MiB.
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
