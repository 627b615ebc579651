//! The lines in PostgreSQL, with an inverted index on the words of their messages.

use super::lines::{COMMON, Lines, PHRASE, RARE, device, time};
use super::{Client, Found, NEWEST, Place, Question, WORDED, measure};
use crate::Settings;
use crate::client::Postgres;
use crate::server::{PostgresServer, folder_bytes};
use anyhow::{Context, Result};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

const TABLES: &str = "
    CREATE TABLE lines (at timestamptz, device text, level text, program text, message text);
    CREATE INDEX by_device ON lines (device, at);
    CREATE INDEX by_time ON lines (at);
    CREATE INDEX by_word ON lines USING gin (to_tsvector('simple', message));";
const COLUMNS: usize = 5;

struct Server {
    server: PostgresServer,
    folder: PathBuf,
}

struct Connection {
    client: Postgres,
}

pub fn postgres(settings: &Settings, lines: &Lines) -> Result<Found> {
    let folder = settings.folder("logs-postgres")?;
    let server = Server {
        server: PostgresServer::start(folder.path(), "256MB")?,
        folder: folder.path().to_owned(),
    };
    server.server.connect()?.execute(TABLES)?;
    let mut found = measure(&server, lines)?;
    found.bytes = folder_bytes(&server.folder.join("cluster/base"), &|_| true)?;
    Ok(found)
}

impl Place for Server {
    type Client = Connection;

    fn connect(&self) -> Result<Connection> {
        Ok(Connection {
            client: self.server.connect()?,
        })
    }

    fn settle(&self) -> Result<Duration> {
        self.server.connect()?.execute("VACUUM ANALYZE lines")?;
        Ok(Duration::ZERO)
    }

    fn resident_bytes(&self) -> Result<u64> {
        self.server.resident_bytes()
    }
}

impl Client for Connection {
    fn insert(&mut self, lines: &Lines, numbers: Range<u64>) -> Result<()> {
        let rows = (numbers.end - numbers.start) as usize;
        let placeholders = (0..rows).map(|row| {
            let at = |column: usize| row * COLUMNS + column;
            let (time, rest) = (at(1), [at(2), at(3), at(4), at(5)].map(|at| format!("${at}")));
            format!("(${time}::timestamptz,{})", rest.join(","))
        });
        let sql = format!(
            "INSERT INTO lines VALUES {}",
            placeholders.collect::<Vec<_>>().join(",")
        );
        let values: Vec<String> = numbers
            .flat_map(|number| {
                let line = lines.line(number);
                let time = line.time();
                [
                    time,
                    line.device,
                    line.level.to_owned(),
                    line.program.to_owned(),
                    line.message,
                ]
            })
            .collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        self.client.query(&sql, &values).map(drop)
    }

    fn ask(&mut self, lines: &Lines, question: Question) -> Result<u64> {
        let has = "to_tsvector('simple', message) @@ phraseto_tsquery('simple', $1)";
        let newest =
            |and: &str| format!("SELECT * FROM lines WHERE {has} {and} ORDER BY at DESC LIMIT {WORDED}");
        let client = &mut self.client;
        let rows = match question {
            Question::Newest(number) => client.query(
                &format!("SELECT * FROM lines WHERE device = $1 ORDER BY at DESC LIMIT {NEWEST}"),
                &[&device(number)],
            )?,
            Question::Rare => client.query(&newest(""), &[RARE])?,
            Question::Common => client.query(&newest(""), &[COMMON])?,
            Question::Best => {
                let rank = "ts_rank(to_tsvector('simple', message), phraseto_tsquery('simple', $1))";
                client.query(
                    &format!("SELECT * FROM lines WHERE {has} ORDER BY {rank} DESC LIMIT 10"),
                    &[COMMON],
                )?
            }
            Question::Phrase => client.query(&newest(""), &[PHRASE])?,
            Question::Hour => {
                let (from, to) = lines.hour();
                let hour = newest("AND at >= $2::timestamptz AND at < $3::timestamptz");
                client.query(&hour, &[COMMON, &time(from), &time(to)])?
            }
            Question::Histogram => {
                let counts =
                    client.execute("SELECT count(*) FROM lines GROUP BY date_trunc('hour', at), level")?;
                let counts = counts.iter().map(|row| {
                    let count = row
                        .first()
                        .and_then(Option::as_deref)
                        .context("a row without a count")?;
                    Ok(count.parse::<u64>()?)
                });
                return counts.sum();
            }
        };
        Ok(rows.len() as u64)
    }
}
