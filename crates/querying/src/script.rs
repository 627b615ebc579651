//! Scripts that look at documents: conditions, scores, values.

use crate::work::work;
use language::interruption::steps;
use mapping::Mapping;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::{Term, View};
use painless::{Ended, Globals, Host, Script, ScriptError};
use serde_json::Value as Json;
use std::sync::Arc;
use value::{Document, DocumentRef, Value};

/// What a script has done between two looks whether it is still wanted.
const STEPS_OF_LOOK: usize = 1_000;

/// A script with its parameters.
#[derive(Clone, Debug)]
pub struct DocumentScript {
    script: Arc<Script>,
    source: String,
    params: Document,
    /// Whether it names the document, which it is handed then.
    reads_document: bool,
}

impl DocumentScript {
    /// Reads `"source"` or `{"source", "lang", "params"}`.
    pub fn parse(given: &Json) -> Result<DocumentScript> {
        let read = json::Reader::whole(given.to_string().as_bytes());
        let read = read.map_err(|error| SearchError::parsing(error.to_string()))?;
        let (source, params) = script_parts(&read)?;
        Ok(DocumentScript {
            script: Arc::new(Script::compile(&source).map_err(|error| failed(&source, &error))?),
            reads_document: source.contains("_source"),
            source,
            params,
        })
    }

    /// What it gives for a document, whose score is known where scores are made.
    pub fn value(&self, view: &View<'_>, score: Option<f32>) -> Result<Value> {
        let mut globals = self.globals(view)?;
        if let Some(score) = score {
            globals = globals.with("_score", f64::from(score));
        }
        self.run(&globals, &Fields(view))
    }

    /// Whether it names the score.
    pub fn reads_score(&self) -> bool {
        self.source.contains("_score")
    }

    /// What it makes of one of the values of a field of a document.
    pub fn value_of(&self, view: &View<'_>, given: Value) -> Result<Value> {
        let mut globals = self.globals(view)?.with("_value", given);
        if let Some(score) = view.score {
            globals = globals.with("_score", f64::from(score));
        }
        self.run(&globals, &Fields(view))
    }

    fn globals(&self, view: &View<'_>) -> Result<Globals> {
        let mut params = self.params.clone();
        if self.reads_document {
            params.set("_source", source_of(view)?);
        }
        Ok(Globals::new().with("params", params))
    }

    fn run(&self, globals: &Globals, host: &dyn Host) -> Result<Value> {
        let value = self.script.value(globals, host);
        value.map_err(|error| failed(&self.source, &error))
    }

    /// What it gives of numbers, which are parameters besides its own, without a document.
    fn of(&self, numbers: &[(&str, Option<f64>)]) -> Result<Value> {
        let mut params = self.params.clone();
        for (name, number) in numbers {
            params.push((*name).to_owned(), number.map_or(Value::Null, Value::Double));
        }
        self.run(&Globals::new().with("params", params), &Nothing)
    }

    /// The number that it makes of others in a row, which it knows by this name.
    pub fn number_of_row(&self, name: &str, numbers: &[f64]) -> Result<f64> {
        let row: Vec<Value> = numbers.iter().map(|number| Value::Double(*number)).collect();
        let globals = Globals::new().with("params", self.params.clone()).with(name, row);
        match self.run(&globals, &Nothing)? {
            Value::Int32(number) => Ok(f64::from(number)),
            Value::Int64(number) => Ok(number as f64),
            Value::Double(number) => Ok(number),
            _ => Err(self.failed("the script gives no number")),
        }
    }

    /// The number that it makes of others; `None` where it gives null.
    pub fn number_of(&self, numbers: &[(&str, Option<f64>)]) -> Result<Option<f64>> {
        match self.of(numbers)? {
            Value::Null => Ok(None),
            value => match value
                .as_ref()
                .as_f64()
                .filter(|_| !matches!(value, Value::Bool(_)))
            {
                Some(number) => Ok(Some(number)),
                None => Err(failed(
                    &self.source,
                    &ScriptError::Run("the script gives no number".to_owned()),
                )),
            },
        }
    }

    /// The same where it is a condition.
    pub fn is_true_of(&self, numbers: &[(&str, Option<f64>)]) -> Result<bool> {
        match self.of(numbers)? {
            Value::Bool(flag) => Ok(flag),
            _ => Err(failed(
                &self.source,
                &ScriptError::Run("the script gives neither true nor false".to_owned()),
            )),
        }
    }

    /// It went wrong, for this reason.
    pub fn failed(&self, why: &str) -> SearchError {
        failed(&self.source, &ScriptError::Run(why.to_owned()))
    }

    /// The same where it must be a number.
    pub fn number(&self, view: &View<'_>, score: Option<f32>) -> Result<f64> {
        let value = self.value(view, score)?;
        value.as_ref().as_f64().ok_or_else(|| {
            let error = ScriptError::Run("the script gives no number".to_owned());
            failed(&self.source, &error)
        })
    }

    /// The number that it gives for a document that no index has.
    pub fn number_for(&self, mapping: &Mapping, document: DocumentRef<'_>) -> Result<f64> {
        self.number(&View::of_document(mapping, document), None)
    }

    /// The same where it is a condition.
    pub fn is_true_for(&self, mapping: &Mapping, document: DocumentRef<'_>) -> Result<bool> {
        self.is_true(&View::of_document(mapping, document))
    }

