//! `planCacheClear`, `planCacheListFilters`, `planCacheSetFilter`, `planCacheClearFilters`.
//!
//! As in MongoDB, fields that these commands do not know are ignored, and where the collection does not exist the
//! two that clear have nothing to do, whatever they are asked.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::{IndexFilter, Namespace};
use value::{ArrayRef, Document, Value, ValueRef, doc};

/// `planCacheClear`.
pub(super) async fn clear(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    if !is_collection(call, &namespace)? {
        return Ok(Document::new().into());
    }
    let arguments = call.arguments();
    let engine = &call.server.engine;
    match arguments.any("query") {
        Some(_) => engine.clear_remembered_plan(&call.context, &namespace, &shape(&arguments)?)?,
        None => {
            refuse_without_query(&arguments)?;
            engine.clear_plan_cache(&namespace);
        }
    }
    Ok(Document::new().into())
}

/// `planCacheListFilters`.
pub(super) async fn list_filters(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    is_collection(call, &namespace)?;
    let filters: Value = call
        .server
        .engine
        .index_filters_of(&namespace)
        .into_iter()
        .map(|filter| Value::Document(shown(filter)))
        .collect();
    Ok(doc! {"filters": filters}.into())
}

/// `planCacheSetFilter`.
pub(super) async fn set_filter(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    if !is_collection(call, &namespace)? {
        return Err(CommandError::bad_value("no such collection"));
    }
    let arguments = call.arguments();
    let indexes = allowed_indexes(&arguments)?;
    let filter = IndexFilter {
        indexes,
        ..shape(&arguments)?
    };
    call.server
        .engine
        .set_index_filter(&call.context, &namespace, filter)?;
    Ok(Document::new().into())
}

/// `planCacheClearFilters`.
pub(super) async fn clear_filters(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    if !is_collection(call, &namespace)? {
        return Ok(Document::new().into());
    }
    let arguments = call.arguments();
    let engine = &call.server.engine;
    match arguments.any("query") {
        Some(_) => engine.clear_index_filter(&call.context, &namespace, &shape(&arguments)?)?,
        None => {
            refuse_without_query(&arguments)?;
            engine.clear_index_filters(&namespace);
        }
    }
    Ok(Document::new().into())
}

/// Whether the collection exists; a view is refused, and so is a time series, which has no plans of its own in MongoDB.
fn is_collection(call: &Call<'_>, namespace: &Namespace) -> Result<bool> {
    let engine = &call.server.engine;
    engine.refuse_view(namespace)?;
    let Some(entry) = engine.collection_entry(namespace) else {
        return Ok(false);
    };
    match entry.options.contains("timeseries") {
        true => Err(CommandError::new(
            Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            format!("Namespace {namespace} is a timeseries collection, which has no plan cache"),
        )),
        false => Ok(true),
    }
}

/// What makes a shape says nothing without the query.
fn refuse_without_query(arguments: &Arguments<'_>) -> Result<()> {
    let has_part = ["sort", "projection", "collation"]
        .into_iter()
        .any(|name| arguments.any(name).is_some());
    if has_part {
        return Err(CommandError::bad_value(
            "sort, projection or collation provided without query",
        ));
    }
    Ok(())
}

/// The shape that `query`, `sort`, `projection` and `collation` describe.
fn shape(arguments: &Arguments<'_>) -> Result<IndexFilter> {
    let Some(query) = object(arguments, "query", "required")? else {
        return Err(CommandError::bad_value("required field query missing"));
    };
    Ok(IndexFilter {
        query,
        sort: object(arguments, "sort", "optional")?.unwrap_or_default(),
        projection: object(arguments, "projection", "optional")?.unwrap_or_default(),
        collation: collation(arguments)?,
        indexes: Vec::new(),
    })
}

/// A document; an array counts as one, whose fields are its positions.
fn object(arguments: &Arguments<'_>, name: &'static str, need: &str) -> Result<Option<Document>> {
    match arguments.any(name) {
        None => Ok(None),
        Some(ValueRef::Document(document)) => Ok(Some(document.to_document())),
        Some(ValueRef::Array(array)) => Ok(Some(by_position(array))),
        Some(_) => Err(CommandError::bad_value(format!(
            "{need} field {name} must be an object"
        ))),
    }
}

fn by_position(array: ArrayRef<'_>) -> Document {
    array
        .iter()
        .enumerate()
        .map(|(position, value)| (position.to_string(), value.to_value()))
        .collect()
}

/// The collation, which tells shapes apart.
fn collation(arguments: &Arguments<'_>) -> Result<Option<Document>> {
    match arguments.any("collation") {
        None => Ok(None),
        Some(ValueRef::Document(collation)) if collation.is_empty() => Err(CommandError::bad_value(
            "optional field collation cannot be empty",
        )),
        Some(ValueRef::Document(collation)) if collation.get("locale").is_none() => Err(CommandError::new(
            Code::MISSING_FIELD,
            "BSON field 'collation.locale' is missing but a required field",
        )),
        Some(ValueRef::Document(collation)) => Ok(Some(collation.to_document())),
        Some(_) => Err(CommandError::bad_value(
            "optional field collation must be an object",
        )),
    }
}

/// The names or key patterns under `indexes`.
fn allowed_indexes(arguments: &Arguments<'_>) -> Result<Vec<Value>> {
    let indexes = match arguments.any("indexes") {
        Some(ValueRef::Array(indexes)) => crate::arguments::decoded_array(indexes),
        Some(_) => return Err(CommandError::bad_value("required field indexes must be an array")),
        None => return Err(CommandError::bad_value("required field indexes missing")),
    };
    if indexes.is_empty() {
        return Err(CommandError::bad_value(
            "required field indexes must contain at least one index",
        ));
    }
    let is_index = |index: &Value| match index {
        Value::String(name) => !name.is_empty(),
        Value::Document(key) => !key.is_empty(),
        _ => false,
    };
    if !indexes.iter().all(is_index) {
        return Err(CommandError::bad_value(
            "each item in indexes must be a non-empty object or index name",
        ));
    }
    Ok(indexes)
}

fn shown(filter: IndexFilter) -> Document {
    let mut document = doc! {
        "query": filter.query,
        "sort": filter.sort,
        "projection": filter.projection,
    };
    if let Some(collation) = filter.collation {
        document.push("collation", collation);
    }
    document.with("indexes", Value::Array(filter.indexes))
}
