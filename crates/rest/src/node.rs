//! The server as the one node of a cluster.

/// The one node by its id.
pub const NODE_ID: &str = "LarderNode000000000001";
