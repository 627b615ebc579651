//! The most rows that one query of a view or of `_all_docs` may ask for (`couch_mrview_util:apply_limit`).

use crate::limits::ROWS_MAX;
use access::config::Config;
use access::error::{CouchError, Result};

/// The limit that holds for a query: its own, which the settings may not let through, or else theirs. None is none.
pub(crate) fn apply(config: &Config, is_partitioned: bool, limit: Option<u64>) -> Result<Option<u64>> {
    let setting = if is_partitioned {
        "partition_query_limit"
    } else {
        "query_limit"
    };
    let set: Option<u64> = config.number("query_server_config", setting);
    match limit.filter(|limit| *limit != ROWS_MAX) {
        None => Ok(set),
        Some(limit) if limit <= set.unwrap_or(ROWS_MAX) => Ok(Some(limit)),
        Some(_) => Err(CouchError::query_parse(format!(
            "Limit is too large, must not exceed {}",
            set.unwrap_or(ROWS_MAX)
        ))),
    }
}
