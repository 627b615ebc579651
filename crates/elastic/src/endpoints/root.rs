//! `/` and what clients ask before they begin.

use http::Method;
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};

/// The version that is spoken.
pub(crate) const VERSION: &str = "7.10.2";

/// `GET /`, `HEAD /`.
pub(crate) fn info(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET, Method::HEAD])?;
    call.parameters.end()?;
    Ok(ok(json!({
        "name": engine::host_name(),
        "cluster_name": "larder",
        "cluster_uuid": "larder",
        "version": {
            "number": VERSION,
            "build_flavor": "default",
            "build_type": "larder",
            "build_hash": "unknown",
            "build_date": "1970-01-01T00:00:00.000Z",
            "build_snapshot": false,
            "lucene_version": "8.7.0",
            "minimum_wire_compatibility_version": "6.8.0",
            "minimum_index_compatibility_version": "6.0.0-beta1",
        },
        "tagline": "You Know, for Search",
    })))
}

/// `GET /_license`: without an active one Logstash takes a server for dead.
pub(crate) fn license(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end_without(&["local", "accept_enterprise"])?;
    Ok(ok(
        json!({"license": {"status": "active", "uid": "larder", "type": "basic", "issued_to": "larder", "issuer": "larder"}}),
    ))
}

/// `GET /_script_context`: where scripts may be given.
pub(crate) fn script_contexts(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end()?;
    let contexts: Vec<Value> = [
        ("filter", "boolean"),
        ("ingest", "void"),
        ("processor_conditional", "boolean"),
        ("score", "double"),
        ("template", "java.lang.String"),
        ("update", "void"),
    ]
    .iter()
    .map(|(name, kind)| {
        let execute = json!({"name": "execute", "return_type": kind, "params": []});
        let params = json!({"name": "getParams", "return_type": "java.util.Map", "params": []});
        json!({"name": name, "methods": [execute, params]})
    })
    .collect();
    Ok(ok(json!({"contexts": contexts})))
}

/// `GET /_script_language`: the languages of scripts, and where each may be used.
pub(crate) fn script_languages(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end()?;
    Ok(ok(json!({
        "types_allowed": ["inline", "stored"],
        "language_contexts": [
            {"language": "mustache", "contexts": ["template"]},
            {"language": "painless", "contexts": ["filter", "ingest", "processor_conditional", "score", "update"]},
        ],
    })))
}

/// `GET /_remote/info`: no other cluster is known.
pub(crate) fn remotes(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end()?;
    Ok(ok(json!({})))
}

/// The parts of Elasticsearch beyond its core, and whether they are here.
const FEATURES: [(&str, bool); 20] = [
    ("analytics", true),
    ("ccr", false),
    ("data_streams", true),
    ("enrich", false),
    ("eql", false),
    ("flattened", true),
    ("frozen_indices", false),
    ("graph", false),
    ("ilm", true),
    ("logstash", false),
    ("ml", false),
    ("monitoring", false),
    ("rollup", false),
    ("searchable_snapshots", false),
    ("security", false),
    ("slm", false),
    ("sql", false),
    ("transform", false),
    ("vectors", true),
    ("watcher", false),
];

/// `GET /_xpack` and `GET /_xpack/usage`.
pub(crate) fn features(call: &mut Call, is_usage: bool) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let categories = call.parameters.list("categories");
    call.parameters
        .end_without(&["accept_enterprise", "master_timeout"])?;
    let features = FEATURES.iter().map(|(name, is_here)| {
        let about = json!({"available": is_here, "enabled": is_here});
        ((*name).to_owned(), about)
    });
    let features = Value::Object(features.collect());
    if is_usage {
        return Ok(ok(features));
    }
    let mut all = Map::from_iter([
        (
            "build".to_owned(),
            json!({"hash": "unknown", "date": "1970-01-01T00:00:00.000Z"}),
        ),
        (
            "license".to_owned(),
            json!({"uid": "larder", "type": "basic", "mode": "basic", "status": "active"}),
        ),
        ("features".to_owned(), features),
    ]);
    if let Some(categories) = categories {
        let known = |name: &String| name == "_all" || all.contains_key(name);
        if let Some(other) = categories.iter().find(|name| !known(name)) {
            return Err(ElasticError::illegal(format!(
                "No enum constant org.elasticsearch.protocol.xpack.XPackInfoRequest.Category.{}",
                other.to_uppercase()
            )));
        }
        all.retain(|name, _| categories.iter().any(|wanted| wanted == name || wanted == "_all"));
    }
    all.insert("tagline".to_owned(), json!("You know, for X"));
    Ok(ok(Value::Object(all)))
}
