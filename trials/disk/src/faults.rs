//! I/O errors at chosen moments.

use std::ffi::OsStr;

#[derive(Clone, Copy, PartialEq)]
pub enum Operation {
    Read,
    Write,
    Sync,
}

/// Strikes once, at an operation on a file whose name holds `pattern`, after `after` such operations went well.
struct Fault {
    operation: Operation,
    pattern: String,
    after: u64,
}

#[derive(Default)]
pub struct Faults(Option<Fault>);

impl Faults {
    pub fn expect(&mut self, operation: Operation, pattern: &str, after: u64) {
        self.0 = Some(Fault { operation, pattern: pattern.to_owned(), after });
    }

    pub fn clear(&mut self) {
        self.0 = None;
    }

    pub fn strikes(&mut self, operation: Operation, name: &OsStr) -> bool {
        let Some(fault) = &mut self.0 else { return false };
        if fault.operation != operation || !name.to_string_lossy().contains(&fault.pattern) {
            return false;
        }
        if fault.after > 0 {
            fault.after -= 1;
            return false;
        }
        self.0 = None;
        true
    }
}
