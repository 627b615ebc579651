//! SQLite with the documents as JSON text, as durable as the others: each transaction is flushed.

use anyhow::Result;
use rusqlite::{Connection, Params, Transaction};
use std::path::Path;

/// A database in a file.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    /// Opens it in a folder with a cache of so many bytes.
    pub fn open(folder: &Path, cache_bytes: usize) -> Result<Sqlite> {
        std::fs::create_dir_all(folder)?;
        let connection = Connection::open(folder.join("bench.sqlite"))?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        // Negative: KiB instead of pages.
        connection.pragma_update(None, "cache_size", -((cache_bytes >> 10) as i64))?;
        Ok(Sqlite { connection })
    }

    /// Runs statements without parameters.
    pub fn execute(&self, sql: &str) -> Result<()> {
        Ok(self.connection.execute_batch(sql)?)
    }

    /// Inserts rows of an id and a document in one transaction.
    pub fn insert<'a>(
        &mut self,
        table: &str,
        rows: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare(&format!("INSERT INTO {table} VALUES (?1, ?2)"))?;
            for (id, document) in rows {
                insert.execute((id, document))?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// Does something in one transaction.
    pub fn transaction(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<()>) -> Result<()> {
        let transaction = self.connection.transaction()?;
        work(&transaction)?;
        Ok(transaction.commit()?)
    }

    /// The number that a query gives.
    pub fn number(&self, sql: &str) -> Result<i64> {
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    /// The number of rows that a query gives, all of them read.
    pub fn count_rows(&self, sql: &str, parameters: impl Params) -> Result<usize> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(parameters)?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            let _: rusqlite::types::Value = row.get(0)?;
            count += 1;
        }
        Ok(count)
    }
}
