//! Views of design documents, whose functions the protocol runs. The crate `view` keeps and reads them; here it gets the
//! collections, which protocols do not see.

use super::RevisionedCollection;
use serde_json::{Map, Value};
use std::sync::Arc;
use view::{Group, Views};

impl RevisionedCollection {
    /// The views of a design document, given by its id and its members. Nothing is built before it is asked for.
    pub async fn view_group(
        &self,
        views: &Views,
        id: &str,
        body: &Map<String, Value>,
    ) -> view::Result<Arc<Group>> {
        views.group(&self.collection, id, body).await
    }

    /// Removes the rows of all views but those of these design documents.
    pub async fn clean_up_views(
        &self,
        views: &Views,
        kept: &[(String, Map<String, Value>)],
    ) -> view::Result<()> {
        views.clean_up(&self.collection, kept).await
    }
}
