//! `_cat`: lists for people, and for programs that grew up with them.

mod table;

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::names::{Options, resolve};
use crate::respond::Answer;
use auth::Action;
use http::Method;
use table::{Column, Table};

/// `_cat/indices`.
pub(crate) async fn indices(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = begin(call)?;
    call.parameters
        .without_effect(&["pri", "include_unloaded_segments"]);
    // Every index that is there is green.
    let is_wanted = match call.parameters.take("health").as_deref() {
        None | Some("green") => true,
        Some("yellow" | "red") => false,
        Some(other) => {
            return Err(ElasticError::illegal(format!(
                "unknown cluster health status [{other}]"
            )));
        }
    };
    let mut table = Table::new(&[
        Column::left("health", "h"),
        Column::left("status", "s"),
        Column::left("index", "i"),
        Column::left("uuid", "id"),
        Column::right("pri", "p"),
        Column::right("rep", "r"),
        Column::right("docs.count", "dc"),
        Column::right("docs.deleted", "dd"),
        Column::right("store.size", "ss"),
        Column::right("pri.store.size", "pss"),
    ]);
    let names = resolve(call, expression, options)?;
    for name in names.into_iter().filter(|_| is_wanted) {
        let index = call.index(&name, Action::Find)?;
        let report = index.collection.report().await?;
        let size = table::bytes(report.storage_bytes);
        table.row(vec![
            "green".to_owned(),
            "open".to_owned(),
            name,
            index.uuid(),
            "1".to_owned(),
            "0".to_owned(),
            report.documents.to_string(),
            report.deleted.to_string(),
            size.clone(),
            size,
        ]);
    }
    table.answer(&mut call.parameters)
}

/// `_cat/count`.
pub(crate) async fn count(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = begin(call)?;
    let mut documents = 0;
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::Find)?;
        documents += index.collection.report().await?.documents;
    }
    let (epoch, time) = table::now(&call.server.engine);
    let mut table = Table::new(&[
        Column::left("epoch", "t"),
        Column::left("timestamp", "ts"),
        Column::left("count", "dc"),
    ]);
    table.row(vec![epoch, time, documents.to_string()]);
    table.answer(&mut call.parameters)
}

/// `_cat/health`.
pub(crate) async fn health(call: &mut Call) -> Result<Answer> {
    let options = begin(call)?;
    call.parameters.without_effect(&["ts"]);
    let shards = resolve(call, "_all", options)?.len().to_string();
    let (epoch, time) = table::now(&call.server.engine);
    let mut table = Table::new(&[
        Column::left("epoch", "t"),
        Column::left("timestamp", "ts"),
        Column::left("cluster", "cl"),
        Column::left("status", "st"),
        Column::right("node.total", "nt"),
        Column::right("node.data", "nd"),
        Column::right("shards", "t"),
        Column::right("pri", "p"),
        Column::right("relo", "r"),
        Column::right("init", "i"),
        Column::right("unassign", "u"),
        Column::right("pending_tasks", "pt"),
        Column::left("max_task_wait_time", "mtwt"),
        Column::right("active_shards_percent", "asp"),
    ]);
    let zero = || "0".to_owned();
    let one = || "1".to_owned();
    let row = vec![
        epoch,
        time,
        "larder".to_owned(),
        "green".to_owned(),
        one(),
        one(),
        shards.clone(),
        shards,
        zero(),
        zero(),
        zero(),
        zero(),
        "-".to_owned(),
        "100.0%".to_owned(),
    ];
    table.row(row);
    table.answer(&mut call.parameters)
}

fn begin(call: &mut Call) -> Result<Options> {
    if call.method != Method::GET {
        return Err(call.not_allowed("GET"));
    }
    call.parameters
        .without_effect(&["local", "master_timeout", "time"]);
    Options::take(&mut call.parameters)
}
