//! `listDatabases`.

use super::listing_filter::ListingFilter;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::Namespace;
use std::collections::BTreeSet;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    let filter = ListingFilter::parse(&arguments.decoded("filter")?)?;
    let name_only = arguments.flag("nameOnly")?.unwrap_or(false);
    let authorized_only = arguments.bool("authorizedDatabases")?;
    arguments.any("listDatabases");
    arguments.finish()?;
    let may_see_all = call.require(Action::ListDatabases, Resource::Cluster);
    if authorized_only == Some(false) {
        may_see_all.clone()?;
    }
    let only_own = authorized_only == Some(true) || may_see_all.is_err();
    let mut listed = Vec::new();
    let mut total = 0;
    for name in databases(call) {
        if only_own && !call.reaches(&name) {
            continue;
        }
        // The filter sees no more than what is listed. To describe a database takes a look at all of its collections.
        let (listing, bytes) = match name_only {
            true => (doc! {"name": name}, 0),
            false => describe(call, &name).await?,
        };
        if filter.matches(&listing)? {
            total += bytes;
            listed.push(listing);
        }
    }
    let mut reply = doc! {"databases": Value::from(listed)};
    if !name_only {
        reply.push("totalSize", total);
        reply.push("totalSizeMb", total / (1024 * 1024));
    }
    Ok(reply.into())
}

/// The databases that hold something, and those that are always there.
fn databases(call: &Call<'_>) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = call.server.engine.databases().into_iter().collect();
    names.extend(Namespace::OWN_DATABASES.map(str::to_owned));
    names
}

async fn describe(call: &Call<'_>, name: &str) -> Result<(Document, i64)> {
    let report = call.server.engine.database_report(name).await?;
    let bytes = (report.storage_bytes + report.index_bytes) as i64;
    // The server's own databases are never empty, as in MongoDB.
    let empty = report.documents == 0 && !Namespace::is_own_database(name);
    Ok((doc! {"name": name, "sizeOnDisk": bytes, "empty": empty}, bytes))
}
