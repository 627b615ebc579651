//! The parts of texts in which what was searched for stands, with marks around it.
//!
//! A query gives the terms, patterns and phrases that it looks for in a field ([`wanted`]); a text is analyzed again to see
//! where they stand, and cut into fragments around them, in one of three ways ([`unified`], [`plain`], [`fast`]).

mod fast;
mod marks;
mod options;
mod plain;
mod text;
mod unified;
mod wanted;

use crate::hit::Hit;
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View, simple_match, text_of};
use mapping::json::{Members, one_or_many};
use mapping::{Field, Mapping};
use marks::Marks;
use options::{Options, Scanner};
use querying::Query;
use serde_json::{Map, Value as Json, json};
use std::borrow::Cow;
use std::collections::HashMap;
use text::Text;
use wanted::{Run, TermPlace, Wanted};

/// The characters of a text that are analyzed at most, where the setting `index.highlight.max_analyzed_offset` says nothing.
pub const ANALYZED_CHARS_MAX: usize = 1_000_000;

/// What a request wants highlighted.
#[derive(Clone, Debug)]
pub struct Highlight {
    /// Names or patterns of fields, each with its options.
    fields: Vec<(String, Options)>,
    query: Option<Query>,
}

/// A way to highlight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unified,
    Plain,
    Fast,
}

/// A value of a field, with what was found in it. Places are in characters.
#[derive(Debug)]
struct Value<'t> {
    text: Text<'t>,
    /// Where its terms begin and end.
    tokens: Vec<(usize, usize)>,
    /// What was found, in order; nothing begins within another.
    places: Vec<TermPlace>,
    /// The last term of a phrase that was found, by its first one.
    phrases: HashMap<usize, usize>,
}

impl Highlight {
    /// Reads the member `highlight` of a search.
    pub fn parse(value: &Json) -> Result<Highlight> {
        let mut members = Members::of("highlight", value)?;
        let default = Options::of_all(&mut members)?;
        let wanted = members.take("fields");
        members.end()?;
        let mut fields = Vec::new();
        let is_list = wanted.is_some_and(Json::is_array);
        for object in wanted.map(one_or_many).unwrap_or_default() {
            let object = object
                .as_object()
                .filter(|object| !is_list || object.len() == 1)
                .ok_or_else(|| {
                    SearchError::parsing(
                        "[fields] can be a single object with any number of fields or an array where each entry is an object with a \
                         single field",
                    )
                })?;
            for (name, options) in object {
                let mut members = Members::of(name.clone(), options)?;
                fields.push((name.clone(), default.of_field(&mut members)?));
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
    ) -> Result<Map<String, Json>> {
        let mut out = Map::new();
        for (pattern, options) in &self.fields {
            let query = options.query.as_ref().or(self.query.as_ref()).or(query);
            let query = query.unwrap_or(&Query::MatchAll { boost: 1.0 });
            let wanted = Wanted::of(query, mapping, now_ms)?;
            let is_pattern = pattern.contains('*');
            for (name, field) in mapping.fields().filter(|(name, _)| simple_match(pattern, name)) {
                let field = mapping.field(name).unwrap_or(Cow::Borrowed(field));
                if field.is_object() || (is_pattern && !field.is_textual()) || out.contains_key(name) {
                    continue;
                }
                let kind = options.kind_for(name)?;
                if kind == Kind::Fast && !field.has_vectors {
                    match is_pattern {
                        true => continue,
                        false => return Err(without_vectors(name)),
                    }
                }
                let one = OfField {
                    options,
                    kind,
                    mapping,
                    hit,
                    chars_max,
                };
                let fragments = one.fragments(&field, &wanted)?;
                if !fragments.is_empty() {
                    out.insert(name.to_owned(), json!(fragments));
                }
            }
        }
        Ok(out)
    }
}

fn without_vectors(name: &str) -> SearchError {
    SearchError::illegal(format!(
        "the field [{name}] should be indexed with term vector with position offsets to be used with fast vector highlighter"
    ))
}

impl Options {
    fn kind_for(&self, field: &str) -> Result<Kind> {
        match self.kind.as_deref() {
            None | Some("unified") if self.scanner == Some(Scanner::Chars) => {
                Err(SearchError::illegal("Invalid boundary scanner type: chars"))
            }
            None | Some("unified") => Ok(Kind::Unified),
            Some("fvh") => Ok(Kind::Fast),
            Some("plain") => match &self.unknown_fragmenter {
                None => Ok(Kind::Plain),
                Some(name) => Err(SearchError::illegal(format!(
                    "unknown fragmenter option [{name}] for the field [{field}]"
                ))),
            },
            Some(other) => Err(SearchError::illegal(format!(
                "unknown highlighter type [{other}] for the field [{field}]"
            ))),
        }
    }
}

/// A field of a hit, and how it is highlighted.
struct OfField<'h> {
    options: &'h Options,
    kind: Kind,
    mapping: &'h Mapping,
    hit: &'h Hit,
    chars_max: usize,
}

impl OfField<'_> {
    fn fragments(&self, field: &Field, wanted: &Wanted) -> Result<Vec<String>> {
        let texts = texts(self.hit.view(self.mapping), field);
        for text in &texts {
            self.check_length(field, text)?;
        }
        match self.kind {
            Kind::Fast => self.fast(field, wanted, &texts),
            _ => Ok(self.analyzed(field, wanted, &texts)),
        }
    }

