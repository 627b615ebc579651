//! What bounds a script.

/// Bytes of a script's source.
pub const SOURCE_BYTES_MAX: usize = 64 << 10;
/// How deep expressions and blocks may lie in each other.
pub const DEPTH_MAX: usize = 64;
/// Steps of a run: statements, calls, elements that are copied.
pub const STEPS_MAX: u64 = 1_000_000;
/// Bytes that a run may make of texts, lists and maps, and of the fields that it looks at.
pub const BYTES_MAX: usize = 16 << 20;
/// Bytes of memory of what a run gives back, with what it was handed: a large document, taken apart.
pub const RESULT_BYTES_MAX: usize = 64 << 20;
/// Names that a script has at a time.
pub const NAMES_MAX: usize = 1_000;
/// How many regular expressions a script may have: each may take up to a megabyte when it is compiled.
pub const PATTERNS_MAX: usize = 64;
/// The bytes of a string that regular expressions may search.
pub const SEARCHED_BYTES_MAX: usize = 64 << 10;
/// How many steps a run makes until it looks whether it is still wanted; they take some 100 µs.
pub(crate) const STEPS_BETWEEN_LOOKS: u64 = 1_000;
