//! Generates random searches.

use crate::histories::{level, text, time, vector, word};
use serde_json::{Value, json};
use testing::Random;

/// A body of a search.
pub fn search(random: &mut Random) -> Value {
    let mut body = json!({"query": query(random, 3), "size": random.below(30)});
    if random.below(5) == 0 {
        body["knn"] = nearest(random, 2);
        if random.below(2) == 0 {
            body.as_object_mut().unwrap().remove("query");
        }
    }
    match random.below(6) {
        0 => body["sort"] = json!([{"@timestamp": "desc"}]),
        1 => body["sort"] = json!([{"@timestamp": {"order": "desc", "unmapped_type": "boolean"}}, "_doc"]),
        2 => body["sort"] = json!(["level.keyword", {label(random): "asc"}, {"size": "desc"}]),
        3 => body["sort"] = json!([{"@timestamp": "asc"}]),
        _ => {}
    }
    if random.below(3) == 0 {
        body["track_total_hits"] = [json!(true), json!(false), json!(7)][random.below(3) as usize].clone();
    }
    match random.below(4) {
        0 => {
            body["aggs"] = aggregations(random, 2);
            if random.below(3) == 0 {
                body["aggs"]["c"] = composite(random);
            }
            if random.below(2) == 0 {
                body["size"] = json!(0);
            }
        }
        1 => body["post_filter"] = json!({"term": {"level.keyword": level(random)}}),
        2 => body["from"] = json!(random.below(5)),
        _ => {}
    }
    body
}

/// A `flattened` field, or one of its keys.
fn label(random: &mut Random) -> &'static str {
    ["labels", "labels.app", "labels.at.zone", "labels.none"][random.below(4) as usize]
}

