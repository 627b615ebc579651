//! Plans and what they examined, in MongoDB's shape.
//!
//! [`explain`] chooses a plan as the command would, runs it as far as the command would where that is asked for, and
//! shows it as a tree of stages. The fields around it (`command`, `serverInfo` …) are the protocol's.

mod find;
mod stage;
mod stages;
mod verbosity;

pub use find::{Purpose, Returned, Trial, explain};
pub use verbosity::Verbosity;
