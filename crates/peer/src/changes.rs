//! Reading the changes of a peer, page by page: a request that fails is simply sent again.

use crate::ask::Ask;
use crate::{CouchPeer, Result};
use http::{Method, percent_encode};
use replicate::{Changes, ChangesQuery, Filter, Row};
use serde_json::{Map, Value, json};

#[derive(serde::Deserialize)]
struct Page {
    results: Vec<PageRow>,
    last_seq: Value,
    #[serde(default)]
    pending: Option<u64>,
}

#[derive(serde::Deserialize)]
struct PageRow {
    seq: Value,
    id: String,
    changes: Vec<Leaf>,
}

#[derive(serde::Deserialize)]
struct Leaf {
    rev: String,
}

impl CouchPeer {
    pub(super) async fn read_changes(&self, query: &ChangesQuery<'_>) -> Result<Changes> {
        let page: Page = self.ask(&request(query)).await?;
        let length = page.results.len();
        let rows: Vec<Row> = page.results.into_iter().filter_map(row).collect();
        Ok(Changes {
            skipped: length - rows.len(),
            rows,
            last_sequence: page.last_seq,
            pending: page.pending,
        })
    }
}

/// A document without an id is nothing that could be replicated.
fn row(row: PageRow) -> Option<Row> {
    if row.id.is_empty() {
        tracing::error!("a change without an id is passed by");
        return None;
    }
    Some(Row {
        sequence: row.seq,
        id: row.id,
        revisions: row.changes.into_iter().map(|leaf| leaf.rev).collect(),
    })
}

fn request(query: &ChangesQuery<'_>) -> Ask {
    let mut path = format!("/_changes?limit={}", query.limit);
    let mut add = |name: &str, value: &str| {
        path.push('&');
        path.push_str(&percent_encode(name));
        path.push('=');
        path.push_str(&percent_encode(value));
    };
    add(
        "style",
        if query.winners_only {
            "main_only"
        } else {
            "all_docs"
        },
    );
    add("since", &text(query.since));
    match query.wait {
        Some(wait) => {
            add("feed", "longpoll");
            add("timeout", &wait.as_millis().to_string());
        }
        None => add("feed", "normal"),
    }
    let body = filter(query.filter, &mut add);
    let mut ask = match body {
        Some(body) => Ask::json(Method::POST, path, body.to_string()),
        None => Ask::new(Method::GET, path),
    };
    ask.wait = query.wait.unwrap_or_default();
    ask
}

/// Adds a filter's parameters; what it needs in the body.
fn filter(filter: &Filter, add: &mut impl FnMut(&str, &str)) -> Option<Value> {
    match filter {
        Filter::All => None,
        Filter::Ids(ids) => {
            add("filter", "_doc_ids");
            Some(json!({"doc_ids": ids}))
        }
        Filter::Selector(selector) => {
            add("filter", "_selector");
            Some(json!({"selector": selector}))
        }
        Filter::Named { name, parameters } => {
            add("filter", name);
            add_all(parameters, add);
            None
        }
    }
}

fn add_all(parameters: &Map<String, Value>, add: &mut impl FnMut(&str, &str)) {
    for (name, value) in parameters {
        add(name, &text(value));
    }
}

/// A text as it is, any other value as JSON: so a sequence goes back as it came.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
