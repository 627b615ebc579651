//! Buckets: their properties, their collections, and listing them.

mod change;
mod properties;
mod quorum;
mod stored;

pub(crate) use properties::BucketProperties;
pub(crate) use quorum::{Purpose, Quorum, Quorums, check_nodes};
pub(crate) use stored::Properties;

use crate::access::Access;
use crate::error::{Result, RiakError};
use crate::limits::REVISIONS_KEPT;
use crate::names::{Bucket, database, unescaped};
use crate::server::Server;
use auth::Action;
use code::Code;
use engine::{Namespace, RevisionedCollection};
use http::StatusCode;
use memory::Turn;

/// The collection of a bucket, if there is one.
pub(crate) fn existing(
    server: &Server,
    access: &Access,
    bucket: &Bucket,
    action: Action,
) -> Result<Option<RevisionedCollection>> {
    let namespace = bucket.namespace();
    access.require(action, &namespace)?;
    Ok(server.engine.revisioned(&namespace)?)
}

/// Waits until answers of others leave room for the one whose object is read next.
pub(crate) async fn turn_to_answer(collection: &RevisionedCollection) -> Result<Turn> {
    let turn = collection.turn_to_answer().await;
    turn.map_err(|full| RiakError::new(StatusCode::SERVICE_UNAVAILABLE, full.to_string()))
}

/// The collection of a bucket, which is made where there is none.
pub(crate) async fn writable(
    server: &Server,
    access: &Access,
    bucket: &Bucket,
    action: Action,
) -> Result<RevisionedCollection> {
    loop {
        if let Some(collection) = existing(server, access, bucket, action)? {
            return Ok(collection);
        }
        let namespace = bucket.namespace();
        match server
            .engine
            .create_revisioned(&namespace, REVISIONS_KEPT, false)
            .await
        {
            Ok(()) => {}
            // Another one has made it meanwhile.
            Err(error) if error.code == Code::NAMESPACE_EXISTS => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The names of all buckets of a type that hold something and that the user may read.
pub(crate) async fn list(server: &Server, access: &Access, kind: &[u8]) -> Result<Vec<Vec<u8>>> {
    let database = database(kind);
    let mut names = Vec::new();
    for entry in server.engine.collections(&database) {
        let namespace = Namespace::new(&database, &entry.name);
        if entry.is_view || !namespace.is_shown_everywhere() || !access.allows(Action::Find, &namespace) {
            continue;
        }
        if let Some(collection) = server.engine.revisioned(&namespace)?
            && collection.snapshot().await?.count() > 0
        {
            names.push(unescaped(&entry.name));
        }
    }
    Ok(names)
}
