//! What `$search` says: an operator, and what is to be told of what it finds.

use crate::error::{Result, refused, unsupported};
use crate::facets::Facets;
use crate::highlights::Highlights;
use crate::operators::{self, Scope};
use crate::sorts;
use crate::spec::Spec;
use search::{Mapping, Query, SortKey};
use value::{Document, Value};

/// The index that is meant where none is named.
const DEFAULT_INDEX: &str = "default";
/// Documents up to which the count of a lower bound is exact at least.
const THRESHOLD: i64 = 1000;

/// The name of the index that is asked.
pub(crate) fn index_name(spec: &Document) -> Result<String> {
    let name = Spec::new("", spec).text("index")?.unwrap_or(DEFAULT_INDEX);
    match name.is_empty() {
        true => Err(refused("\"index\" cannot be empty")),
        false => Ok(name.to_owned()),
    }
}

/// A search that was read.
#[derive(Debug)]
pub(crate) struct SearchRequest {
    pub(crate) query: Query,
    pub(crate) sort: Vec<SortKey>,
    pub(crate) facets: Option<Facets>,
    pub(crate) highlights: Option<Highlights>,
    /// Whether the number of all that match is told as such.
    pub(crate) counts_total: bool,
}

impl SearchRequest {
    pub(crate) fn parse(document: &Document, mapping: &Mapping) -> Result<SearchRequest> {
        let spec = Spec::new("", document);
        let scope = Scope { mapping, depth: 0 };
        spec.any("index");
        let highlights = spec.document("highlight")?;
        let highlights = highlights
            .map(|spec| Highlights::parse(&spec, mapping))
            .transpose()?;
        let sort = spec.document("sort")?;
        let sort = sort.map(|spec| sorts::parse(&spec, mapping)).transpose()?;
        let counts_total = match spec.document("count")? {
            Some(count) => counts_total(&count)?,
            None => false,
        };
        // How it is done, and what is told to those who watch searches.
        spec.flag("concurrent")?;
        spec.document("searchNodePreference")?;
        if let Some(tracking) = spec.document("tracking")? {
            tracking.text("searchTerms")?;
            tracking.end()?;
        }
        for option in ["returnStoredSource", "scoreDetails"] {
            if spec.flag(option)? == Some(true) {
                return Err(unsupported(format!("\"{option}\"")));
            }
        }
        for option in ["searchAfter", "searchBefore"] {
            // No search gives any.
            if let Some(token) = spec.text(option)? {
                return Err(refused(format!(
                    "\"{option}\" cannot be \"{token}\": it is no token of a search"
                )));
            }
        }
        if spec.any("returnScope").is_some() {
            return Err(unsupported("\"returnScope\""));
        }
        let facet = spec.document("facet")?;
        let (query, facets) = match facet {
            Some(facet) => {
                let query = match facet.any("operator") {
                    Some(operator) => operators::only(operator, "facet.operator", scope)?,
                    None => Query::MatchAll { boost: 1.0 },
                };
                let facets = Facets::parse(&facet, mapping)?;
                facet.end()?;
                (query, Some(facets))
            }
            None => (operator(&spec, scope)?, None),
        };
        spec.end()?;
        Ok(SearchRequest {
            query,
            sort: sort.unwrap_or_default(),
            facets,
            highlights,
            counts_total,
        })
    }
}

/// The one operator among the members of a search.
fn operator(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let named: Vec<(&str, &Value)> = spec
        .rest()
        .into_iter()
        .filter(|name| operators::is_operator(name))
        .filter_map(|name| Some((name, spec.any(name)?)))
        .collect();
    match named[..] {
        [(name, operand)] => operators::query(name, operand, name.to_owned(), scope),
        [] => match spec.rest().first() {
            Some(other) => Err(refused(format!("\"{other}\" unrecognized field"))),
            None => Err(refused(format!(
                "one of [{}] must be present",
                operators::OPERATORS.join(", ")
            ))),
        },
        _ => Err(refused(
            "only one operator can be present: use \"compound\" for several",
        )),
    }
}

fn counts_total(count: &Spec<'_>) -> Result<bool> {
    let is_total = match count.text("type")? {
        None | Some("lowerBound") => false,
        Some("total") => true,
        Some(other) => return Err(refused(format!("\"count.type\" cannot be \"{other}\""))),
    };
    // All are counted, so the bound is never less than this.
    count
        .count("threshold", 0, i64::from(i32::MAX))?
        .unwrap_or(THRESHOLD);
    count.end()?;
    Ok(is_total)
}
