//! The inputs that the fuzz targets of the readers have collected, without a fuzzer.

#[path = "../../../../fuzz/src/readers.rs"]
mod readers;

use std::fs;
use std::path::Path;

#[test]
fn collected_inputs_are_read_or_refused() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let folder = tempfile::tempdir().unwrap();
    for (name, _) in readers::TARGETS {
        let inputs = fs::read_dir(corpora.join(name)).unwrap();
        let read = inputs.map(|input| readers::run(name, folder.path(), &fs::read(input.unwrap().path()).unwrap()));
        assert!(read.count() > 0, "{name} has no input");
    }
}
