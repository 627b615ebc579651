//! What a search answers when no shard could do its part. All documents lie in one shard, so one that fails is all of them.

use crate::node::NODE_ID;
use indices::Index;
use indices::error::ElasticError;
use serde_json::json;

/// What shards find wrong with a request that could be parsed.
const OF_SHARDS: [&str; 9] = [
    "aggregation_execution_exception",
    "aggregation_initialization_exception",
    "array_index_out_of_bounds_exception",
    "illegal_argument_exception",
    "number_format_exception",
    "parse_exception",
    "query_shard_exception",
    "script_exception",
    "search_context_missing_exception",
];

/// Those of them that Elasticsearch does not know as its own: it names them once more, each as the cause of itself.
const OF_JAVA: [&str; 3] = [
    "array_index_out_of_bounds_exception",
    "illegal_argument_exception",
    "number_format_exception",
];

/// What is answered where the shard of this index fails; without an index, where nothing is known of a shard. Errors of other kinds
/// are those of the whole request.
pub fn all_shards(mut error: ElasticError, index: Option<&Index>) -> ElasticError {
    if !OF_SHARDS.contains(&error.kind) {
        return error;
    }
    let mut shard = json!({"shard": -1, "index": null});
    if let Some(index) = index {
        if error.kind == "query_shard_exception" {
            error = error
                .with("index_uuid", index.uuid())
                .with("index", index.name.clone());
        }
        shard = json!({"shard": 0, "index": index.name, "node": NODE_ID});
    }
    shard["reason"] = error.to_json();
    let reason = "all shards failed";
    let failed = ElasticError::new(error.status, "search_phase_execution_exception", reason)
        .with("phase", "query")
        .with("grouped", true)
        .with("failed_shards", json!([shard]))
        .of_root(error.clone());
    match index {
        _ if OF_JAVA.contains(&error.kind) => failed.because(error.clone().because(error)),
        Some(_) => failed,
        None => failed.because(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_shard_is_the_root_of_that_of_a_search() {
        let whole = all_shards(ElasticError::validation(&["n".to_owned()]), None);
        assert_eq!(whole.kind, "action_request_validation_exception");
        let failed = all_shards(ElasticError::illegal("no"), None).to_answer();
        let cause = json!({"type": "illegal_argument_exception", "reason": "no"});
        let expected = json!({
            "error": {
                "type": "search_phase_execution_exception", "reason": "all shards failed", "phase": "query", "grouped": true,
                "failed_shards": [{"shard": -1, "index": null, "reason": cause}],
                "caused_by": {"type": "illegal_argument_exception", "reason": "no", "caused_by": cause},
                "root_cause": [cause],
            },
            "status": 400,
        });
        assert_eq!(failed, expected);
    }
}
