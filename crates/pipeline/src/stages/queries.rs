//! `$querySettings` and `$queryStats`: what a server keeps of the shapes of queries. Settings are refused (`setQuerySettings`), and
//! statistics are not taken, as in MongoDB unless it is told to; so there is nothing to tell.

use crate::row::Row;
use crate::stage::{Origin, Position, Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work};
use crate::{COLLECTIONLESS, Code, QueryError, Result};
use language::Fields;
use std::sync::Arc;
use value::{Document, Value, ValueRef};

/// The subtype of bytes that are not to be shown.
const SENSITIVE: u8 = 8;

#[derive(Debug)]
struct Nothing {
    name: &'static str,
    operand: Value,
}

pub(crate) fn parse_settings(
    _name: &str,
    operand: &Value,
    _scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    const NAME: &str = "$querySettings";
    let Value::Document(options) = operand else {
        return Err(QueryError::new(
            Code::location(7_746_801),
            "$querySettings stage expects a document as argument",
        ));
    };
    let fields = Fields::new(NAME, options);
    fields.bool("showDebugQueryShape")?;
    fields.finish()?;
    Ok(nothing(NAME, operand))
}

pub(crate) fn parse_statistics(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    const NAME: &str = "$queryStats";
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "$queryStats value must be an object. Found: {}",
            operand.type_of().alias()
        )));
    };
    let fields = Fields::new(NAME, options);
    let transformation = fields.nested("transformIdentifiers")?;
    fields.finish()?;
    transformation.as_ref().map(check_transformation).transpose()?;
    let namespace = scope.namespace;
    if namespace.database != "admin" || namespace.collection != COLLECTIONLESS {
        return Err(QueryError::new(
            Code::INVALID_NAMESPACE,
            "$queryStats must be run against the 'admin' database with {aggregate: 1}",
        ));
    }
    Ok(nothing(NAME, operand))
}

/// How names are made unreadable: by an algorithm and a key.
fn check_transformation(fields: &Fields<'_>) -> Result<()> {
    let algorithm = fields.choice("algorithm", &[("hmac-sha-256", ())])?;
    let key = fields.present("hmacKey");
    fields.finish()?;
    algorithm.ok_or_else(|| fields.missing("algorithm"))?;
    match key {
        None => Err(QueryError::failed_to_parse(
            "The 'hmacKey' parameter of the $queryStats stage must be specified when applying the hmac-sha-256 algorithm",
        )),
        Some(ValueRef::Binary {
            subtype: SENSITIVE, ..
        }) => Ok(()),
        Some(other @ ValueRef::Binary { .. }) => {
            Err(fields.wrong_type("hmacKey", other, "'sensitive'").into())
        }
        Some(other) => Err(fields.wrong_type("hmacKey", other, "'binData'").into()),
    }
}

fn nothing(name: &'static str, operand: &Value) -> Vec<Arc<dyn Stage>> {
    vec![Arc::new(Nothing {
        name,
        operand: operand.clone(),
    })]
}

impl Stage for Nothing {
    fn start(&self, _run: &Run) -> Work {
        Work::local(Ending)
    }

    fn to_document(&self) -> Document {
        named(self.name, self.operand.clone())
    }

    fn position(&self) -> Position {
        Position::First(Origin::Database)
    }
}

/// A step that gives nothing.
struct Ending;

impl Step for Ending {
    fn push(&mut self, _rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        Ok(Flow::Done)
    }
}
