//! The table that `build/build.rs` makes of the folder `page`.

/// One file.
#[derive(Debug)]
pub(super) struct File {
    /// Its path below `page`.
    pub(super) name: &'static str,
    /// Its media type.
    pub(super) kind: &'static str,
    /// Its content, compressed by gzip.
    pub(super) packed: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));
