//! Elasticsearch's suggesters: what somebody may have meant to type ([`terms`], [`phrase`]), and how what was typed may go on
//! ([`completion`]).
//!
//! A [`Suggest`] is parsed from a request, is shown every document of the indices that are searched, as a `Run` of `search` is,
//! and keeps what comes near.
//!
//! What must hold: what it keeps is counted in the memory of searches; a parameter that is not understood is an error.
//!
//! Left to others: where documents come from (`elastic`), what their fields and terms are (`mapping`).

mod collate;
mod completion;
mod likeness;
mod near;
mod phrase;
mod smoothing;
mod terms;

pub use collate::Collated;
use mapping::Mapping;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::View;
use mapping::json::{Members, scalar};
use search::{Held, Seen};
use serde_json::{Map, Value, json};
use value::DocumentBuf;

/// Suggestions of one request at most.
const SUGGESTIONS_MAX: usize = 100;

/// What a request wants suggested.
#[derive(Clone, Debug, Default)]
pub struct Suggest(Vec<One>);

#[derive(Clone, Debug)]
struct One {
    name: String,
    text: String,
    kind: Suggester,
}

#[derive(Clone, Debug)]
enum Suggester {
    Completion(completion::Completer),
    Terms(terms::Speller),
    Phrase(Box<phrase::Phraser>),
}

/// A document that completes what was typed.
#[derive(Clone, Debug)]
pub struct Suggested {
    /// The place of its index among those that were shown.
    pub index: usize,
    /// Its `_id` as text.
    pub id: String,
    /// The document.
    pub document: DocumentBuf,
}

/// Makes of an option what clients see: a document is put into it.
pub type ShowSuggested<'s> = dyn Fn(&Suggested, &mut Map<String, Value>) -> Result<()> + Sync + 's;

impl Suggest {
    /// Reads the member `suggest` of a search.
    pub fn parse(value: &Value) -> Result<Suggest> {
        let Value::Object(object) = value else {
            return Err(SearchError::parsing("[suggest] must be an object"));
        };
        let global = object.get("text").and_then(scalar);
        let mut all = Vec::new();
        for (name, body) in object {
            if name == "text" && !body.is_object() {
                continue;
            }
            all.push(One::parse(name, body, global.as_deref())?);
        }
        match all.len() > SUGGESTIONS_MAX {
            true => Err(SearchError::illegal(format!(
                "[suggest] takes at most {SUGGESTIONS_MAX} suggestions"
            ))),
            false => Ok(Suggest(all)),
        }
    }

    /// Whether nothing is wanted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Begins with the documents of an index.
    pub fn begin(&mut self, mapping: &Mapping) -> Result<()> {
        for one in &mut self.0 {
            match &mut one.kind {
                Suggester::Completion(completer) => completer.begin(mapping, &one.text)?,
                Suggester::Terms(speller) => speller.begin(mapping, &one.text)?,
                Suggester::Phrase(phraser) => phraser.begin(mapping, &one.text)?,
            }
        }
        Ok(())
    }

    /// Looks at a document of the index with this place. What it keeps is counted in `held`.
    pub fn see(&mut self, mapping: &Mapping, index: usize, seen: &Seen<'_>, held: &Held) -> Result<()> {
        let view = View {
            id: seen.id,
            version: seen.version,
            sequence: seen.sequence,
            index_at: index,
            ..View::of_document(mapping, seen.document.as_ref())
        };
        for one in &mut self.0 {
            match &mut one.kind {
                Suggester::Completion(completer) => completer.see(&view, index, seen, held)?,
                Suggester::Terms(speller) => speller.see(&view, held)?,
                Suggester::Phrase(phraser) => phraser.see(&view, held)?,
            }
        }
        Ok(())
    }

    /// The queries that are to be asked before it is finished.
    pub fn collated(&self) -> Vec<Collated> {
        let all = self.0.iter().enumerate();
        let asked = all.map(|(at, one)| match &one.kind {
            Suggester::Phrase(phraser) => phraser.collated(at),
            Suggester::Completion(_) | Suggester::Terms(_) => Vec::new(),
        });
        asked.flatten().collect()
    }

    /// Learns that one of these queries matches something.
    pub fn matches(&mut self, query: &Collated) {
        if let Some(Suggester::Phrase(phraser)) = self.0.get_mut(query.at).map(|one| &mut one.kind) {
            phraser.matches(&query.phrase);
        }
    }

    /// The answer.
    pub fn finish(
        self,
        typed_keys: bool,
        show: &ShowSuggested<'_>,
        held: &Held,
    ) -> Result<Map<String, Value>> {
        let mut answer = Map::new();
        for one in self.0 {
            let (kind, entries) = match one.kind {
                Suggester::Completion(completer) => {
                    let options = completer.finish(show, held)?;
                    (
                        "completion",
                        vec![entry(&one.text, 0, one.text.chars().count(), options)],
                    )
                }
                Suggester::Terms(speller) => ("term", speller.finish()),
                Suggester::Phrase(phraser) => ("phrase", phraser.finish(&one.text)),
            };
            let name = match typed_keys {
                true => format!("{kind}#{}", one.name),
                false => one.name,
            };
            answer.insert(name, Value::Array(entries));
        }
        Ok(answer)
    }
}

/// What is suggested for a part of the text.
fn entry(text: &str, offset: usize, length: usize, options: Vec<Value>) -> Value {
    json!({"text": text, "offset": offset, "length": length, "options": options})
}

impl One {
    fn parse(name: &str, body: &Value, global: Option<&str>) -> Result<One> {
        let mut members = Members::of(format!("suggest.{name}"), body)?;
        let text = members.text("text")?;
        let prefix = members.text("prefix")?;
        let regex = members.text("regex")?;
        let missing = || malformed("missing suggestion object");
        let (kind, options) = members.take_first().ok_or_else(missing)?;
        members.end()?;
        let mut options = Members::of(kind, options)?;
        let is_regex = regex.is_some();
        let kind = match kind {
            "completion" => Suggester::Completion(completion::Completer::parse(&mut options, is_regex)?),
            "term" => Suggester::Terms(terms::Speller::parse(&mut options)?),
            "phrase" => Suggester::Phrase(Box::new(phrase::Phraser::parse(&mut options)?)),
            other => return Err(SearchError::illegal(format!("suggester [{other}] not found"))),
        };
        if let Some((other, _)) = options.take_first() {
            return Err(SearchError::parsing(format!(
                "suggester[{}] doesn't support field [{other}]",
                kind.name()
            )));
        }
        let text = regex.or(prefix).or(text).or_else(|| global.map(str::to_owned));
        let text = text.ok_or_else(|| SearchError::illegal("The required text option is missing"))?;
        Ok(One {
            name: name.to_owned(),
            text,
            kind,
        })
    }
}

impl Suggester {
    fn name(&self) -> &'static str {
        match self {
            Suggester::Completion(_) => "completion",
            Suggester::Terms(_) => "term",
            Suggester::Phrase(_) => "phrase",
        }
    }
}

/// What is no suggestion at all.
fn malformed(reason: &str) -> SearchError {
    SearchError::new(ErrorKind::Date, reason)
}

/// The field that something is suggested of.
fn wanted_field(members: &mut Members<'_>) -> Result<String> {
    let missing = || malformed("the required field option [field] is missing");
    members.text("field")?.ok_or_else(missing)
}

fn no_mapping(field: &str) -> SearchError {
    SearchError::new(
        ErrorKind::IllegalArgument,
        format!("no mapping found for field [{field}]"),
    )
}
