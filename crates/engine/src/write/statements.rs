//! The statements of writes, and what they are parsed to.

use crate::catalog::collations::asked_or;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::reading::find::{FindRequest, parse_filter, parse_hint, parse_projection, variables};
use code::Code;
use language::expression::Variables;
use language::filter::Filter;
use query::plan::Ordering;
use query::write::{DeleteRequest, FindAndModify, Lookup, UpdateRequest};
use std::sync::Arc;
use update::{Update, UpdateInput, UpdateScope};
use value::collation::Collation;
use value::{Document, Value};

/// One statement of an update.
#[derive(Clone, Debug, Default)]
pub struct UpdateStatement {
    /// What documents must match, in MongoDB's query language.
    pub filter: Document,
    /// Operators or a replacement (a document), or a pipeline (an array).
    pub update: Option<Value>,
    /// All matching documents, not only the first.
    pub multi: bool,
    /// Whether a document is inserted if none matches.
    pub upsert: bool,
    /// Which array elements `$[name]` means.
    pub array_filters: Vec<Document>,
    /// The index to use.
    pub hint: Option<Value>,
    /// Which document is the first.
    pub sort: Document,
    /// Variables for `$expr` and pipelines.
    pub variables: Document,
    /// The order of strings; `None` for the collection's.
    pub collation: Option<Document>,
    /// Constants that a pipeline sees.
    pub constants: Document,
}

/// One statement of a delete.
#[derive(Clone, Debug, Default)]
pub struct DeleteStatement {
    /// What documents must match, in MongoDB's query language.
    pub filter: Document,
    /// Whether only the first match is deleted.
    pub only_first: bool,
    /// The index to use.
    pub hint: Option<Value>,
    /// Variables for `$expr`.
    pub variables: Document,
    /// The order of strings; `None` for the collection's.
    pub collation: Option<Document>,
}

/// A `findAndModify` request.
#[derive(Clone, Debug, Default)]
pub struct FindAndModifyRequest {
    /// What the document must match, in MongoDB's query language.
    pub filter: Document,
    /// The first in this order.
    pub sort: Document,
    /// How it is changed; `None` removes it.
    pub update: Option<Value>,
    /// Whether the document is returned as it is after the change.
    pub return_new: bool,
    /// Which part of the document is returned.
    pub projection: Document,
    /// Whether a document is inserted if none matches.
    pub upsert: bool,
    /// Which array elements `$[name]` means.
    pub array_filters: Vec<Document>,
    /// The index to use.
    pub hint: Option<Value>,
    /// Variables for `$expr` and pipelines.
    pub variables: Document,
    /// The order of strings; `None` for the collection's.
    pub collation: Option<Document>,
}

/// Each statement finds documents as this query does: what `explain` shows of it.
impl From<&UpdateStatement> for FindRequest {
    fn from(statement: &UpdateStatement) -> FindRequest {
        FindRequest {
            filter: statement.filter.clone(),
            sort: statement.sort.clone(),
            limit: (!statement.multi).then_some(1),
            hint: statement.hint.clone(),
            variables: statement.variables.clone(),
            collation: statement.collation.clone(),
            ..FindRequest::default()
        }
    }
}

impl From<&DeleteStatement> for FindRequest {
    fn from(statement: &DeleteStatement) -> FindRequest {
        FindRequest {
            filter: statement.filter.clone(),
            limit: statement.only_first.then_some(1),
            hint: statement.hint.clone(),
            variables: statement.variables.clone(),
            collation: statement.collation.clone(),
            ..FindRequest::default()
        }
    }
}

impl From<&FindAndModifyRequest> for FindRequest {
    fn from(request: &FindAndModifyRequest) -> FindRequest {
        FindRequest {
            filter: request.filter.clone(),
            sort: request.sort.clone(),
            limit: Some(1),
            hint: request.hint.clone(),
            variables: request.variables.clone(),
            collation: request.collation.clone(),
            ..FindRequest::default()
        }
    }
}

