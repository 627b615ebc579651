//! Plans and what they examined, in MongoDB's shape.

mod verbosity;

pub use verbosity::Verbosity;
