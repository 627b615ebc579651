//! Queries that the cluster or an index forbids for what they cost.

use http::StatusCode;
use indices::cluster_settings::EXPENSIVE_SETTING;
use indices::error::{ElasticError, Result};
use indices::scan::IndexSnapshot;
use rest::call::Call;
use search::Request;
use serde_json::Value;
use std::collections::BTreeMap;

/// Refuses a search of these indices that has more than one of them allows, or is expensive, where none is allowed.
pub(crate) async fn check(call: &Call, request: &Request, places: &[IndexSnapshot]) -> Result<()> {
    for place in places {
        let terms = place.index.limit("max_terms_count")?;
        let letters = place.index.limit("max_regex_length")?;
        for query in request.query.iter().chain(&request.post_filter) {
            query.check_sizes(terms, letters)?;
        }
    }
    let queries = || request.query.iter().chain(&request.post_filter);
    let expense =
        |type_of: &dyn Fn(&str) -> Option<String>| queries().find_map(|query| query.expense(type_of));
    // Most searches have none whatever their fields are, so neither settings nor mappings are read for them.
    if expense(&|_| Some("text".to_owned())).is_none()
        || call.cluster_setting(EXPENSIVE_SETTING).await?.as_deref() != Some("false")
    {
        return Ok(());
    }
    let of_place = |place: &IndexSnapshot| {
        let types: BTreeMap<String, Value> = place.mapping.definitions().into_iter().collect();
        expense(&|field| Some(types.get(field)?.get("type")?.as_str()?.to_owned()))
    };
    let Some(what) = places.iter().find_map(of_place) else {
        return Ok(());
    };
    let hint = match what.starts_with("[prefix]") {
        true => " For optimised prefix queries on text fields please enable [index_prefixes].",
        false => "",
    };
    Err(ElasticError::new(
        StatusCode::BAD_REQUEST,
        "query_shard_exception",
        format!(
            "failed to create query: {what} cannot be executed when '{EXPENSIVE_SETTING}' is set to false.{hint}"
        ),
    ))
}
