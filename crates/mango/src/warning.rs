//! What a query is warned of (`src/mango/src/mango_cursor.erl`, `maybe_add_warning`).

use crate::index::{DESIGN, Index};
use crate::options::FindOptions;

/// What a query examined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Entries of an index, or documents where there is none.
    pub keys_examined: u64,
    /// Documents that were read by themselves.
    pub documents_examined: u64,
    /// Documents that were read from more than one copy (`r`).
    pub quorum_documents_examined: u64,
    /// Documents that were found.
    pub results: u64,
}

/// The warnings, a line each; `None` if there is nothing to warn of.
pub fn warnings(
    index: &Index,
    options: &FindOptions,
    statistics: &Statistics,
    is_full_scan: bool,
) -> Option<String> {
    let mut warnings = Vec::new();
    if !options.use_index.is_empty() && !index.is_named(&options.use_index) {
        warnings.push(not_used(&options.use_index));
    }
    if index.is_special() && is_full_scan {
        warnings.push("No matching index found, create an index to optimize query time.".to_owned());
    }
    let examined = statistics.documents_examined + statistics.quorum_documents_examined;
    let examined_max = options.examined_max.saturating_mul(statistics.results.max(1));
    if examined_max > 0 && examined > examined_max {
        warnings.push(
            "The number of documents examined is high in proportion to the number of results returned. Consider adding a more \
             specific index to improve this."
                .to_owned(),
        );
    }
    (!warnings.is_empty()).then(|| warnings.join("\n"))
}

fn not_used(use_index: &[String]) -> String {
    let bare = |name: &str| name.strip_prefix(DESIGN).unwrap_or(name).to_owned();
    match use_index {
        [ddoc, name, ..] => format!(
            "_design/{}, {name} was not used because it is not a valid index for this query.",
            bare(ddoc)
        ),
        named => format!(
            "_design/{} was not used because it does not contain a valid index for this query.",
            named.first().map(|ddoc| bare(ddoc)).unwrap_or_default()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::Document;

    #[test]
    fn documents_examined_in_vain_cause_the_warnings_that_settings_ask_for() {
        let body = Document::new().with("selector", Document::new());
        let mut options = FindOptions::parse(&body, None).expect("a query");
        let statistics = Statistics {
            documents_examined: 41,
            results: 2,
            ..Statistics::default()
        };
        for (examined_max, is_warned) in [(10, true), (20, true), (21, false), (0, false)] {
            options.examined_max = examined_max;
            let warned = warnings(&Index::all_docs(), &options, &statistics, false);
            assert_eq!(warned.is_some(), is_warned, "{examined_max}");
        }
    }
}
