//! Full-text indexes of design documents: `_nouveau` (`src/nouveau/src/nouveau_httpd.erl`) and `_search`
//! (`src/dreyfus/src/dreyfus_httpd.erl`).

mod arguments;
mod asked;
mod hits;
mod info;
mod nouveau;
mod search;

pub(crate) use info::{clean_up, disk_size, info};
pub(crate) use nouveau::{analyze as nouveau_analyze, run as nouveau};
pub(crate) use search::{analyze as search_analyze, run as search};

use crate::call::Call;
use crate::text_index;
use access::database::Database;
use access::error::{CouchError, Result};
use clouseau::{Form, TextIndex};

/// Opens an index, brought up to date unless the client takes it as it is.
async fn opened(
    call: &Call,
    database: &Database,
    named: (&str, Form, &str),
    is_updated: bool,
) -> Result<TextIndex> {
    text_index::open(&call.server.designs, database, named, is_updated).await
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
