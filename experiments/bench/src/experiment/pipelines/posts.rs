//! Blog posts with comments: who comments most, and who least?

use super::questions::Answer;
use crate::workload::scramble;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const AUTHORS: u64 = 97;
const COMMENTS_MAX: u64 = 20;

pub const MOST: &str = r#"[
    {"$unwind": "$comments"},
    {"$group": {"_id": "$comments.author", "count": {"$sum": 1}}},
    {"$sort": {"count": -1, "_id": 1}},
    {"$limit": 1}
]"#;
pub const MOST_SQL: &str = "SELECT c->>'author', count(*) FROM posts, jsonb_array_elements(doc->'comments') c \
                            GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1";
pub const LEAST: &str = r#"[
    {"$unwind": "$comments"},
    {"$group": {"_id": "$comments.author", "count": {"$sum": 1}}},
    {"$sort": {"count": 1, "_id": 1}},
    {"$limit": 1}
]"#;
pub const LEAST_SQL: &str = "SELECT c->>'author', count(*) FROM posts, jsonb_array_elements(doc->'comments') c \
                             GROUP BY 1 ORDER BY 2, 1 LIMIT 1";

pub const MOST_DUCKDB: &str = "SELECT c->>'author', count(*) FROM \
                                 (SELECT unnest(from_json(doc->'comments', '[\"json\"]')) c FROM posts) comments \
                               GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1";
pub const LEAST_DUCKDB: &str = "SELECT c->>'author', count(*) FROM \
                                  (SELECT unnest(from_json(doc->'comments', '[\"json\"]')) c FROM posts) comments \
                                GROUP BY 1 ORDER BY 2, 1 LIMIT 1";

/// The authors of the comments under a post. Some are fonder of commenting than others.
fn authors(post: u64) -> impl Iterator<Item = String> {
    let comments = scramble(post) % COMMENTS_MAX;
    (0..comments).map(move |comment| {
        let random = scramble(post * COMMENTS_MAX + comment);
        let author = (random % AUTHORS).min((random >> 32) % AUTHORS);
        format!("author {author:02}")
    })
}

/// A post.
pub fn json(post: u64) -> String {
    let mut comments = String::new();
    for author in authors(post) {
        let comma = if comments.is_empty() { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(
            comments,
            "{comma}{{\"author\":\"{author}\",\"body\":\"a comment on post {post}, neither long nor short\"}}"
        );
    }
    format!(
        "{{\"title\":\"Post {post}\",\"body\":\"What there is to say in post {post}.\",\"comments\":[{comments}]}}"
    )
}

/// The author of the most comments under all posts, and of the least.
pub fn answers(posts: u64) -> [Answer; 2] {
    let mut counts = BTreeMap::<String, u64>::new();
    for author in (0..posts).flat_map(authors) {
        *counts.entry(author).or_default() += 1;
    }
    // Of equals the first by name, as the questions have it.
    let most = counts.iter().rev().max_by_key(|(_, count)| **count);
    let least = counts.iter().min_by_key(|(_, count)| **count);
    [most, least]
        .map(|found| found.map_or_else(Answer::default, |(name, count)| Answer::of(name, *count as f64)))
}
