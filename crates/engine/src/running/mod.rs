//! Running operations, sessions, the profiler, background work, and checks and copies of the data folder.

pub(crate) mod background;
pub(crate) mod checkpoint;
pub(crate) mod operations;
pub(crate) mod profile;
pub(crate) mod salvage;
pub(crate) mod scrub;
pub(crate) mod sessions;
pub(crate) mod set_aside;
pub(crate) mod verify;
pub(crate) mod write_lock;
