//! What a query may use where it stands.

/// Where a query stands, which decides the operators that it may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilterPlace {
    /// A find, a count, an update, a `$match` …: everything.
    #[default]
    Query,
    /// A collection's validator.
    Validator,
    /// `partialFilterExpression` of an index.
    PartialIndex,
    /// `arrayFilters`, `$pull`: conditions on an element of an array.
    Element,
}

/// What parsing a query needs to know about its surroundings.
#[derive(Clone, Debug, Default)]
pub struct FilterScope {
    /// Where the query stands.
    pub place: FilterPlace,
}
