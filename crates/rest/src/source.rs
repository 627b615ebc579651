//! Which parts of a document a query string asks for.

use crate::parameters::Parameters;
pub use fetch::SourceFilter;

/// Reads `_source`, `_source_includes` and `_source_excludes` of a query string; `None` where it has none of them.
pub fn taken(parameters: &mut Parameters) -> Option<SourceFilter> {
    let mut filter = SourceFilter::default();
    let mut is_given = false;
    if let Some(source) = parameters.take("_source") {
        is_given = true;
        match source.as_str() {
            "true" | "" => {}
            "false" => filter.hidden = true,
            names => filter.includes = names.split(',').map(str::to_owned).collect(),
        }
    }
    let alternatives = [
        ("_source_includes", "_source_include"),
        ("_source_excludes", "_source_exclude"),
    ];
    for (at, (name, old)) in alternatives.into_iter().enumerate() {
        if let Some(names) = parameters.list(name).or_else(|| parameters.list(old)) {
            is_given = true;
            if at == 0 {
                filter.includes = names;
            } else {
                filter.excludes = names;
            }
        }
    }
    is_given.then_some(filter)
}
