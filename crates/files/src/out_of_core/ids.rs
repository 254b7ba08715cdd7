//! Checks that no two boxes have the same id, within the memory limit.

use std::path::Path;

use roaring::RoaringBitmap;

use crate::box_file::BoxFile;
use crate::error::Result;
use crate::problem::BadRows;
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the ids of the boxes";

/// The size in bytes of a set of all possible ids.
const ALL_BYTES: u64 = 1 << 29;
/// The bytes of an id in a small set, and of each of the 2^16 lists that a set may have.
const ID_BYTES: u64 = 4;
const LIST_BYTES: u64 = 64;
const LISTS: u64 = 1 << 16;

/// Returns an error if two boxes have the same id. O(n) for each pass over the ids: one pass if a
/// set of them fits the budget in bytes, else one for each range of ids whose set fits.
pub(super) fn expect_unique_ids(file: &BoxFile, path: &Path, budget: u64) -> Result<()> {
    let (passes, bytes) = passes(file.rows(), budget);
    memory::ensure(bytes, WHAT)?;
    let width = (1u64 << 32).div_ceil(passes);
    let (mut first, mut count) = (None, 0u64);
    for pass in 0..passes {
        let range = pass * width..(pass + 1) * width;
        let mut seen = RoaringBitmap::new();
        file.read_ids(&mut |begin, ids| {
            for (row, &id) in (begin..).zip(ids) {
                if range.contains(&id.into()) && !seen.insert(id) {
                    count += 1;
                    let earlier = first.get_or_insert((row, id));
                    *earlier = (*earlier).min((row, id));
                }
            }
            Ok(())
        })?;
    }
    let mut bad = BadRows::default();
    if let Some((row, id)) = first {
        (0..count).for_each(|_| bad.add(|| format!("row {row} (id {id}) repeats the id of an earlier row")));
    }
    bad.check(path)
}

/// Returns the number of passes over all ids, and the bytes of the set in each of them.
fn passes(ids: u64, budget: u64) -> (u64, u64) {
    let whole = (ids * ID_BYTES).min(ALL_BYTES) + ids.min(LISTS) * LIST_BYTES;
    match whole <= budget {
        true => (1, whole),
        false => {
            let of_lists = LISTS * LIST_BYTES;
            let passes = ALL_BYTES.div_ceil(budget.saturating_sub(of_lists).max(1 << 20));
            (passes, whole.min(ALL_BYTES.div_ceil(passes) + of_lists))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_proportional_to_the_ids() {
        assert_eq!(passes(0, 1 << 20), (1, 0));
        assert_eq!(passes(6, 1 << 20), (1, 6 * 68));
        for ids in [1 << 10, 1 << 20, 1 << 25, 1 << 31, u64::from(u32::MAX)] {
            for budget in [8 << 20, 40 << 20, 1 << 30, 1 << 40] {
                let (passes, bytes) = passes(ids, budget);
                assert!(bytes <= budget && bytes <= 68 * ids, "{ids} within {budget}: {bytes}");
                assert!((1..=256).contains(&passes), "{ids} within {budget}: {passes}");
            }
        }
        assert_eq!(passes(1 << 32, 1 << 30).0, 1);
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn a_repeated_id_is_found_in_any_number_of_passes() {
        use crate::{Ids, SceneFile, write_scene_file};
        use glam::Vec3;
        use obbligato::Obb;

        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("scene.parquet");
        // Unsorted, over the whole range.
        let mut ids: Vec<u32> = (0..500_000u32).map(|k| k.wrapping_mul(2_654_435_761)).collect();
        let write = |ids: &[u32]| {
            let scene = SceneFile {
                boxes: vec![Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); ids.len()],
                ids: Some(Ids::Numbers(ids.to_vec())),
                ..SceneFile::default()
            };
            write_scene_file(&path, &scene).expect("it can be written");
            BoxFile::open(&path).expect("it is sound")
        };
        let budgets = [1 << 30, 5 << 20];
        let file = write(&ids);
        for budget in budgets {
            expect_unique_ids(&file, &path, budget).expect("all differ");
        }
        assert!(passes(file.rows(), budgets[1]).0 > 1);
        (ids[400_000], ids[300_000], ids[499_999]) = (ids[17], ids[200_000], ids[3]);
        let file = write(&ids);
        for budget in budgets {
            let error = expect_unique_ids(&file, &path, budget).expect_err("three repeat");
            let words = format!("row 300000 (id {}) repeats", ids[200_000]);
            let error = error.to_string();
            assert!(error.contains(&words) && error.contains("3 bad rows"), "{error}");
        }
    }
}
