//! How much an explanation contains.

/// MongoDB's three verbosities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Which plan would run, and which were turned down.
    QueryPlanner,
    /// The query runs: what the winning plan examined.
    ExecutionStats,
    /// And what the other plans examined while they were tried.
    AllPlansExecution,
}
