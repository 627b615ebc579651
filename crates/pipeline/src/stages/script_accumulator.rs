//! `$accumulator`: functions in JavaScript that accumulate.

use super::accumulation::{key_parts, options};
use crate::stage::StageScope;
use crate::{Code, QueryError, Result};
use language::expression::{Expression, Variables};
use language::script::Program;
use std::collections::BTreeSet;
use std::sync::Arc;
use value::{Document, DocumentRef, Value, ValueRef};

/// The places of the functions in the program.
const INIT: usize = 0;
const ACCUMULATE: usize = 1;
const FINALIZE: usize = 2;

/// A parsed `$accumulator`. Its groups share the functions' global variables.
#[derive(Clone, Debug)]
pub(crate) struct ScriptAccumulator {
    program: Arc<Program>,
    /// Evaluated once a group.
    init_arguments: Expression,
    /// Evaluated once a document.
    arguments: Expression,
    finalizes: bool,
}

/// The state of one group: whatever the functions made of it.
#[derive(Debug)]
pub(crate) struct ScriptState {
    value: Value,
    program: Arc<Program>,
    finalizes: bool,
}

pub(super) fn parse(operand: &Value, scope: &StageScope<'_>) -> Result<ScriptAccumulator> {
    let operand = options(operand, || {
        QueryError::new(
            Code::location(4_544_703),
            format!(
                "$accumulator expects an object as an argument; found: {}",
                operand.type_of().alias()
            ),
        )
    })?;
    check_fields(operand)?;
    let function = |name: &str| match operand.get(name) {
        Some(value) => source(name, value, scope).map(Some),
        None => Ok(None),
    };
    let required = |name: &str, code| function(name)?.ok_or_else(|| missing(name, code));
    let mut sources = vec![
        required("init", Code::location(4_544_707))?,
        required("accumulate", Code::location(4_544_708))?,
    ];
    // States of one group are never merged: a group is accumulated in one place.
    required("merge", Code::location(4_544_709))?;
    let finalize = function("finalize")?;
    let finalizes = finalize.is_some();
    sources.extend(finalize);
    let variables = scope.variables.parse_scope();
    let none = Value::Array(Vec::new());
    let init_arguments = operand.get("initArgs").unwrap_or(&none);
    let arguments = operand
        .get("accumulateArgs")
        .ok_or_else(|| missing("accumulateArgs", Code::location(4_544_710)))?;
    Ok(ScriptAccumulator {
        program: Arc::new(Program::new(sources, Document::new())),
        init_arguments: Expression::parse(init_arguments, &variables)?,
        arguments: Expression::parse(arguments, &variables)?,
        finalizes,
    })
}

fn check_fields(operand: &Document) -> Result<()> {
    for (name, value) in operand.iter() {
        match (name, value) {
            ("init" | "accumulate" | "merge" | "finalize" | "initArgs" | "accumulateArgs", _) => {}
            ("lang", Value::String(language)) if language == "js" => {}
            ("lang", Value::String(_)) => {
                return Err(QueryError::new(
                    Code::location(4_544_705),
                    "$accumulator only supports lang: 'js'",
                ));
            }
            ("lang", other) => {
                return Err(QueryError::new(
                    Code::location(4_544_704),
                    format!(
                        "$accumulator lang must be a string; found: {}",
                        other.type_of().alias()
                    ),
                ));
            }
            (name, _) => {
                return Err(QueryError::new(
                    Code::location(4_544_706),
                    format!("$accumulator got an unexpected field: {name}"),
                ));
            }
        }
    }
    Ok(())
}

fn missing(name: &str, code: Code) -> QueryError {
    QueryError::new(code, format!("$accumulator missing required argument '{name}'"))
}

/// The source of a function: a constant text.
fn source(name: &str, value: &Value, scope: &StageScope<'_>) -> Result<String> {
    let expression = Expression::parse(value, &scope.variables.parse_scope())?;
    match expression.as_constant() {
        Some(Some(ValueRef::String(source) | ValueRef::JavaScript(source))) => Ok(source.to_owned()),
        Some(_) => Err(QueryError::new(
            Code::location(4_544_702),
            format!("$accumulator '{name}' must be a String or Code"),
        )),
        None => Err(QueryError::new(
            Code::location(4_544_701),
            format!("$accumulator '{name}' must be a constant expression"),
        )),
    }
}

impl ScriptAccumulator {
    /// Whether what `init` is given depends on the group.
    pub(super) fn begins_by_group(&self) -> bool {
        self.init_arguments.reads_document()
    }

    /// The fields of documents that are read; `None` if they are read as a whole.
    pub(super) fn fields_read(&self) -> Option<BTreeSet<String>> {
        self.arguments.fields_read().cloned()
    }

    /// The state before any document; `group` is the group's `_id`.
    pub(super) fn start(&self, group: DocumentRef<'_>, variables: &Variables) -> Result<ScriptState> {
        let key = key_parts(group);
        let arguments = self.init_arguments.evaluate((&key).into(), variables)?;
        let Some(Value::Array(arguments)) = arguments else {
            let shown = arguments.map_or_else(
                || "missing".to_owned(),
                |value| value::shell::value(value.as_ref()),
            );
            return Err(QueryError::new(
                Code::location(4_544_711),
                format!("$accumulator initArgs must evaluate to an array: {shown}"),
            ));
        };
        let arguments: Vec<_> = arguments.iter().map(Value::as_ref).collect();
        Ok(ScriptState {
            value: self.program.call(INIT, None, &arguments)?,
            program: self.program.clone(),
            finalizes: self.finalizes,
        })
    }

    /// Takes one more document into the state.
    pub(super) fn add(
        &self,
        state: &mut ScriptState,
        document: DocumentRef<'_>,
        variables: &Variables,
    ) -> Result<()> {
        let found = self.arguments.find(document, variables)?;
        let Some(ValueRef::Array(given)) = found.get() else {
            return Err(QueryError::new(
                Code::location(4_544_712),
                format!(
                    "$accumulator accumulateArgs must evaluate to an array: {}",
                    value::shell::value(found.or_null())
                ),
            ));
        };
        let arguments: Vec<_> = std::iter::once(state.value.as_ref())
            .chain(given.iter())
            .collect();
        state.value = self.program.call(ACCUMULATE, None, &arguments)?;
        Ok(())
    }
}

impl ScriptState {
    pub(super) fn result(&mut self) -> Result<Value> {
        let state = std::mem::replace(&mut self.value, Value::Null);
        match self.finalizes {
            true => Ok(self.program.call(FINALIZE, None, &[state.as_ref()])?),
            false => Ok(state),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        language::expression::size_bytes(self.value.as_ref())
    }
}
