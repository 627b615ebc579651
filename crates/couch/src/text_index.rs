//! Full-text indexes of design documents, opened.

use crate::design::Designs;
use access::database::Database;
use access::error::{CouchError, Result};
use clouseau::{Definition, Form, TextIndex};
use engine::Sequence;

/// Opens an index of a design document (its name without `_design/`), brought up to date unless the client takes it as it is.
pub(crate) async fn open(
    designs: &Designs,
    database: &Database,
    (design, form, name): (&str, Form, &str),
    is_updated: bool,
) -> Result<TextIndex> {
    let design = designs.named(database, design).await?;
    let definition = Definition::of(&design.body, form, name)?;
    let group = database
        .collection
        .view_group(designs.views(), &design.id, &definition.view)
        .await?;
    if is_updated {
        group.update(database.collection.head()).await?;
    } else if group.info().await?.sequence == Sequence::START {
        return Err(CouchError::not_found(format!("{name} is not built yet.")));
    }
    Ok(TextIndex {
        group,
        analyzers: definition.analyzers,
    })
}