    /// The same where it is a condition.
    pub fn is_true(&self, view: &View<'_>) -> Result<bool> {
        match self.value(view, None)? {
            Value::Bool(flag) => Ok(flag),
            _ => {
                let error = ScriptError::Run("the script gives neither true nor false".to_owned());
                Err(failed(&self.source, &error))
            }
        }
    }
}

/// The bytes of a document that are taken apart in a step.
const BYTES_OF_STEP: usize = 1 << 10;

/// A document as scripts see it: what the mapping shows of it.
fn source_of(view: &View<'_>) -> Result<Document> {
    if view.scope.is_some() {
        return Err(SearchError::unsupported(
            "[_source] in a script of nested objects",
        ));
    }
    if !view.mapping.shows_source() {
        return Ok(Document::new());
    }
    let rule = view.mapping.source_rule();
    if rule.is_some_and(|rule| rule.contains_key("includes") || rule.contains_key("excludes")) {
        return Err(SearchError::unsupported(
            "[_source] in a script where the mapping shows a part of documents",
        ));
    }
    let document = view.root.to_buf();
    work(document.bytes().len() / BYTES_OF_STEP)?;
    let mut document = document.as_ref().to_document();
    for beside in ["_id", "_routing"] {
        document.remove(beside);
    }
    Ok(document)
}

/// The source and the parameters of a script: of `"source"`, or of `{"source", "lang", "params"}`.
pub fn script_parts(given: &Value) -> Result<(String, Document)> {
    let given = match given {
        Value::String(source) => return Ok((source.clone(), Document::new())),
        Value::Document(given) => given,
        _ => return Err(SearchError::parsing("a [script] must be a text or an object")),
    };
    let (mut source, mut params) = (None, Document::new());
    for (name, value) in given.iter() {
        match (name, value) {
            ("source" | "inline", Value::String(text)) => source = Some(text.clone()),
            ("lang", Value::String(language)) if language == "painless" => {}
            ("lang", Value::String(language)) => {
                return Err(SearchError::unsupported(format!("scripts in [{language}]")));
            }
            ("params", Value::Document(given)) => params = given.clone(),
            ("params", _) => return Err(SearchError::parsing("[params] of a script must be an object")),
            ("id" | "stored", _) => return Err(SearchError::unsupported("a stored script")),
            ("options", Value::Document(options)) if options.is_empty() => {}
            ("options", _) => return Err(SearchError::unsupported("[options] of a script")),
            (other, _) => return Err(SearchError::parsing(format!("[script] unknown field [{other}]"))),
        }
    }
    let missing = || {
        SearchError::illegal("must specify either [source] for an inline script or [id] for a stored script")
    };
    Ok((source.ok_or_else(missing)?, params))
}

fn failed(source: &str, error: &ScriptError) -> SearchError {
    let kind = match error {
        ScriptError::Compile(_) => "compile error",
        ScriptError::Run(_) => "runtime error",
        ScriptError::Ended(ended) => return SearchError::new(ErrorKind::Ended(ended.code), &ended.reason),
    };
    SearchError::new(ErrorKind::Script, format!("{kind}: {error} in [{source}]"))
}

/// Whether the request that a script runs for is still wanted: a host's [`Host::look`].
pub fn look_if_wanted() -> std::result::Result<(), Ended> {
    steps(STEPS_OF_LOOK).map_err(|error| Ended {
        code: error.code,
        reason: error.message,
    })
}

/// There is no document.
struct Nothing;

impl Host for Nothing {
    fn field(&self, _: &str) -> Option<Vec<Value>> {
        None
    }

    fn look(&self) -> std::result::Result<(), Ended> {
        look_if_wanted()
    }
}

/// The fields of a document, as `doc` has them: in order, texts once.
struct Fields<'v>(&'v View<'v>);

impl Host for Fields<'_> {
    fn look(&self) -> std::result::Result<(), Ended> {
        look_if_wanted()
    }

    fn field(&self, name: &str) -> Option<Vec<Value>> {
        let field = self.0.mapping.field(name)?;
        if field.is_vector() {
            let vectors = self.0.vectors(&field).into_iter();
            let numbers =
                |vector: Vec<f32>| vector.into_iter().map(|number| Value::Double(f64::from(number)));
            return Some(
                vectors
                    .map(|vector| Value::Array(numbers(vector).collect()))
                    .collect(),
            );
        }
        let mut terms = self.0.terms(&field);
        terms.sort_by(Term::compare);
        if field.is_textual() {
            terms.dedup();
        }
        let value = |term: Term| match term {
            Term::Integer(number) => Some(Value::Int64(number)),
            // Scripts have numbers with a sign alone: those from 2^63 on are negative to them.
            Term::Unsigned(number) => Some(Value::Int64(number.cast_signed())),
            Term::Float(number) => Some(Value::Double(number)),
            Term::Boolean(flag) => Some(Value::Bool(flag)),
            Term::Date(ms) => Some(Value::DateTime(ms)),
            Term::Text(text) => Some(Value::String(text)),
            Term::Ip(ip) => Some(Value::String(Term::ip_text(&ip))),
            Term::Point(point) => Some(Value::Document(
                Document::new().with("lat", point.lat).with("lon", point.lon),
            )),
            Term::Interval(_) => None,
        };
        Some(terms.into_iter().filter_map(value).collect())
    }
}
