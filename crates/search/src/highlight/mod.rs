//! The parts of texts in which what was searched for stands, with marks around it.
//!
//! A query gives the terms, patterns and phrases that it looks for in a field ([`wanted`]); a text is analyzed again to see
//! where they stand, and cut into fragments around them ([`fragments`]).

mod fragments;
mod wanted;

use crate::hit::Hit;
use crate::query::{Query, parse_query};
use fragments::Marks;
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, simple_match};
use mapping::json::{Members, one_or_many, scalar};
use mapping::{Field, FieldKind, Mapping};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use wanted::Wanted;

/// The characters of a text that are analyzed at most, where the setting `index.highlight.max_analyzed_offset` says nothing.
pub const ANALYZED_CHARS_MAX: usize = 1_000_000;

/// What a request wants highlighted.
#[derive(Clone, Debug)]
pub struct Highlight {
    /// Names or patterns of fields, each with its options.
    fields: Vec<(String, Options)>,
    query: Option<Query>,
}

/// How a field is highlighted.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    before: String,
    after: String,
    fragment_chars: usize,
    fragments: usize,
    kind: Kind,
    /// Whether only what was searched for in this field is marked.
    matches_field: bool,
    by_score: bool,
    /// Characters that are shown of a field in which nothing stands.
    unmatched_chars: usize,
    escapes: bool,
    query: Option<Query>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Fragments are sentences.
    Unified,
    /// Fragments are as many words as fit.
    Plain,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            before: "<em>".to_owned(),
            after: "</em>".to_owned(),
            fragment_chars: 100,
            fragments: 5,
            kind: Kind::Unified,
            matches_field: true,
            by_score: false,
            unmatched_chars: 0,
            escapes: false,
            query: None,
        }
    }
}

impl Highlight {
    /// Reads the member `highlight` of a search.
    pub fn parse(value: &Value) -> Result<Highlight> {
        let mut members = Members::of("highlight", value)?;
        let default = Options::default().read(&mut members)?;
        let wanted = members.take("fields");
        members.end()?;
        let mut fields = Vec::new();
        for object in wanted.map(one_or_many).unwrap_or_default() {
            let object = object
                .as_object()
                .ok_or_else(|| SearchError::parsing("[highlight] needs objects as its [fields]"))?;
            for (name, options) in object {
                let mut members = Members::of(name.clone(), options)?;
                fields.push((name.clone(), default.clone().read(&mut members)?));
                members.end()?;
            }
        }
        Ok(Highlight {
            fields,
            query: default.query,
        })
    }

    /// The fragments of a hit by field; of a field in which nothing stands there are none.
    pub fn of(
        &self,
        mapping: &Mapping,
        hit: &Hit,
        query: Option<&Query>,
        now_ms: i64,
        chars_max: usize,
    ) -> Result<Map<String, Value>> {
        let mut out = Map::new();
        for (pattern, options) in &self.fields {
            let query = options.query.as_ref().or(self.query.as_ref()).or(query);
            let Some(query) = query else { continue };
            let wanted = Wanted::of(query, mapping, now_ms)?;
            for (name, field) in mapping.fields().filter(|(name, _)| simple_match(pattern, name)) {
                let field = mapping.field(name).unwrap_or(Cow::Borrowed(field));
                if !matches!(field.kind, FieldKind::Text | FieldKind::Keyword) || out.contains_key(name) {
                    continue;
                }
                let fragments = options.of_field(mapping, &field, hit, &wanted, chars_max)?;
                if !fragments.is_empty() {
                    out.insert(name.to_owned(), json!(fragments));
                }
            }
        }
        Ok(out)
    }
}

