//! The fuzz targets of obbligato, as functions.

pub mod bytes;
pub mod calls;
#[path = "../../crates/cli/src/check/condition.rs"]
pub mod condition;
pub mod readers;
pub mod scenes;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Returns the folder of this process for files. `run` removes it.
pub fn folder() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = std::env::temp_dir().join(format!("obbligato-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        folder
    });
    &FOLDER
}

/// Lets the panics pass that a reader catches, instead of ending the process as other panics do.
pub fn let_caught_panics_pass() {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !obbligato_files::catches_panics() {
            others(panic);
        }
    }));
}

/// The fuzz target of a reader.
#[macro_export]
macro_rules! reader {
    ($name:literal) => {
        libfuzzer_sys::fuzz_target!(init: $crate::let_caught_panics_pass(), |data: &[u8]| {
            $crate::readers::run($name, $crate::folder(), data);
        });
    };
}

/// The fuzz target of a scene.
#[macro_export]
macro_rules! scene {
    ($name:literal) => {
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::scenes::run($name, data));
    };
}
