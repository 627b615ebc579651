//! How large reductions of functions in JavaScript may be by the settings (`src/couch/src/couch_query_servers.erl`).

use access::config::Config;
use view::{ReduceLimit, ReduceOverflow};

const SECTION: &str = "query_server_config";

/// The limit that the settings name.
pub(crate) fn of(config: &Config) -> ReduceLimit {
    let default = ReduceLimit::default();
    ReduceLimit {
        overflow: match config.get(SECTION, "reduce_limit").as_deref() {
            Some("false") => ReduceOverflow::Taken,
            Some("log") => ReduceOverflow::Logged,
            _ => ReduceOverflow::Refused,
        },
        bytes: config
            .number(SECTION, "reduce_limit_threshold")
            .unwrap_or(default.bytes),
        ratio: config
            .number(SECTION, "reduce_limit_ratio")
            .unwrap_or(default.ratio),
    }
}
