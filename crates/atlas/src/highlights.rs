//! The option `highlight`: the passages in which something was found.

use crate::error::{Result, of_search};
use crate::fields;
use crate::paths::{self, fields_of};
use crate::spec::Spec;
use search::{Highlight, Hit, Mapping, Query};
use serde_json::{Map, json};
use value::{Document, Value, doc};

/// What stands before and after what was found, and in no text.
const MARKS: [char; 2] = ['\u{1}', '\u{2}'];
/// Characters of a text that are looked at.
const EXAMINED_CHARS: i64 = 500_000;
/// Passages of a text.
const PASSAGES: i64 = 5;

/// Which passages are wanted.
#[derive(Debug)]
pub(crate) struct Highlights {
    highlight: Highlight,
    chars_max: usize,
}

impl Highlights {
    pub(crate) fn parse(spec: &Spec<'_>, mapping: &Mapping) -> Result<Highlights> {
        let paths = paths::parse(spec)?;
        let chars_max = spec.count("maxCharsToExamine", 1, i64::from(i32::MAX))?;
        let passages = spec
            .count("maxNumPassages", 1, i64::from(i32::MAX))?
            .unwrap_or(PASSAGES);
        spec.end()?;
        let kinds = ["string", "autocomplete"];
        let names = kinds.iter().flat_map(|kind| fields_of(&paths, kind, mapping));
        let wanted: Map<_, _> = names.map(|name| (name, json!({}))).collect();
        let [before, behind] = MARKS;
        let asked = json!({
            "pre_tags": [before.to_string()],
            "post_tags": [behind.to_string()],
            "number_of_fragments": passages,
            "fields": wanted,
        });
        Ok(Highlights {
            highlight: Highlight::parse(&asked).map_err(of_search)?,
            chars_max: chars_max.unwrap_or(EXAMINED_CHARS) as usize,
        })
    }

    /// The passages of a document.
    pub(crate) fn of(&self, mapping: &Mapping, hit: &Hit, query: &Query, now_ms: i64) -> Result<Vec<Value>> {
        let found = self
            .highlight
            .of(mapping, hit, Some(query), now_ms, self.chars_max);
        let mut passages = Vec::new();
        for (name, fragments) in found.map_err(of_search)? {
            let Some((_, path)) = fields::parts(&name) else {
                continue;
            };
            let fragments = fragments.as_array().into_iter().flatten();
            for fragment in fragments.filter_map(|fragment| fragment.as_str()) {
                passages.push(Value::Document(passage(path, fragment)));
            }
        }
        Ok(passages)
    }
}

/// A passage: its texts, with how many of them were looked for as its score.
fn passage(path: &str, fragment: &str) -> Document {
    let [before, behind] = MARKS;
    let mut texts: Vec<Value> = Vec::new();
    let mut hits = 0.0;
    let mut push = |text: &str, kind: &str| {
        if !text.is_empty() {
            texts.push(Value::Document(doc! {"value": text, "type": kind}));
        }
    };
    for part in fragment.split(before) {
        match part.split_once(behind) {
            Some((hit, rest)) => {
                hits += 1.0;
                push(hit, "hit");
                push(rest, "text");
            }
            None => push(part, "text"),
        }
    }
    doc! {"score": hits, "path": path, "texts": texts}
}
