//! Which fields have columns, by which their values are sorted and aggregated.

use crate::error::{Result, SearchError};
use crate::{Field, FieldKind, Meta};

/// Names that every index has and whose values are in no column.
const WITHOUT_COLUMNS: [&str; 5] = ["_source", "_version", "_field_names", "_routing", "_ignored"];

/// Refuses a name that every index has and whose values are in no column.
pub fn check_name(name: &str) -> Result<()> {
    match WITHOUT_COLUMNS.contains(&name) {
        false => Ok(()),
        true => Err(no_column(name, name)),
    }
}

/// The type of a field, as errors name it.
pub fn type_name(field: &Field) -> &str {
    match field.meta {
        Some(Meta::Id | Meta::Index) => &field.name,
        _ => &field.type_name,
    }
}

fn no_column(name: &str, type_name: &str) -> SearchError {
    SearchError::illegal(format!(
        "Fielddata is not supported on field [{name}] of type [{type_name}]"
    ))
}

/// Refuses a field whose values are in no column, to be sorted by or aggregated.
pub fn check_column(name: &str, field: &Field) -> Result<()> {
    if field.kind == FieldKind::Text && !field.doc_values {
        return Err(SearchError::illegal(format!(
            "Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so \
             these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on \
             [{name}] in order to load field data by uninverting the inverted index. Note that this can use significant memory."
        )));
    }
    match &field.kind {
        FieldKind::Completion => Err(no_column(name, &field.type_name)),
        _ if !field.doc_values && !field.is_vector() => Err(SearchError::illegal(format!(
            "Can't load fielddata on [{name}] because fielddata is unsupported on fields of type [{}]. Use doc values instead.",
            field.type_name
        ))),
        _ => Ok(()),
    }
}
