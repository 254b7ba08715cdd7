//! The inputs that the fuzz targets of the engine have collected, without a fuzzer.

#[path = "../../fuzz/src/bytes.rs"]
mod bytes;
#[path = "../../fuzz/src/calls.rs"]
mod calls;
#[path = "../../fuzz/src/scenes.rs"]
mod scenes;

use std::fs;

use crate::words::project;

#[test]
fn collected_scenes_match_the_reference() {
    let corpora = project().join("fuzz/corpus");
    for (name, _) in scenes::TARGETS {
        let inputs = fs::read_dir(corpora.join(name)).expect("a corpus");
        let run = inputs.map(|input| {
            let path = input.expect("it can be listed").path();
            scenes::run(name, &fs::read(path).expect("it can be read"));
        });
        assert!(run.count() > 0, "{name} has no input");
    }
}
