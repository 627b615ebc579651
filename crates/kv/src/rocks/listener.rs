//! Taking back the errors of merges that could not read their tables.
//!
//! Such a merge changes nothing: its tables stay, and what it wrote is removed. The engine would end all writes until a restart
//! nevertheless, unless a listener takes the error back, which it offers for this. Its binding for Rust has no listeners, so
//! they are made by the engine's C functions.
//!
//! The only place of the project with `unsafe`. What must hold: the sender lives as long as the listener, which the engine ends
//! by [`end`]; functions that the engine calls do not panic.
#![allow(unsafe_code, reason = "the binding has no listeners")]

use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, Options};
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::mpsc::Sender;

/// The engine's number of errors of merges (`BackgroundErrorReason::kCompaction`).
const OF_MERGE: u32 = 1;

/// The beginnings of the engine's texts of what could not be read. Errors of writing stop the writes as ever.
const READING: [&str; 4] = [
    "Corruption: ",
    "IO error: While pread ",
    "IO error: While open a file for random read",
    "IO error: No such file or directory: While open a file for random read",
];

/// Has a database that is opened with these settings send the errors of merges that cannot read a table, and go on after them.
pub(super) fn listen(settings: &mut Options, unreadable: Sender<Option<String>>) {
    let state: *mut c_void = Box::into_raw(Box::new(unreadable)).cast();
    // SAFETY: the engine gives `state` back to these functions alone, and last to `end`, since it counts who has the listener;
    // it calls each of them, so none may be missing. The settings are alive, and the engine copies nothing else of them.
    unsafe {
        let listener = ffi::rocksdb_eventlistener_create(
            state,
            Some(end),
            Some(of_job),
            Some(of_job),
            Some(of_job),
            Some(of_job),
            Some(of_event),
            Some(of_event),
            Some(of_job),
            Some(failed),
            Some(of_event),
            Some(of_event),
        );
        ffi::rocksdb_options_add_eventlistener(settings.as_raw_ptr(), listener);
    }
}

/// Called once, when nothing of the engine has the listener any more.
unsafe extern "C" fn end(state: *mut c_void) {
    // SAFETY: `state` is what `listen` made, and is not used after this.
    drop(unsafe { Box::from_raw(state.cast::<Sender<Option<String>>>()) });
}

/// An event of a job, of which there is nothing to be said.
unsafe extern "C" fn of_job<Info>(_: *mut c_void, _: *mut ffi::rocksdb_t, _: *const Info) {}

/// Another event of which there is nothing to be said.
unsafe extern "C" fn of_event<Info>(_: *mut c_void, _: *const Info) {}

/// Work in the background failed, and the engine asks how bad that is. It holds no lock meanwhile.
unsafe extern "C" fn failed(state: *mut c_void, reason: u32, status: *mut ffi::rocksdb_status_ptr_t) {
    if reason != OF_MERGE {
        return;
    }
    // SAFETY: `status` is valid during the call.
    let cause = unsafe { text(status) };
    if !is_of_reading(&cause) {
        return;
    }
    // SAFETY: `state` is what `listen` made, and only borrowed here; a sender may be used by several threads.
    let unreadable = unsafe { &*state.cast::<Sender<Option<String>>>() };
    // Nobody listens any more while the database is closed.
    let _ = unreadable.send(Some(cause));
    // SAFETY: as above.
    unsafe { ffi::rocksdb_reset_status(status) };
}

/// The engine's text of an error; empty if there is none.
///
/// # Safety
/// `status` must be valid.
unsafe fn text(status: *mut ffi::rocksdb_status_ptr_t) -> String {
    let mut text: *mut c_char = ptr::null_mut();
    // SAFETY: the status is valid; the text is the caller's, ends with a zero, and is freed once it was copied.
    unsafe {
        ffi::rocksdb_status_ptr_get_error(status, &raw mut text);
        if text.is_null() {
            return String::new();
        }
        let copied = CStr::from_ptr(text).to_string_lossy().into_owned();
        ffi::rocksdb_free(text.cast());
        copied
    }
}

fn is_of_reading(cause: &str) -> bool {
    READING.iter().any(|beginning| cause.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_reading_are_taken_back() {
        assert!(is_of_reading(
            "Corruption: block checksum mismatch: stored = 1, computed = 2  in /data/000009.sst offset 196 size 4000"
        ));
        assert!(is_of_reading(
            "IO error: While pread offset 0 len 4096: /data/000009.sst: Input/output error"
        ));
        for cause in [
            "IO error: While appending to file: /data/000009.sst: Input/output error",
            "IO error: No space left on device: While appending to file: /data/000009.sst: No space left on device",
            "IO error: While fdatasync: /data/MANIFEST-000005: Input/output error",
            "",
        ] {
            assert!(!is_of_reading(cause), "{cause}");
        }
    }
}
