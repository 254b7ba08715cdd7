//! Reads scenes of boxes without ids and rules on all cores, by columns and not cell by cell.

use std::ops::Range;
use std::path::Path;

use crate::options::ReadOptions;
use crate::parquet::boxes::ParquetBoxes;
use crate::scene::SceneFile;
use obbligato::Obb;
use obbligato_support::{memory, parallel};

/// Label for out-of-memory errors.
const WHAT: &str = "the boxes of a table";

/// The number of rows that a task reads. Pages before its first row are skipped without being
/// decoded.
const TASK_ROWS: u64 = 1 << 18;

/// Reads the scene if the file is valid and has only boxes without ids and rules. `None` leaves the
/// file to the general reader of tables, which reports the problem and its row.
pub(crate) fn read(path: &Path, options: &ReadOptions) -> Option<SceneFile> {
    let ReadOptions {
        frame: None,
        id_column: None,
        columns,
        motions: false,
        f64: false,
    } = options
    else {
        return None;
    };
    let file = ParquetBoxes::open(path).ok()?;
    if !columns.is_empty() || file.has_ids() {
        return None;
    }
    let mut boxes = Vec::new();
    memory::make_scratch(&mut boxes, usize::try_from(file.rows()).ok()?, WHAT).ok()?;
    let mut tasks = Vec::new();
    let mut left = &mut boxes[..];
    for rows in file.row_groups() {
        for begin in rows.clone().step_by(TASK_ROWS as usize) {
            let rows = begin..(begin + TASK_ROWS).min(rows.end);
            let own = left.split_off_mut(..(rows.end - rows.start) as usize)?;
            tasks.push((rows, own));
        }
    }
    let sound = parallel::map(tasks, |(rows, own)| read_rows(&file, rows, own).is_some());
    sound.into_iter().all(|sound| sound).then(|| SceneFile {
        boxes,
        ..SceneFile::default()
    })
}

/// Reads the boxes of some rows; `None` if one of them is invalid.
fn read_rows(file: &ParquetBoxes, rows: Range<u64>, mut boxes: &mut [Obb]) -> Option<()> {
    let mut valid = true;
    let read = file.read(rows, &mut |batch| {
        let own = boxes.split_off_mut(..batch.boxes.len()).unwrap_or_default();
        own.copy_from_slice(&batch.boxes);
        valid &= own.iter().all(|obb| obb.problem().is_none());
        Ok(())
    });
    (read.is_ok() && valid && boxes.is_empty()).then_some(())
}