impl UpdateStatement {
    pub(crate) fn parse(
        &self,
        context: &Context,
        default: Option<&Collation>,
        keeps_empty_timestamps: bool,
    ) -> Result<UpdateRequest> {
        let collation = asked_or(self.collation.as_ref(), default)?;
        let mut variables = variables(context, &self.variables, collation)?;
        if !self.constants.is_empty() && !matches!(self.update, Some(Value::Array(_))) {
            return Err(Error::new(
                Code::location(51_198),
                "Constant values may only be specified for pipeline updates",
            ));
        }
        variables.set_constants(&self.constants)?;
        if self.multi && !self.sort.is_empty() {
            return Err(Error::new(
                Code::FAILED_TO_PARSE,
                "Cannot specify sort with multi=true",
            ));
        }
        let update = self
            .update
            .as_ref()
            .map(|update| parse_update(update, &self.array_filters, &variables))
            .transpose()?;
        let filter = parse_query(&self.filter, self.upsert, &variables)?;
        let missing = || Error::new(Code::FAILED_TO_PARSE, "an update needs what it changes: 'u'");
        Ok(UpdateRequest {
            lookup: Lookup {
                ordering: Ordering::parse_scored(&self.sort, filter.text().is_some())?
                    .with_collation(variables.collation()),
                filter,
                hint: parse_hint(self.hint.as_ref())?,
            },
            update: Arc::new(
                update
                    .ok_or_else(missing)?
                    .keeping_empty_timestamps(keeps_empty_timestamps),
            ),
            multi: self.multi,
            upsert: self.upsert,
            variables: Arc::new(variables),
        })
    }
}

impl DeleteStatement {
    pub(crate) fn parse(&self, context: &Context, default: Option<&Collation>) -> Result<DeleteRequest> {
        let collation = asked_or(self.collation.as_ref(), default)?;
        let variables = variables(context, &self.variables, collation)?;
        let filter = parse_filter(&self.filter, &variables)?;
        Ok(DeleteRequest {
            lookup: Lookup {
                hint: parse_hint(self.hint.as_ref())?,
                ..Lookup::new(filter)
            },
            only_first: self.only_first,
        })
    }
}

impl FindAndModifyRequest {
    pub(crate) fn parse(
        &self,
        context: &Context,
        default: Option<&Collation>,
        keeps_empty_timestamps: bool,
    ) -> Result<FindAndModify> {
        let collation = asked_or(self.collation.as_ref(), default)?;
        let variables = variables(context, &self.variables, collation)?;
        let update = self
            .update
            .as_ref()
            .map(|update| parse_update(update, &self.array_filters, &variables))
            .transpose()?;
        let filter = parse_query(&self.filter, self.upsert, &variables)?;
        let projection = parse_projection(&self.projection, &filter, &variables)?;
        // The new document may no longer match, and then has no position.
        if self.return_new
            && projection
                .as_ref()
                .is_some_and(|projection| projection.needs_position())
        {
            return Err(Error::new(
                Code::BAD_VALUE,
                "cannot use a positional projection and return the new document",
            ));
        }
        Ok(FindAndModify {
            lookup: Lookup {
                ordering: Ordering::parse_scored(&self.sort, filter.text().is_some())?
                    .with_collation(variables.collation()),
                filter,
                hint: parse_hint(self.hint.as_ref())?,
            },
            update: update.map(|update| Arc::new(update.keeping_empty_timestamps(keeps_empty_timestamps))),
            return_new: self.return_new,
            upsert: self.upsert,
            projection,
            variables: Arc::new(variables),
        })
    }
}

/// The query of an update, which MongoDB reads after what changes. That of an upsert may not have `$expr`, which does not say what a new
/// document is.
fn parse_query(query: &Document, upsert: bool, variables: &Variables) -> Result<Arc<Filter>> {
    let filter = parse_filter(query, variables)?;
    if upsert && filter.has_expr() {
        return Err(Error::new(
            Code::QUERY_FEATURE_NOT_ALLOWED,
            "$expr is not allowed in the query predicate for an upsert",
        ));
    }
    Ok(filter)
}

fn parse_update(update: &Value, array_filters: &[Document], variables: &Variables) -> Result<Update> {
    let input = match update {
        Value::Document(document) => UpdateInput::Document(document.clone()),
        Value::Array(stages) => UpdateInput::Pipeline(stages.clone()),
        _ => {
            return Err(Error::new(
                Code::FAILED_TO_PARSE,
                "Update argument must be either an object or an array",
            ));
        }
    };
    Ok(Update::parse(&input, array_filters, &UpdateScope { variables })?)
}
