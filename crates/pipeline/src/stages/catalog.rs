//! `$listClusterCatalog`: the collections of a database, or of all.

use super::describing::stage;
use crate::COLLECTIONLESS;
use crate::collections::Subject;
use crate::stage::{Origin, Stage, StageScope};
use crate::{Code, QueryError, Result};
use language::Fields;
use std::sync::Arc;
use value::Value;

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::new(
            Code::location(9_621_302),
            format!(
                "$listClusterCatalog takes a nested object but found a value of type {}",
                operand.type_of().alias()
            ),
        ));
    };
    let fields = Fields::new("$listClusterCatalog", options);
    let shards = fields.strict_bool("shards")?.unwrap_or(false);
    // What is not sharded is not balanced.
    fields.strict_bool("balancingConfiguration")?;
    fields.finish()?;
    let namespace = scope.namespace;
    if namespace.collection != COLLECTIONLESS {
        return Err(QueryError::new(
            Code::location(9_621_301),
            "$listClusterCatalog can only be run on database level: {aggregate: 1}",
        ));
    }
    let subject = Subject::Catalog {
        database: (namespace.database != "admin").then(|| namespace.database.clone()),
        shards,
    };
    stage("$listClusterCatalog", operand, subject, Origin::Database)
}
