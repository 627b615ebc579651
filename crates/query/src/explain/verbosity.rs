//! How much an explanation contains.

/// MongoDB's three verbosities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// The plan that would run, and those that were rejected.
    QueryPlanner,
    /// Runs the query: what the winning plan examined.
    ExecutionStats,
    /// Also what the other plans examined while they were tried.
    AllPlansExecution,
}
