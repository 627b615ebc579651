//! The parts of stored texts in which what was searched for stands.

use crate::definition::TextIndex;
use crate::error::Result;
use crate::found::FoundHit;
use crate::said::stored;
use mapping::Mapping;
use search::{ANALYZED_CHARS_MAX, Highlight, Hit, Request};
use serde_json::{Map, Value as Json, json};
use value::{Document, DocumentBuf};

/// The characters of a fragment by default.
const FRAGMENT_CHARS: usize = 100;

/// What the names of the fields begin with in which texts are marked; a number follows.
const MARKED: char = '\u{5}';

/// What is marked, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlights {
    /// The fields, whose texts are stored.
    pub fields: Vec<String>,
    /// Stands before what is marked.
    pub before: String,
    /// Stands after it.
    pub after: String,
    /// Fragments of a text at most.
    pub number: usize,
    /// The characters of a fragment; none said where it is 0.
    pub size: usize,
}

/// Marks the hits of a search.
pub(crate) struct Marker<'m> {
    asked: &'m Highlights,
    request: &'m Request,
    /// That of the search, with a field for each that is marked.
    mapping: Mapping,
}

impl<'m> Marker<'m> {
    /// Marks hits of a request, where that is asked.
    pub(crate) fn of(
        asked: Option<&'m Highlights>,
        request: &'m Request,
        mapping: &Mapping,
        index: &TextIndex,
    ) -> Result<Option<Marker<'m>>> {
        let Some(asked) = asked else { return Ok(None) };
        let fields = asked.fields.iter().enumerate();
        let properties: Map<String, Json> = fields
            .map(|(at, name)| {
                let analyzer = index.analyzers.of_field(name);
                (field(at), json!({"type": "text", "analyzer": analyzer}))
            })
            .collect();
        let mut mapping = mapping.clone();
        mapping.put(&json!({ "properties": properties }))?;
        Ok(Some(Marker {
            asked,
            request,
            mapping,
        }))
    }

    fn highlights(&self, hit: &Hit) -> Result<Map<String, Json>> {
        let stored = stored(&hit.document);
        let mut found = Map::new();
        for (at, name) in self.asked.fields.iter().enumerate() {
            let texts = match stored.get(name) {
                Some(Json::Array(values)) => values.iter().collect(),
                Some(value) => vec![value],
                None => Vec::new(),
            };
            let mut fragments = Vec::new();
            for text in texts.into_iter().filter_map(Json::as_str) {
                fragments.extend(self.fragments(text, hit, &field(at))?);
            }
            found.insert(name.clone(), fragments.into());
        }
        Ok(found)
    }

    /// The best fragments of one text, in which the terms of all fields are marked.
    fn fragments(&self, text: &str, hit: &Hit, field: &str) -> Result<Vec<Json>> {
        let asked = self.asked;
        let mut hit = hit.place();
        hit.document = DocumentBuf::from(&Document::new().with(field, text));
        let highlight = Highlight::parse(&json!({
            "type": "plain",
            "order": "score",
            "require_field_match": false,
            "pre_tags": [asked.before],
            "post_tags": [asked.after],
            "number_of_fragments": asked.number,
            "fragment_size": if asked.size == 0 { FRAGMENT_CHARS } else { asked.size },
            "fields": {field: {}},
        }))?;
        let query = self.request.query.as_ref();
        let now_ms = value::date::now_ms();
        let mut found = highlight.of(&self.mapping, &hit, query, now_ms, ANALYZED_CHARS_MAX)?;
        match found.remove(field) {
            Some(Json::Array(fragments)) => Ok(fragments),
            _ => Ok(Vec::new()),
        }
    }
}

fn field(at: usize) -> String {
    format!("{MARKED}{at}")
}

/// A hit, with what a marker finds in it.
pub(crate) fn found_hit(hit: Hit, marker: Option<&Marker<'_>>) -> Result<FoundHit> {
    Ok(FoundHit {
        highlights: marker.map(|marker| marker.highlights(&hit)).transpose()?,
        hit,
    })
}