impl Options {
    fn read(mut self, members: &mut Members<'_>) -> Result<Options> {
        let count = |name: &str, number: Option<i64>| match number {
            Some(negative) if negative < 0 => {
                Err(SearchError::illegal(format!("[{name}] cannot be negative")))
            }
            number => Ok(number.map(|number| number as usize)),
        };
        let first = |value: &Value| {
            one_or_many(value)
                .into_iter()
                .find_map(scalar)
                .unwrap_or_default()
        };
        if let Some(schema) = members.text("tags_schema")? {
            match schema.as_str() {
                "default" => {}
                "styled" => self.before = "<em class=\"hlt1\">".to_owned(),
                other => return Err(SearchError::illegal(format!("Unknown tag schema [{other}]"))),
            }
        }
        if let Some(tags) = members.take("pre_tags") {
            self.before = first(tags);
        }
        if let Some(tags) = members.take("post_tags") {
            self.after = first(tags);
        }
        if let Some(chars) = count("fragment_size", members.integer("fragment_size")?)? {
            self.fragment_chars = chars;
        }
        if let Some(number) = count("number_of_fragments", members.integer("number_of_fragments")?)? {
            self.fragments = number;
        }
        if let Some(chars) = count("no_match_size", members.integer("no_match_size")?)? {
            self.unmatched_chars = chars;
        }
        match members.text("type")?.as_deref() {
            None => {}
            // What is asked of the term vectors, the text itself is asked here.
            Some("unified" | "fvh") => self.kind = Kind::Unified,
            Some("plain") => self.kind = Kind::Plain,
            Some(other) => {
                return Err(SearchError::illegal(format!(
                    "unknown highlighter type [{other}] for the field [highlight]"
                )));
            }
        }
        match members.text("encoder")?.as_deref() {
            None => {}
            Some("default") => self.escapes = false,
            Some("html") => self.escapes = true,
            Some(other) => return Err(SearchError::illegal(format!("unknown encoder [{other}]"))),
        }
        match members.text("order")?.as_deref() {
            None => {}
            Some("score") => self.by_score = true,
            Some("none") => self.by_score = false,
            Some(other) => return Err(SearchError::illegal(format!("unknown order [{other}]"))),
        }
        if let Some(matches) = members.flag("require_field_match")? {
            self.matches_field = matches;
        }
        if let Some(query) = members.take("highlight_query") {
            self.query = Some(parse_query(query)?);
        }
        for unsupported in ["matched_fields", "fragment_offset"] {
            if members.take(unsupported).is_some() {
                return Err(SearchError::unsupported(format!(
                    "[{unsupported}] of [highlight]"
                )));
            }
        }
        match members.text("boundary_scanner")?.as_deref() {
            None | Some("sentence") => {}
            Some(other) => {
                return Err(SearchError::unsupported(format!(
                    "the [boundary_scanner] {other} of [highlight]"
                )));
            }
        }
        match members.text("fragmenter")?.as_deref() {
            None | Some("simple" | "span") => {}
            Some(other) => {
                return Err(SearchError::illegal(format!(
                    "unknown fragmenter option [{other}]"
                )));
            }
        }
        // What bounds the work elsewhere; here the length of a text does.
        for bound in [
            "phrase_limit",
            "max_fragment_length",
            "force_source",
            "boundary_max_scan",
            "boundary_chars",
            "boundary_scanner_locale",
            "max_analyzed_offset",
        ] {
            members.take(bound);
        }
        Ok(self)
    }

    fn of_field(
        &self,
        mapping: &Mapping,
        field: &Field,
        hit: &Hit,
        wanted: &Wanted,
        chars_max: usize,
    ) -> Result<Vec<String>> {
        let texts = hit
            .view(mapping)
            .terms(field)
            .into_iter()
            .filter_map(|term| match term {
                Term::Text(text) => Some(text),
                _ => None,
            });
        let marks = Marks {
            before: &self.before,
            after: &self.after,
            escapes: self.escapes,
        };
        let mut found = Vec::new();
        let mut unmatched = None;
        for text in texts {
            let length = text.chars().count();
            let has_offsets = field.has_offsets && self.kind == Kind::Unified;
            if length > chars_max && !has_offsets {
                return Err(SearchError::illegal(format!(
                    "The length of [{}] field of [{}] doc of [{}] index has exceeded [{chars_max}] - maximum allowed to be analyzed for \
                     highlighting. This maximum can be set by changing the [index.highlight.max_analyzed_offset] index level setting. \
                     For large texts, indexing with offsets or term vectors is recommended!",
                    field.name, hit.id, hit.index
                )));
            }
            let places = wanted.places(field, &text, self.matches_field);
            if places.is_empty() {
                unmatched.get_or_insert(text);
                continue;
            }
            found.extend(
                match (self.fragments, self.kind) {
                    (0, _) => fragments::whole(&text, &places),
                    (_, Kind::Unified) => fragments::sentences(&text, &places, self.fragment_chars),
                    (_, Kind::Plain) => fragments::words(&text, &places, self.fragment_chars),
                }
                .into_iter()
                .map(|fragment| (fragment.score, fragment.marked(marks))),
            );
        }
        if found.is_empty() {
            let shown = unmatched.filter(|_| self.unmatched_chars > 0);
            return Ok(shown
                .map(|text| marks.escaped(&fragments::beginning(&text, self.unmatched_chars)))
                .into_iter()
                .collect());
        }
        if self.fragments > 0 {
            let mut best: Vec<usize> = (0..found.len()).collect();
            best.sort_by(|a, b| found[*b].0.total_cmp(&found[*a].0));
            best.truncate(self.fragments);
            if !self.by_score {
                best.sort_unstable();
            }
            return Ok(best.into_iter().map(|at| found[at].1.clone()).collect());
        }
        Ok(found.into_iter().map(|(_, text)| text).collect())
    }
}
