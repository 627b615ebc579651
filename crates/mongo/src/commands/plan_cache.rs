//! `planCacheClear`, `planCacheListFilters`, `planCacheSetFilter`, `planCacheClearFilters`.

use super::collation;
use crate::arguments::Arguments;
use crate::dispatch::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use engine::IndexFilter;
use value::{Document, Value, ValueRef, doc};

/// `planCacheClear`.
pub(super) async fn clear(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let shape = shape(&arguments)?;
    collation::check(&arguments)?;
    arguments.finish()?;
    if shape.is_none() && (arguments.present("sort").is_some() || arguments.present("projection").is_some()) {
        return Err(CommandError::bad_value(
            "sort or projection provided without query",
        ));
    }
    call.server.engine.clear_plan_cache(&namespace);
    Ok(Document::new().into())
}

/// `planCacheListFilters`.
pub(super) async fn list_filters(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    call.arguments().finish()?;
    let filters: Value = call
        .server
        .engine
        .index_filters_of(&namespace)
        .into_iter()
        .map(|filter| {
            Value::Document(doc! {
                "query": filter.query,
                "sort": filter.sort,
                "projection": filter.projection,
                "indexes": Value::Array(filter.indexes),
            })
        })
        .collect();
    Ok(doc! {"filters": filters}.into())
}

/// `planCacheSetFilter`.
pub(super) async fn set_filter(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let shape = shape(&arguments)?;
    let Some(indexes) = arguments.present("indexes") else {
        return Err(CommandError::bad_value("required field indexes missing"));
    };
    let ValueRef::Array(indexes) = indexes else {
        return Err(CommandError::bad_value("required field indexes must be an array"));
    };
    collation::check(&arguments)?;
    arguments.finish()?;
    let Some((query, sort, projection)) = shape else {
        return Err(CommandError::bad_value("required field query missing"));
    };
    let indexes = crate::arguments::decoded_array(indexes);
    if indexes.is_empty() {
        return Err(CommandError::bad_value(
            "required field indexes must contain at least one index",
        ));
    }
    for index in &indexes {
        let valid = match index {
            Value::String(name) => !name.is_empty(),
            Value::Document(key) => !key.is_empty(),
            _ => false,
        };
        if !valid {
            return Err(CommandError::bad_value(
                "each item in indexes must be a non-empty object or index name",
            ));
        }
    }
    let filter = IndexFilter {
        query,
        sort,
        projection,
        indexes,
    };
    call.server.engine.set_index_filter(&namespace, filter);
    Ok(Document::new().into())
}

/// `planCacheClearFilters`.
pub(super) async fn clear_filters(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let shape = shape(&arguments)?;
    collation::check(&arguments)?;
    arguments.finish()?;
    let engine = &call.server.engine;
    match shape {
        Some((query, sort, projection)) => {
            let like = IndexFilter {
                query,
                sort,
                projection,
                indexes: Vec::new(),
            };
            engine.clear_index_filter(&namespace, &like);
        }
        None if arguments.present("sort").is_some() || arguments.present("projection").is_some() => {
            return Err(CommandError::bad_value(
                "sort or projection provided without query",
            ));
        }
        None => engine.clear_index_filters(&namespace),
    }
    Ok(Document::new().into())
}

/// `query`, `sort`, `projection`; none where no query is given.
fn shape(arguments: &Arguments<'_>) -> Result<Option<(Document, Document, Document)>> {
    let document = |name: &'static str| match arguments.any(name) {
        None => Ok(None),
        Some(ValueRef::Document(document)) => Ok(Some(document.to_document())),
        Some(_) => Err(CommandError::bad_value(format!(
            "optional field {name} must be an object"
        ))),
    };
    let query = match arguments.any("query") {
        None => None,
        Some(ValueRef::Document(query)) => Some(query.to_document()),
        Some(_) => return Err(CommandError::bad_value("required field query must be an object")),
    };
    let sort = document("sort")?.unwrap_or_default();
    let projection = document("projection")?.unwrap_or_default();
    Ok(query.map(|query| (query, sort, projection)))
}
