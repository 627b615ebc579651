//! Queries by vectors.

use super::{Compiler, leaf};
use crate::matching::Node;
use crate::matching::nearest::Nearest;
use crate::matching::test::Test;
use mapping::FieldKind;
use mapping::error::{ErrorKind, Result, SearchError};
use std::borrow::Cow;
use std::sync::Arc;

impl Compiler<'_> {
    /// All documents with a vector, by how near it is; at least as near as `similarity` says.
    pub(super) fn nearest(self, name: &str, vector: &Arc<[f32]>, similarity: Option<f32>) -> Result<Node> {
        let failed = |why: String| {
            let reason = format!("failed to create query: {why}");
            Err(SearchError::new(ErrorKind::QueryShard, reason))
        };
        let Some(field) = self.mapping.field(name).map(Cow::into_owned) else {
            return Ok(Node::Nothing);
        };
        let FieldKind::Vector(vectors) = field.kind else {
            return failed("[knn] queries are only supported on [dense_vector] fields".to_owned());
        };
        let Some(by) = vectors.similarity else {
            return failed(format!(
                "to perform knn search on field [{name}], its mapping must have [index] set to [true]"
            ));
        };
        // Where no document has said it, none has a vector.
        let Some(dims) = vectors.dims else {
            return Ok(Node::Nothing);
        };
        if vector.len() != dims {
            return failed(format!(
                "the query vector has a different dimension [{}] than the index vectors [{dims}]",
                vector.len()
            ));
        }
        if let Some(fault) = vectors.fault(vector) {
            return failed(fault);
        }
        let nearest = Nearest {
            vector: vector.clone(),
            vectors,
            similarity: by,
            least: similarity.map(|nearness| by.score_of(vectors.element, dims, nearness)),
        };
        Ok(leaf(field, Test::Nearest(Box::new(nearest)), 1.0))
    }
}
