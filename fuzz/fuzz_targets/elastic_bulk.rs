#![no_main]

#[path = "../checks/elastic.rs"]
#[allow(dead_code)]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    checks::bulk(bytes);
});
