//! Full-text indexes of design documents, opened.

use crate::database::Database;
use crate::design::Designs;
use crate::error::{CouchError, Result};
use clouseau::{Definition, Error, Form, TextIndex};
use engine::Sequence;
use http::StatusCode;
use search::ErrorKind;

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

impl From<Error> for CouchError {
    fn from(error: Error) -> CouchError {
        let text = error.to_string();
        match error {
            Error::View(error) => error.into(),
            Error::Ended(error) => engine::Error::from(error).into(),
            Error::NotFound(_) => CouchError::not_found(text),
            Error::InvalidDesign(_) => CouchError::new(StatusCode::BAD_REQUEST, "invalid_design_doc", text),
            Error::Search(error) => match error.kind {
                ErrorKind::Memory => {
                    CouchError::new(StatusCode::SERVICE_UNAVAILABLE, "service_unavailable", text)
                }
                ErrorKind::Unsupported => CouchError::not_implemented(text),
                _ => CouchError::bad_request(text),
            },
            _ => CouchError::bad_request(text),
        }
    }
}
