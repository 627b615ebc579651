//! Plans and what they examined, in MongoDB's shape.
//!
//! [`explain`] chooses a plan as the command would, runs it as far as the command would if the verbosity asks for that, and
//! shows it as a tree of stages. The protocol adds the fields around it (`command`, `serverInfo` …).

mod clustered;
mod distinct;
mod express;
mod find;
mod stage;
mod stages;
mod verbosity;

pub use find::{Explanation, Purpose, Returned, Trial, explain};
pub use verbosity::Verbosity;
