//! Documents written as JSON, put into all servers.

use super::Servers;
use crate::Settings;
use crate::load::run_batches;
use crate::workload::placeholders;
use anyhow::Result;
use std::fs::File;
use std::io::{BufWriter, Write};
use value::DocumentBuf;

const BATCH: u64 = 1000;
const LOADERS: usize = 2;

/// Puts `documents` documents into a collection and into a table of the same name. `json` gives each as Extended
/// JSON without `_id`; the servers then know it by its number.
pub fn load(
    settings: &Settings,
    servers: &mut Servers,
    name: &str,
    documents: u64,
    json: impl Fn(u64) -> String + Sync,
) -> Result<()> {
    let Servers {
        larder,
        postgres,
        duckdb,
    } = servers;
    let connect = || larder.connect();
    run_batches(LOADERS, documents, BATCH, connect, |client, numbers| {
        let mut batch = Vec::new();
        for number in numbers {
            let mut document = value::json::parse_document(&json(number))?;
            document.insert_at(0, "_id", number as i64);
            batch.extend_from_slice(DocumentBuf::from(&document).bytes());
        }
        client.insert(name, &batch)
    })?;

    postgres
        .connect()?
        .execute(&format!("CREATE TABLE {name} (id bigint PRIMARY KEY, doc jsonb)"))?;
    let connect = || postgres.connect();
    run_batches(LOADERS, documents, BATCH, connect, |client, numbers| {
        let rows = numbers.end - numbers.start;
        let insert = format!("INSERT INTO {name} VALUES {}", placeholders(rows, "jsonb"));
        let texts: Vec<String> = numbers
            .flat_map(|number| [number.to_string(), json(number)])
            .collect();
        let parameters: Vec<&str> = texts.iter().map(String::as_str).collect();
        client.query(&insert, &parameters).map(drop)
    })?;

    let folder = settings.folder("pipelines-duckdb")?;
    let file = std::path::absolute(folder.path().join("documents.json"))?;
    std::fs::create_dir_all(folder.path())?;
    let mut lines = BufWriter::new(File::create(&file)?);
    for number in 0..documents {
        writeln!(lines, "{}", json(number))?;
    }
    lines.into_inner()?;
    duckdb.load(name, &file)
}
