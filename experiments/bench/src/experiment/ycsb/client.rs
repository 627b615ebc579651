//! The operations, as each peer is asked for them.

use super::mix::{field, key};
use super::{FIELDS, SCAN_MAX};
use crate::client::{Mongo, Postgres, batch_of};
use crate::workload::{placeholders, scramble};
use anyhow::{Result, ensure};
use std::ops::Range;
use value::raw::DocumentWriter;
use value::{Document, ValueRef, doc};

const COLLECTION: &str = "usertable";
const READ: &str = "SELECT doc FROM usertable WHERE id = $1";
const UPDATE: &str = "UPDATE usertable SET doc = doc || $2::jsonb WHERE id = $1";
const SCAN: &str = "SELECT id, doc FROM usertable WHERE id >= $1 ORDER BY id LIMIT $2::int";

/// A connection to one of them.
#[derive(Debug)]
pub(super) enum Client {
    Mongo(Mongo),
    Postgres(Postgres),
}

impl Client {
    /// Inserts records together.
    pub(super) fn load(&mut self, numbers: Range<u64>) -> Result<()> {
        match self {
            Client::Mongo(client) => {
                let mut documents = Vec::new();
                numbers.for_each(|number| put_bson(number, &mut documents));
                client.insert(COLLECTION, &documents)
            }
            Client::Postgres(client) => {
                let insert = format!(
                    "INSERT INTO usertable VALUES {}",
                    placeholders(numbers.end - numbers.start, "jsonb")
                );
                let texts: Vec<String> = numbers.flat_map(|number| [key(number), json(number)]).collect();
                let parameters: Vec<&str> = texts.iter().map(String::as_str).collect();
                client.query(&insert, &parameters).map(drop)
            }
        }
    }

    /// Inserts one record.
    pub(super) fn insert(&mut self, number: u64) -> Result<()> {
        self.load(number..number + 1)
    }

    /// Reads one record, which another client may be about to insert.
    pub(super) fn read(&mut self, key: &str, may_be_missing: bool) -> Result<()> {
        let is_found = match self {
            Client::Mongo(client) => client.find_by_id(COLLECTION, key)?.is_some(),
            Client::Postgres(client) => !client.query(READ, &[key])?.is_empty(),
        };
        ensure!(is_found || may_be_missing, "{key} is missing");
        Ok(())
    }

    /// Changes one field of a record.
    pub(super) fn update(&mut self, key: &str, number: u64, value: &str) -> Result<()> {
        match self {
            Client::Mongo(client) => {
                let set = Document::new().with(format!("field{number}"), value);
                let update = doc! {"q": {"_id": key}, "u": {"$set": (set)}};
                client
                    .command(&doc! {"update": COLLECTION, "updates": [(update)], "$db": "bench"})
                    .map(drop)
            }
            Client::Postgres(client) => {
                let change = format!("{{\"field{number}\":\"{value}\"}}");
                client.query(UPDATE, &[key, &change]).map(drop)
            }
        }
    }

    /// Reads so many records in the order of their keys.
    pub(super) fn scan(&mut self, key: &str, count: u64) -> Result<()> {
        let found = match self {
            Client::Mongo(client) => {
                let from = Document::new().with("$gte", key);
                let find = doc! {
                    "find": COLLECTION, "filter": {"_id": (from)}, "sort": {"_id": 1},
                    "limit": count as i64, "singleBatch": true, "batchSize": SCAN_MAX as i64, "$db": "bench",
                };
                batch_of(client.command(&find)?)?.len()
            }
            Client::Postgres(client) => client.query(SCAN, &[key, &count.to_string()])?.len(),
        };
        ensure!(found > 0 && found as u64 <= count, "{found} of {count} records");
        Ok(())
    }
}

fn put_bson(number: u64, out: &mut Vec<u8>) {
    let mut document = DocumentWriter::new(out);
    document.put("_id", ValueRef::String(&key(number)));
    for (name, text) in fields(number) {
        document.put(&name, ValueRef::String(&text));
    }
    document.finish();
}

fn json(number: u64) -> String {
    let members = fields(number).map(|(name, text)| format!("\"{name}\":\"{text}\""));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn fields(number: u64) -> impl Iterator<Item = (String, String)> {
    (0..FIELDS).map(move |at| (format!("field{at}"), field(scramble(number) ^ at << 8)))
}
