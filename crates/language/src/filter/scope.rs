//! The operators and variables that a query may use in its place.

use crate::expression::Variables;

/// Where a query stands, which decides the operators that it may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilterPlace {
    /// A find, a count, an update …: everything.
    #[default]
    Query,
    /// A stage of a pipeline: no `$where`.
    Stage,
    /// A collection's validator: nothing that needs an index or runs code.
    Validator,
    /// The condition of a partial index: nothing that is more than conditions on fields.
    Index,
    /// A list of databases, collections …: nothing that needs an index, and no `$where`.
    Listing,
    /// `arrayFilters`, `$pull`: conditions on an element of an array.
    Element,
}

/// What parsing a query needs to know about its surroundings.
#[derive(Clone, Copy, Debug, Default)]
pub struct FilterScope<'a> {
    /// Where the query stands.
    pub place: FilterPlace,
    /// The variables that `$expr` sees, with their values.
    pub variables: Option<&'a Variables>,
}

impl<'a> FilterScope<'a> {
    /// The scope of a collection's validator: of the variables, it has the time of the write and the collection's collation.
    pub fn validator(variables: &'a Variables) -> FilterScope<'a> {
        FilterScope {
            place: FilterPlace::Validator,
            variables: Some(variables),
        }
    }
}
