//! What bounds a script.

/// Bytes of a script's source.
pub const SOURCE_BYTES_MAX: usize = 64 << 10;
/// How deep expressions and blocks may lie in each other.
pub const DEPTH_MAX: usize = 64;
/// Steps of a run: statements, calls, elements that are copied.
pub const STEPS_MAX: u64 = 1_000_000;
/// Bytes that a run may make of texts and lists.
pub const BYTES_MAX: usize = 16 << 20;
