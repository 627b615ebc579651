//! Settings of the cluster that forbid whatever changes documents or indices.

use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use rest::call::Call;

/// The settings, what they are called as blocks, and whether indices may be dropped all the same.
const BLOCKS: [(&str, &str, bool); 2] = [
    ("cluster.blocks.read_only", "6/cluster read-only (api)", false),
    (
        "cluster.blocks.read_only_allow_delete",
        "13/cluster read-only / allow delete (api)",
        true,
    ),
];

/// What paths ask for that changes nothing, or nothing that is blocked.
const READS: [&str; 25] = [
    "_analyze",
    "_cache",
    "_cluster",
    "_count",
    "_explain",
    "_field_caps",
    "_flush",
    "_forcemerge",
    "_knn_search",
    "_mget",
    "_msearch",
    "_mtermvectors",
    "_nodes",
    "_pit",
    "_rank_eval",
    "_refresh",
    "_reload_search_analyzers",
    "_render",
    "_search",
    "_search_shards",
    "_security",
    "_tasks",
    "_termvectors",
    "_terms_enum",
    "_validate",
];

/// Refuses a request that a setting of the cluster forbids.
pub(crate) async fn check(call: &Call) -> Result<()> {
    if !changes(call) {
        return Ok(());
    }
    let drops = call.method == Method::DELETE && call.path.len() == 1;
    let settings = call
        .cluster_settings_named(BLOCKS.map(|(setting, ..)| setting))
        .await?;
    for ((_, block, lets_drop), setting) in BLOCKS.into_iter().zip(settings) {
        if setting.as_deref() == Some("true") && !(drops && lets_drop) {
            let reason = format!("blocked by: [FORBIDDEN/{block}];");
            return Err(ElasticError::new(
                StatusCode::FORBIDDEN,
                "cluster_block_exception",
                reason,
            ));
        }
    }
    Ok(())
}

/// Whether a request changes documents, indices or what is kept of them.
fn changes(call: &Call) -> bool {
    if ![Method::PUT, Method::POST, Method::DELETE].contains(&call.method) {
        return false;
    }
    // Ids of documents come after what is asked for.
    let mut asked = call
        .path
        .iter()
        .filter(|part| part.starts_with('_') && *part != "_all");
    let asks = asked.next().map_or("", String::as_str);
    let simulates = ["_ingest", "_index_template"].contains(&asks)
        && asked.next().is_some_and(|part| part.starts_with("_simulate"));
    !READS.contains(&asks) && !simulates
}
