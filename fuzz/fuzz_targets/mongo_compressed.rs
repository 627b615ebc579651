#![no_main]

#[path = "../checks/mongo.rs"]
#[allow(dead_code)]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    checks::compressed(bytes);
});