    fn marks(&self) -> Marks<'_> {
        Marks {
            before: &self.options.before,
            after: &self.options.after,
            escapes: self.options.escapes,
        }
    }

    fn analyzed(&self, field: &Field, wanted: &Wanted, texts: &[String]) -> Vec<String> {
        let (options, marks) = (self.options, self.marks());
        let values = texts
            .iter()
            .map(|text| wanted.value(field, text, options.matches_field));
        let values: Vec<Value<'_>> = values.collect();
        let found = match self.kind {
            Kind::Plain => plain::fragments(&values, options, marks),
            _ => unified::fragments(&values, options, marks),
        };
        if !found.is_empty() || options.unmatched_chars == 0 {
            return found;
        }
        let beginning = match self.kind {
            Kind::Plain => plain::beginning(&values, options.unmatched_chars, marks),
            _ => unified::beginning(&values, options.unmatched_chars, marks),
        };
        beginning.into_iter().collect()
    }

    fn fast(&self, field: &Field, wanted: &Wanted, texts: &[String]) -> Result<Vec<String>> {
        let (options, marks) = (self.options, self.marks());
        let matched: Vec<Cow<'_, _>> = options
            .matched
            .iter()
            .filter_map(|name| self.mapping.field(name))
            .collect();
        let fields: Vec<&Field> = match options.matched.is_empty() {
            true => vec![field],
            false => matched.iter().map(|field| &***field).collect(),
        };
        let values = texts
            .iter()
            .map(|text| (Text::new(text), wanted.runs(&fields, text, options.matches_field)));
        let values: Vec<(Text<'_>, Vec<Run>)> = values.collect();
        let found = fast::fragments(&values, options, marks)?;
        let shown = values
            .first()
            .filter(|_| found.is_empty() && options.unmatched_chars > 0)
            .map(|(text, _)| fast::beginning(text, options.unmatched_chars, options, marks));
        Ok(found.into_iter().chain(shown).collect())
    }

    fn check_length(&self, field: &Field, text: &str) -> Result<()> {
        let has_offsets = field.has_offsets && self.kind != Kind::Plain;
        if has_offsets || text.len() <= self.chars_max || text.chars().count() <= self.chars_max {
            return Ok(());
        }
        Err(SearchError::illegal(format!(
            "The length of [{}] field of [{}] doc of [{}] index has exceeded [{}] - maximum allowed to be analyzed for \
             highlighting. This maximum can be set by changing the [index.highlight.max_analyzed_offset] index level setting. \
             For large texts, indexing with offsets or term vectors is recommended!",
            field.name, self.hit.id, self.hit.index, self.chars_max
        )))
    }
}

/// The texts of a field, those in nested objects below what is seen too.
fn texts<'v>(view: View<'v>, field: &'v Field) -> Vec<String> {
    let views = match field.nested.as_deref() {
        Some(path) if view.scope != Some(path) => view.nested(path),
        _ => vec![view],
    };
    let of_one = |view: &View<'v>| -> Vec<String> {
        if field.meta.is_some() || field.flattened.is_some() {
            let texts = view.terms(field).into_iter().filter_map(|term| match term {
                Term::Text(text) => Some(text),
                _ => None,
            });
            return texts.collect();
        }
        let texts = view.own(field).into_iter().filter_map(text_of);
        // Longer ones are no terms.
        let is_term =
            |text: &String| field.ignore_above == usize::MAX || text.chars().count() <= field.ignore_above;
        texts.filter(is_term).collect()
    };
    views.iter().flat_map(of_one).collect()
}
