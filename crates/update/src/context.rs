//! What the operators of one update see while it is applied to one document.

use crate::array_filter::ArrayFilters;
use crate::growth::Growth;
use language::expression::Variables;
use value::{Document, Value, compare, shell};

/// The surroundings of one application.
#[derive(Debug)]
pub(crate) struct Context<'u> {
    /// The element that the query matched, for `$`.
    pub(crate) position: Option<usize>,
    /// Whether the document is being made by an upsert.
    pub(crate) is_insert: bool,
    /// The command's variables, and its time.
    pub(crate) variables: &'u Variables,
    pub(crate) array_filters: &'u ArrayFilters,
    /// The values found at the renames' sources.
    pub(crate) renamed: Vec<Option<Value>>,
    /// Whether the document had an `_id` from the start: then it must stay.
    pub(crate) id_is_fixed: bool,
    id: Option<Value>,
    /// The path on which the walk is.
    pub(crate) path: Vec<String>,
    pub(crate) changed: bool,
    pub(crate) growth: Growth,
}

impl<'u> Context<'u> {
    pub(crate) fn new(
        document: &Document,
        position: Option<usize>,
        is_insert: bool,
        variables: &'u Variables,
        array_filters: &'u ArrayFilters,
    ) -> Context<'u> {
        let id = document.get("_id").cloned();
        Context {
            position,
            is_insert,
            variables,
            array_filters,
            renamed: Vec::new(),
            id_is_fixed: id.is_some(),
            id,
            path: Vec::new(),
            changed: false,
            growth: Growth::new(is_insert),
        }
    }

    /// `_id: 1`, as messages name the document.
    pub(crate) fn id_text(&self) -> String {
        match &self.id {
            Some(id) => shell::field("_id", id.as_ref()),
            None => "no id".to_owned(),
        }
    }

    /// Whether the walk is on the `_id`, and this value equals the one that was there: the same number, maybe of another type.
    pub(crate) fn is_id(&self, value: &Value) -> bool {
        let is_on_id = matches!(self.path.as_slice(), [only] if only == "_id");
        let id = self.id.as_ref().filter(|_| is_on_id);
        id.is_some_and(|id| compare(id.as_ref(), value.as_ref()).is_eq())
    }

    pub(crate) fn path_text(&self) -> String {
        self.path.join(".")
    }

    pub(crate) fn renamed_value(&self, number: usize) -> Option<&Value> {
        self.renamed.get(number).and_then(Option::as_ref)
    }
}
