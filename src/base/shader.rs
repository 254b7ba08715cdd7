//! The source text of shaders.

/// Includes the text of a file in `shaders/`.
macro_rules! shader {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $file))
    };
}
pub(crate) use shader;
