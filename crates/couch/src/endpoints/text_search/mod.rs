//! Full-text indexes of design documents: `_nouveau` (`src/nouveau/src/nouveau_httpd.erl`) and `_search`
//! (`src/dreyfus/src/dreyfus_httpd.erl`).

mod arguments;
mod hits;
mod info;
mod nouveau;
mod search;

pub(crate) use info::{clean_up, info};
pub(crate) use nouveau::{analyze as nouveau_analyze, run as nouveau};
pub(crate) use search::{analyze as search_analyze, run as search};

use crate::call::Call;
use crate::database::Database;
use crate::error::{CouchError, Result};
use crate::text_search::{Form, TextIndex};
use engine::Sequence;

/// Opens an index, brought up to date unless the client takes it as it is.
async fn opened(
    call: &Call,
    database: &Database,
    (design, form, name): (&str, Form, &str),
    is_updated: bool,
) -> Result<TextIndex> {
    let designs = &call.server.designs;
    let design = designs.named(database, design).await?;
    let index = TextIndex::open(designs.views(), database, &design, form, name).await?;
    if is_updated {
        index.group.update(database.collection.head()).await?;
    } else if index.group.info().await?.sequence == Sequence::START {
        return Err(CouchError::not_found(format!("{name} is not built yet.")));
    }
    Ok(index)
}

/// Refuses a query of a partition of an index that has none, and the other way round.
fn check_partition(index: &TextIndex, partition: Option<&str>) -> Result<()> {
    match (index.group.definition().partitioned, partition) {
        (true, None) => Err(CouchError::bad_request(
            "`partition` parameter is mandatory for queries to this index.",
        )),
        (false, Some(_)) => Err(CouchError::bad_request("`partition` not supported on this index")),
        _ => Ok(()),
    }
}