/// One of these, or another field.
fn label_or(random: &mut Random, other: &'static str) -> &'static str {
    match random.below(2) {
        0 => label(random),
        _ => other,
    }
}

/// The contents of a `flattened` field.
fn held(random: &mut Random) -> Value {
    let label = label(random);
    match random.below(5) {
        0 => json!({"term": {label: level(random)}}),
        1 => json!({"terms": {label: [word(random), random.below(3).to_string()]}}),
        2 => json!({"prefix": {label: &word(random)[..1]}}),
        3 => json!({"range": {label: {"gte": "d", "lt": word(random)}}}),
        _ => json!({"exists": {"field": label}}),
    }
}

/// The nearest documents.
fn nearest(random: &mut Random, depth: u64) -> Value {
    let count = 1 + random.below(30);
    let mut knn =
        json!({"field": "vector", "query_vector": vector(random), "k": count, "num_candidates": 30});
    if random.below(2) == 0 {
        knn["filter"] = query(random, depth.saturating_sub(1));
    }
    knn
}

/// Aggregations, most of which columns can answer.
fn aggregations(random: &mut Random, depth: u64) -> Value {
    let mut all = json!({});
    for name in ["a", "b"].iter().take(1 + random.below(2) as usize) {
        let mut one = match random.below(if depth == 0 { 5 } else { 14 }) {
            0 => json!({"stats": {"field": "size"}}),
            1 => {
                json!({"cardinality": {"field": label_or(random, "level.keyword")}})
            }
            2 => {
                let field = ["@timestamp", "large"][random.below(2) as usize];
                json!({"max": {"field": field}})
            }
            3 => json!({"value_count": {"field": "host.name.keyword"}}),
            4 => match random.below(4) {
                0 => json!({"sum": {"field": "ratio", "missing": 1}}),
                1 => json!({"extended_stats": {"field": "ratio"}}),
                2 => json!({"avg": {"field": "size"}}),
                _ => json!({"min": {"field": "ratio"}}),
            },
            5 => {
                json!({"date_histogram": {"field": "@timestamp", "calendar_interval": "hour", "time_zone": "Asia/Kolkata"}})
            }
            6 => {
                let field = ["size", "large"][random.below(2) as usize];
                json!({"terms": {"field": field, "size": 4, "order": {"_key": "desc"}}})
            }
            7 => json!({"terms": {"field": "level.keyword", "missing": "none", "include": "[dinw].*"}}),
            8 => json!({"histogram": {"field": "ratio", "interval": 0.5, "min_doc_count": 1}}),
            9 => {
                json!({"range": {"field": "size", "ranges": [{"to": 5}, {"from": 3, "to": 12}, {"from": 12}]}})
            }
            10 => json!({"missing": {"field": label_or(random, "host.up")}}),
            11 => json!({"filter": {"term": {"level.keyword": "warn"}}}),
            12 => json!({"filters": {"other_bucket": true, "filters": {
                "x": {"bool": {"must_not": {"range": {"size": {"lt": 7}}}}}, "y": query(random, 1),
            }}}),
            _ => json!({"date_histogram": {"field": "@timestamp", "fixed_interval": "1h", "offset": "10m"}}),
        };
        let is_metric = [
            "stats",
            "cardinality",
            "max",
            "value_count",
            "sum",
            "extended_stats",
            "avg",
            "min",
        ]
        .iter()
        .any(|metric| one.get(metric).is_some());
        if depth > 0 && !is_metric && random.below(3) > 0 {
            one["aggs"] = aggregations(random, depth - 1);
        }
        all[*name] = one;
    }
    all
}

/// A `composite` aggregation, which must not be nested.
fn composite(random: &mut Random) -> Value {
    let level =
        json!({"level": {"terms": {"field": "level.keyword", "missing_bucket": random.below(2) == 0}}});
    let second = match random.below(4) {
        0 => {
            json!({"hour": {"date_histogram": {"field": "@timestamp", "fixed_interval": "1h", "order": "desc"}}})
        }
        1 => {
            json!({"day": {"date_histogram": {"field": "@timestamp", "calendar_interval": "day", "time_zone": "Asia/Kolkata"}}})
        }
        2 => json!({"size": {"terms": {"field": "size", "order": "desc"}}}),
        _ => json!({"ratio": {"histogram": {"field": "ratio", "interval": 0.5}}}),
    };
    let mut one = json!({"composite": {"size": 1 + random.below(12), "sources": [level, second]}});
    if random.below(2) == 0 {
        one["aggs"] = aggregations(random, 1);
    }
    one
}

fn query(random: &mut Random, depth: u64) -> Value {
    match random.below(if depth == 0 { 16 } else { 21 }) {
        0 => json!({"match_all": {}}),
        1 => json!({"match": {"message": text(random)}}),
        2 => json!({"match": {"message": {"query": text(random), "operator": "and"}}}),
        3 => json!({"match_phrase": {"message": format!("{} {}", word(random), word(random))}}),
        4 => {
            let slop = random.below(3);
            json!({"match_phrase": {"message": {"query": format!("{} {}", word(random), word(random)), "slop": slop}}})
        }
        5 => match random.below(3) {
            0 => json!({"term": {"tags": level(random)}}),
            1 => json!({"term": {"host.up": random.below(2) == 0}}),
            _ => json!({"term": {"level.keyword": level(random)}}),
        },
        6 => json!({"terms": {"level.keyword": [level(random), level(random)]}}),
        7 => {
            let size = random.below(20) as f64 + random.below(2) as f64 / 2.0;
            let end = ["gt", "gte", "lt", "lte"][random.below(4) as usize];
            json!({"range": {"size": {end: size}}})
        }
        8 => {
            let from = time(random);
            json!({"range": {"@timestamp": {"gte": from, "lt": from + 3_600_000, "format": "epoch_millis"}}})
        }
        9 => {
            let field = ["late", "host", "ratio", "level", "@timestamp", "vector", "labels"]
                [random.below(7) as usize];
            json!({"exists": {"field": field}})
        }
        10 => json!({"prefix": {"message": &word(random)[..1]}}),
        11 => json!({"wildcard": {"message": format!("*{}*", &word(random)[..1])}}),
        12 => json!({"ids": {"values": (0..5).map(|_| random.below(200).to_string()).collect::<Vec<_>>()}}),
        13 => json!({"range": {"ratio": {"gte": -0.5, "lte": random.below(4) as f64 / 3.0}}}),
        14 => held(random),
        15 => json!({"match": {label(random): word(random)}}),
        16 => json!({"knn": nearest(random, depth)}),
        17 => json!({"constant_score": {"filter": query(random, depth - 1), "boost": 2}}),
        18 => {
            json!({"dis_max": {"queries": [query(random, depth - 1), query(random, depth - 1)], "tie_breaker": 0.3}})
        }
        _ => {
            let mut clauses = |most: u64| -> Vec<Value> {
                let count = random.below(most + 1);
                (0..count).map(|_| query(random, depth - 1)).collect()
            };
            let (must, should, not, filter) = (clauses(2), clauses(3), clauses(1), clauses(1));
            json!({"bool": {"must": must, "should": should, "must_not": not, "filter": filter}})
        }
    }
}
