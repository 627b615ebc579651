//! The lines in servers of Elasticsearch's protocol.

use super::lines::{COMMON, Lines, PHRASE, RARE, device, time};
use super::{Client, Found, NEWEST, Place, Question, WORDED, measure};
use crate::Settings;
use crate::client::Http;
use crate::server::{ElasticsearchServer, Larder, folder_bytes, processor_time, resident_bytes};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::ops::Range;
use std::time::{Duration, Instant};

/// A server is at rest that needed less than a tenth of a core for so long.
const REST_TIME: Duration = Duration::from_secs(2);
const SETTLE_TIMEOUT: Duration = Duration::from_secs(900);

/// A server by its address and process.
struct Server {
    address: SocketAddr,
    process: u32,
}

struct Connection {
    http: Http,
    body: String,
}

/// The lines in Larder.
pub fn larder(settings: &Settings, lines: &Lines) -> Result<Found> {
    let folder = settings.folder("logs-larder")?;
    let larder = Larder::start(&settings.larder, folder.path(), "256m")?;
    let server = Server {
        address: larder.elastic_address,
        process: larder.process(),
    };
    let mut found = server.measure(lines)?;
    found.resident_bytes = found.resident_bytes.max(larder.resident_peak_bytes()?);
    found.bytes = larder.stop()?;
    found.bytes += folder_bytes(&folder.path().join("_fulltext"), &|_| true)?;
    Ok(found)
}

/// The lines in Elasticsearch.
pub fn elasticsearch(settings: &Settings, lines: &Lines) -> Result<Found> {
    let folder = settings.folder("logs-elasticsearch")?;
    let elasticsearch = ElasticsearchServer::start(folder.path())?;
    let server = Server {
        address: elasticsearch.address,
        process: elasticsearch.process(),
    };
    let mut found = server.measure(lines)?;
    server
        .connect()?
        .http
        .send("POST", "/logs/_flush?force=true", "")?;
    drop(elasticsearch);
    found.bytes = folder_bytes(folder.path(), &|name| !name.starts_with("translog"))?;
    Ok(found)
}

impl Server {
    fn measure(&self, lines: &Lines) -> Result<Found> {
        let keyword = json!({"type": "keyword"});
        let mapping = json!({
            "settings": {"number_of_shards": 1, "number_of_replicas": 0},
            "mappings": {"properties": {
                "@timestamp": {"type": "date"},
                "device": keyword, "level": keyword, "program": keyword,
                "message": {"type": "text"},
            }},
        });
        self.connect()?.http.send("PUT", "/logs", &mapping.to_string())?;
        measure(self, lines)
    }
}

impl Place for Server {
    type Client = Connection;

    fn connect(&self) -> Result<Connection> {
        Ok(Connection {
            http: Http::connect(self.address)?,
            body: String::new(),
        })
    }

    fn settle(&self) -> Result<Duration> {
        let started = Instant::now();
        loop {
            let before = processor_time(self.process)?;
            std::thread::sleep(REST_TIME);
            let used = processor_time(self.process)?.saturating_sub(before);
            if used < REST_TIME / 10 {
                self.connect()?.http.send("POST", "/logs/_refresh", "")?;
                return Ok(REST_TIME);
            }
            ensure!(
                started.elapsed() < SETTLE_TIMEOUT,
                "the server does not come to rest"
            );
        }
    }

    fn resident_bytes(&self) -> Result<u64> {
        resident_bytes(self.process)
    }
}

impl Client for Connection {
    fn insert(&mut self, lines: &Lines, numbers: Range<u64>) -> Result<()> {
        self.body.clear();
        for number in numbers {
            self.body.push_str("{\"create\":{}}\n");
            lines.line(number).put_json(&mut self.body);
            self.body.push('\n');
        }
        let answer = self
            .http
            .send("POST", "/logs/_bulk?filter_path=errors", &self.body)?;
        ensure!(answer.contains("\"errors\":false"), "_bulk: {answer}");
        Ok(())
    }

    fn ask(&mut self, lines: &Lines, question: Question) -> Result<u64> {
        let request = request(lines, question).to_string();
        let answer = self.http.send("POST", "/logs/_search", &request)?;
        let Answer {
            timed_out,
            hits,
            aggregations,
        } = serde_json::from_str(answer)?;
        ensure!(!timed_out, "a search took too long");
        if question == Question::Histogram {
            let hours = aggregations.context("no aggregations")?.hours.buckets;
            let levels = hours.iter().flat_map(|hour| &hour.levels.buckets);
            return Ok(levels.map(|level| level.doc_count).sum());
        }
        Ok(hits.hits.len() as u64)
    }
}

/// What is read of an answer: as with the other places, hits are counted and not taken apart.
#[derive(Deserialize)]
struct Answer {
    timed_out: bool,
    hits: Hits,
    aggregations: Option<Aggregations>,
}

#[derive(Deserialize)]
struct Hits {
    hits: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct Aggregations {
    hours: Buckets<Hour>,
}

#[derive(Deserialize)]
struct Buckets<T> {
    buckets: Vec<T>,
}

#[derive(Deserialize)]
struct Hour {
    levels: Buckets<Level>,
}

#[derive(Deserialize)]
struct Level {
    doc_count: u64,
}

fn request(lines: &Lines, question: Question) -> Value {
    let newest = |size: u64, filters: Value| {
        json!({
            "size": size,
            "query": {"bool": {"filter": filters}},
            "sort": [{"@timestamp": "desc"}],
            "track_total_hits": false,
        })
    };
    let word = |word: &str| json!({"match": {"message": word}});
    match question {
        Question::Newest(number) => newest(NEWEST, json!([{"term": {"device": device(number)}}])),
        Question::Rare => newest(WORDED, json!([word(RARE)])),
        Question::Common => newest(WORDED, json!([word(COMMON)])),
        Question::Best => json!({"size": 10, "query": word(COMMON)}),
        Question::Phrase => newest(WORDED, json!([{"match_phrase": {"message": PHRASE}}])),
        Question::Hour => {
            let (from, to) = lines.hour();
            let hour = json!({"range": {"@timestamp": {"gte": time(from), "lt": time(to)}}});
            newest(WORDED, json!([word(COMMON), hour]))
        }
        Question::Histogram => json!({
            "size": 0,
            "aggs": {"hours": {
                "date_histogram": {"field": "@timestamp", "fixed_interval": "1h"},
                "aggs": {"levels": {"terms": {"field": "level"}}},
            }},
        }),
    }
}
