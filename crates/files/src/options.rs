//! Options for reading a scene.

/// The parts of a file that [`read_scene_with`](crate::read_scene_with) reads.
///
/// ```
/// use obbligato_files::ReadOptions;
/// let by_guid = ReadOptions { id_column: Some("guid".into()), columns: vec!["type".into()], ..ReadOptions::default() };
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The frame to read from a CSV file with several; `None` for a file with one frame, or none.
    /// [`read_frames`](crate::read_frames) reads them all.
    pub frame: Option<i64>,
    /// The column of a CSV file that has the ids. `None` means the column `id`, if there is one.
    pub id_column: Option<String>,
    /// Columns of a CSV file to keep as texts, in
    /// [`SceneFile::columns`](crate::SceneFile::columns).
    pub columns: Vec<String>,
    /// Set to read motions, into [`SceneFile::motions`](crate::SceneFile::motions).
    /// Otherwise the motions in a file are not even parsed.
    pub motions: bool,
    /// Set to read centers in `f64`, into [`SceneFile::centers`](crate::SceneFile::centers):
    /// decimal text is rounded once, and NPY files may be `float64`. The bodies must all be boxes.
    pub f64: bool,
}
