//! Requests with the expected answers, as data.

use crate::blanks::Blanks;
use crate::client::Server;
use value::{Document, Value, json};

/// One request and its answer. [`Blanks`] lists the placeholders of requests.
pub struct Case {
    pub database: &'static str,
    pub request: Document,
    pub answer: Answer,
    /// Fields that the answer must not have.
    lacks: Vec<&'static str>,
    /// Fields that it must have, whatever their value.
    has: Vec<&'static str>,
}

/// What must be answered.
pub enum Answer {
    /// Success with at least these fields, at any depth.
    Good(Document),
    /// Failure of the command with this code, and a message that has these words in it.
    Bad(i32, &'static str),
    /// Success of the command, and failure of a statement with this code.
    BadStatement(i32),
}

/// A request of database `test` that succeeds.
pub fn good(request: Document, answer: Document) -> Case {
    Case::new(request, Answer::Good(answer))
}

/// A request of database `test` that fails.
pub fn bad(request: Document, code: i32, words: &'static str) -> Case {
    Case::new(request, Answer::Bad(code, words))
}

/// A request of database `test` that succeeds, but for one of its statements.
pub fn bad_statement(request: Document, code: i32) -> Case {
    Case::new(request, Answer::BadStatement(code))
}

impl Case {
    fn new(request: Document, answer: Answer) -> Case {
        Case {
            database: "test",
            request,
            answer,
            lacks: Vec::new(),
            has: Vec::new(),
        }
    }

    /// The same, whose answer has no field of this name.
    pub fn without(mut self, name: &'static str) -> Case {
        self.lacks.push(name);
        self
    }

    /// The same, whose answer has a field of this name.
    pub fn with(mut self, name: &'static str) -> Case {
        self.has.push(name);
        self
    }

    /// The same of another database.
    pub fn of(self, database: &'static str) -> Case {
        Case { database, ..self }
    }

    /// The name that the request calls the command by.
    pub fn command(&self) -> &str {
        self.request.iter().next().map_or("", |(name, _)| name)
    }

    pub fn is_good(&self) -> bool {
        matches!(self.answer, Answer::Good(_))
    }

    /// The first thing that is wrong with a reply.
    fn fault(&self, reply: &Document) -> Option<String> {
        if let Some(name) = self.lacks.iter().find(|name| reply.contains(name)) {
            return Some(format!("it has {name}"));
        }
        if let Some(name) = self.has.iter().find(|name| !reply.contains(name)) {
            return Some(format!("it lacks {name}"));
        }
        // A double, but for an int where MongoDB answers with one.
        let is_ok = reply.get("ok").and_then(Value::as_f64) == Some(1.0);
        match &self.answer {
            Answer::Good(_) if !is_ok => Some("it failed".to_owned()),
            Answer::Good(wanted) => missing(wanted, reply),
            Answer::Bad(..) if is_ok => Some("it succeeded".to_owned()),
            Answer::Bad(code, words) => {
                let message = reply.get("errmsg").and_then(as_str).unwrap_or_default();
                let is_it = reply.get("code") == Some(&Value::Int32(*code)) && message.contains(words);
                (!is_it).then(|| format!("not error {code} with the words {words:?}"))
            }
            Answer::BadStatement(code) => {
                let errors = reply.get("writeErrors").cloned().unwrap_or(Value::Null);
                let codes = Value::Array(vec![Value::Document(value::doc! {"code": *code})]);
                difference("writeErrors", &codes, &errors)
            }
        }
    }
}

/// Runs the cases one after another on a server of their own, and fails with a list of all wrong answers.
pub fn run(cases: &[Case]) {
    let server = Server::start();
    let mut client = server.client();
    let mut blanks = Blanks::default();
    let mut faults = Vec::new();
    for case in cases {
        let request = blanks.fill(&case.request);
        let reply = client.run(case.database, &request);
        blanks.learn(&reply);
        if let Some(fault) = case.fault(&reply) {
            faults.push(format!("{}\n  {fault}:\n  {}", shown(request), shown(reply)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn shown(document: Document) -> String {
    let mut text = String::new();
    json::write(Value::from(document).as_ref(), json::Mode::Relaxed, &mut text);
    text
}

fn as_str(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The first expected field that the reply lacks or that differs.
fn missing(wanted: &Document, found: &Document) -> Option<String> {
    wanted.iter().find_map(|(name, value)| match found.get(name) {
        Some(there) => difference(name, value, there),
        None => Some(format!("no field {name}")),
    })
}

fn difference(name: &str, wanted: &Value, found: &Value) -> Option<String> {
    match (wanted, found) {
        (Value::Document(wanted), Value::Document(found)) => missing(wanted, found),
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => wanted
            .iter()
            .zip(found)
            .find_map(|(wanted, found)| difference(name, wanted, found)),
        (wanted, found) => (wanted != found).then(|| format!("{name} is not {wanted:?}")),
    }
}
