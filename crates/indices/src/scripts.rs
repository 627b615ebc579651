//! Scripts of requests: read, and run on documents.

use crate::error::{ElasticError, Result};
use http::StatusCode;
use painless::{Ended, Globals, Host, Script, ScriptError};
use serde_json::Value as Json;
use std::sync::Arc;
use value::{Document, Value};

/// A script with its parameters.
#[derive(Clone, Debug)]
pub struct Prepared {
    script: Arc<Script>,
    source: String,
    params: Document,
    /// The id of the script that is to be read, where one is meant that is kept.
    kept: Option<String>,
}

/// A script whose request ends it.
pub struct Waiting;

impl Host for Waiting {
    fn field(&self, _: &str) -> Option<Vec<Value>> {
        None
    }

    fn look(&self) -> std::result::Result<(), Ended> {
        search::look_if_wanted()
    }
}

/// What a script made of a document.
#[derive(Clone, Debug)]
pub enum Operation {
    /// The document stays as it is.
    Nothing,
    /// The document is deleted.
    Delete,
    /// The document is replaced by this one.
    Put(Document),
}

impl Prepared {
    /// Reads `"source"`, `{"source", "lang", "params"}`, or `{"id", "params"}`, which is to be filled with what is kept.
    pub fn parse(given: &Value) -> Result<Prepared> {
        let mut given = given.clone();
        let kept = match &mut given {
            Value::Document(members) if !members.contains("source") => members.remove("id"),
            _ => None,
        };
        let kept = kept.and_then(|id| id.as_ref().as_str().map(str::to_owned));
        if let (Some(_), Value::Document(members)) = (&kept, &mut given) {
            members.set("source", "null");
        }
        let (source, params) = search::script_parts(&given)?;
        Ok(Prepared {
            script: Arc::new(compile(&source)?),
            source,
            params,
            kept,
        })
    }

    /// The id of the script that is to be read, which is not asked for twice.
    pub fn kept(&mut self) -> Option<String> {
        self.kept.take()
    }

    /// Has the source of what is kept.
    pub fn fill(&mut self, source: String) -> Result<()> {
        self.script = Arc::new(compile(&source)?);
        self.source = source;
        Ok(())
    }

    /// The same, of JSON.
    pub fn of_json(given: &Json) -> Result<Prepared> {
        let read = json::Reader::exact_whole(given.to_string().as_bytes())?;
        Prepared::parse(&read)
    }

    /// What it gives by itself, as a text.
    pub fn text(&self) -> Result<String> {
        let globals = Globals::new().with("params", self.params.clone());
        let ran = self.script.text(&globals, &Waiting);
        ran.map_err(|error| failed(&self.source, &error))
    }

    /// Runs it on a document, as updates do; `context` is what `ctx` has besides.
    pub fn change(&self, source: Document, context: Document) -> Result<Operation> {
        self.changed(source, context).map(|(operation, _)| operation)
    }

    /// The same, with what `ctx` has besides then.
    pub fn changed(&self, source: Document, context: Document) -> Result<(Operation, Document)> {
        let mut ctx = context;
        if !ctx.contains("op") {
            ctx.set("op", "index");
        }
        ctx.set("_source", source);
        let mut globals = Globals::new()
            .with("ctx", ctx)
            .with("params", self.params.clone());
        let ran = self.script.run(&mut globals, &Waiting);
        ran.map_err(|error| failed(&self.source, &error))?;
        let Some(Value::Document(mut ctx)) = globals.take("ctx") else {
            return Ok((Operation::Nothing, Document::new()));
        };
        let operation = match ctx.remove("op") {
            Some(Value::String(name)) => name,
            _ => "index".to_owned(),
        };
        let made = match (operation.as_str(), ctx.remove("_source")) {
            ("none" | "noop", _) => Ok(Operation::Nothing),
            ("delete", _) => Ok(Operation::Delete),
            ("index" | "create", Some(Value::Document(source))) => Ok(Operation::Put(source)),
            ("index" | "create", _) => Err(ElasticError::illegal(
                "the script has made [ctx._source] no object",
            )),
            (other, _) => Err(ElasticError::illegal(format!(
                "Operation type [{other}] not allowed, only [noop, index, delete] are allowed"
            ))),
        };
        made.map(|made| (made, ctx))
    }
}

/// Compiles a script of a client.
pub fn compile(source: &str) -> Result<Script> {
    Script::compile(source).map_err(|error| failed(source, &error))
}

fn failed(source: &str, error: &ScriptError) -> ElasticError {
    let reason = match error {
        ScriptError::Compile(_) => "compile error",
        ScriptError::Run(_) => "runtime error",
        ScriptError::Ended(ended) => return engine::Error::new(ended.code, ended.reason.clone()).into(),
    };
    ElasticError::new(StatusCode::BAD_REQUEST, "script_exception", reason)
        .with("script", source)
        .with("lang", "painless")
        .because(ElasticError::illegal(error.to_string()))
}
