#![no_main]

#[path = "../checks/riak.rs"]
#[allow(dead_code)]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    checks::job(bytes);
});
