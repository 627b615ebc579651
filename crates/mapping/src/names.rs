//! The names of members of documents, as clients of Elasticsearch may give them.

/// What is told of documents besides their members.
const METADATA: [&str; 9] = [
    "_id",
    "_routing",
    "_index",
    "_type",
    "_version",
    "_seq_no",
    "_source",
    "_field_names",
    "_ignored",
];

/// The first of some names that is one of what is told of documents besides their members.
pub fn metadata<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names.find(|name| METADATA.contains(name))
}
