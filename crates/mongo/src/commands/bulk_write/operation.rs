//! One operation of a `bulkWrite`.

use super::super::{collation, cursor, writes};
use crate::arguments::Fields;
use crate::error::{CommandError, Result};
use auth::Action;
use engine::{DeleteStatement, UpdateStatement};
use language::fields::unknown;
use value::{Document, DocumentBuf, DocumentRef};

pub(super) struct Operation {
    /// Which of the command's namespaces it is about.
    pub(super) namespace: usize,
    pub(super) change: Change,
}

/// What is done.
pub(super) enum Change {
    Insert(DocumentBuf),
    Update(Box<UpdateStatement>),
    Delete(DeleteStatement),
}

impl Operation {
    pub(super) fn parse(
        operation: &DocumentBuf,
        variables: &Document,
        namespaces: usize,
    ) -> Result<Operation> {
        let raw = operation.as_raw();
        let kind = raw.iter().next().map_or("", |(name, _)| name);
        let kind: &'static str = match kind {
            "insert" => "insert",
            "update" => "update",
            "delete" => "delete",
            // The first field tells what the others may be.
            other => return Err(unknown(&format!("bulkWrite.{other}")).into()),
        };
        let arguments = Fields::new("bulkWrite.ops", DocumentRef::Raw(raw));
        let namespace = namespace(&arguments, kind, namespaces)?;
        let change = match kind {
            "insert" => insert(&arguments)?,
            "update" => Change::Update(Box::new(update(&arguments, variables)?)),
            _ => Change::Delete(delete(&arguments, variables)?),
        };
        arguments.finish()?;
        Ok(Operation { namespace, change })
    }

    /// What a client must be allowed to do.
    pub(super) fn actions(&self) -> &'static [Action] {
        match &self.change {
            Change::Insert(_) => &[Action::Insert],
            Change::Update(statement) if statement.upsert => &[Action::Update, Action::Insert],
            Change::Update(_) => &[Action::Update],
            Change::Delete(_) => &[Action::Remove],
        }
    }
}

fn namespace(arguments: &Fields<'_>, kind: &'static str, namespaces: usize) -> Result<usize> {
    let index = arguments.integer(kind)?.ok_or_else(|| arguments.missing(kind))?;
    if index < 0 {
        let message = format!("BSON field '{kind}' value must be >= 0, actual value '{index}'");
        return Err(CommandError::bad_value(message));
    }
    usize::try_from(index)
        .ok()
        .filter(|index| *index < namespaces)
        .ok_or_else(|| {
            CommandError::bad_value(format!(
                "BulkWrite ops entry has an invalid nsInfo index: {index}"
            ))
        })
}

fn insert(arguments: &Fields<'_>) -> Result<Change> {
    let document = arguments
        .document("document")?
        .ok_or_else(|| arguments.missing("document"))?;
    Ok(Change::Insert(crate::arguments::shared(document, None)))
}

fn update(arguments: &Fields<'_>, variables: &Document) -> Result<UpdateStatement> {
    let filter = arguments
        .document("filter")?
        .ok_or_else(|| arguments.missing("filter"))?;
    let update = arguments
        .any("updateMods")
        .ok_or_else(|| arguments.missing("updateMods"))?;
    let multi = arguments.bool("multi")?.unwrap_or(false);
    arguments.bool("upsertSupplied")?;
    let statement = UpdateStatement {
        filter: filter.to_document(),
        update: Some(writes::update_of("updateMods", update)?),
        multi,
        upsert: arguments.bool("upsert")?.unwrap_or(false),
        array_filters: writes::array_filters(arguments)?,
        hint: cursor::hint(arguments)?,
        sort: arguments.decoded("sort")?,
        variables: variables.clone(),
        constants: arguments.decoded("constants")?,
        collation: collation::parse(arguments)?,
    };
    Ok(statement)
}

fn delete(arguments: &Fields<'_>, variables: &Document) -> Result<DeleteStatement> {
    let filter = arguments
        .document("filter")?
        .ok_or_else(|| arguments.missing("filter"))?;
    let statement = DeleteStatement {
        filter: filter.to_document(),
        only_first: !arguments.bool("multi")?.unwrap_or(false),
        hint: cursor::hint(arguments)?,
        variables: variables.clone(),
        collation: collation::parse(arguments)?,
    };
    Ok(statement)
}
