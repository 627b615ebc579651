//! What the server tells of itself.

use serde_json::{Value, json};

/// The version that is spoken.
pub(crate) const VERSION: &str = "2.2.3";

/// The name of the one node.
pub(crate) fn node_name() -> String {
    "riak@127.0.0.1".to_owned()
}

/// `/stats`: figures that are known, under Riak's names.
pub(crate) fn stats() -> Value {
    json!({
        "nodename": node_name(),
        "riak_kv_version": VERSION,
        "riak_core_version": VERSION,
        "riak_pb_version": VERSION,
        "ring_members": [node_name()],
        "ring_num_partitions": 64,
        "connected_nodes": [],
        "storage_backend": "larder",
    })
}
