#![no_main]

use obbligato_fuzz::condition::Condition;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let error = text.parse::<Condition>().err().unwrap_or_default();
    assert!(error.len() < 1000, "{error:?}");
});
