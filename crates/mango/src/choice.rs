//! Which index answers a query (`src/mango/src/mango_cursor.erl`, `mango_cursor_view.erl`).
//!
//! An index is usable if every document that matches has all its fields (a field of the sort counts as one that it
//! has), and if it gives the sort. Of the usable ones the winner is the one whose first fields cover most of the
//! selector's bounds, then the one with the fewest fields, then the first by name. The index of all documents wins
//! only if there is no other.

use crate::error::{Error, Result};
use crate::index::{Index, REVISION, design_id};
use crate::options::FindOptions;
use crate::{Range, Selector};
use value::Value;

/// The indexes of a database as a query sees them.
#[derive(Debug)]
pub struct Choice {
    /// All indexes, usable or not.
    pub indexes: Vec<Considered>,
    /// The position of the index that answers; `None` if none is usable, which only `_explain` accepts.
    pub winner: Option<usize>,
    /// The places of those of the winner's kind, best first, with their ranges and how many of the bounds they leave
    /// out.
    pub ranked: Vec<Ranked>,
}

/// An index as a query sees it.
#[derive(Debug)]
pub struct Considered {
    /// The index, of whatever kind.
    pub index: Index,
    /// Whether it is of the kind of the database or partition that is asked.
    pub in_scope: bool,
    /// Why it cannot answer; `None` if it can, or was not considered.
    pub reason: Option<&'static str>,
    /// Whether it can answer.
    pub usable: bool,
    /// Whether it was usable and not excluded by `use_index`.
    pub filtered: bool,
}

/// How well an index fits.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The index's place among all.
    pub place: usize,
    /// What its first fields are bounded by.
    pub bounds: Bounds,
    /// The bounds of the selector that it leaves out.
    pub distance: usize,
}

/// The part of an index that is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Bounds {
    /// The selector can find nothing.
    Nothing,
    /// The ranges of the first fields.
    Ranges(Vec<Range>),
}

impl Bounds {
    /// The bounds of the first `fields` fields.
    pub fn of_first(self, fields: usize) -> Bounds {
        match self {
            Bounds::Nothing => Bounds::Nothing,
            Bounds::Ranges(mut ranges) => {
                ranges.truncate(fields);
                Bounds::Ranges(ranges)
            }
        }
    }

    /// The values that the first fields begin at.
    pub fn start(&self) -> Vec<Value> {
        self.side(|range| range.low.as_ref().map(|side| side.value.clone()))
    }

    /// The values that the first fields end at.
    pub fn end(&self) -> Vec<Value> {
        self.side(|range| range.high.as_ref().map(|side| side.value.clone()))
    }

    fn side(&self, side: impl Fn(&Range) -> Option<Value>) -> Vec<Value> {
        match self {
            Bounds::Nothing => Vec::new(),
            Bounds::Ranges(ranges) => ranges.iter().map_while(side).collect(),
        }
    }
}

impl Choice {
    /// Chooses among the indexes of a database, which is partitioned or not; where `must` be found and none is
    /// usable, the error says what is missing.
    pub fn of(
        indexes: Vec<Index>,
        options: &FindOptions,
        is_partitioned: bool,
        must: bool,
    ) -> Result<Choice> {
        let mut indexes: Vec<Considered> = indexes
            .into_iter()
            .map(|index| Considered::of(index, options))
            .collect::<Result<_>>()?;
        let usable = indexes.iter().filter(|known| known.usable).count();
        if usable == 0 && must {
            return Err(Error::refused(
                "no_usable_index",
                missing_index(options, is_partitioned),
            ));
        }
        let is_meant = |known: &Considered| known.usable && known.index.is_named(&options.use_index);
        let any_meant = indexes.iter().any(is_meant);
        // CouchDB counts the index of all documents among those that could tell what is in texts.
        let has_others = usable > 1 || options.selector.searches_text();
        let may_fall_back = options.allow_fallback || (options.use_index.is_empty() && has_others);
        if !any_meant && !may_fall_back {
            return Err(Error::refused("invalid_index", not_suitable(&options.use_index)));
        }
        for known in &mut indexes {
            known.filtered = match any_meant {
                true => is_meant(known),
                false => known.usable,
            };
        }
        let ranked = rank(&indexes, &options.selector);
        if let [best, _, ..] = &ranked[..]
            && let Some(text) = &indexes[best.place].index.text
        {
            return Err(Error::refused(text.service.ambiguous(), NO_INDEX_NAMED));
        }
        Ok(Choice {
            winner: ranked.first().map(|best| best.place),
            indexes,
            ranked,
        })
    }

    /// The index that answers.
    pub fn index(&self) -> Option<&Index> {
        self.winner.map(|place| &self.indexes[place].index)
    }

    /// The part of it that is read.
    pub fn bounds(&self) -> Bounds {
        let best = self.ranked.first().map(|best| best.bounds.clone());
        best.unwrap_or(Bounds::Nothing)
    }
}

impl Considered {
    fn of(index: Index, options: &FindOptions) -> Result<Considered> {
        let named = index.is_named(&options.use_index);
        let is_global = !index.is_partial() || named;
        let in_scope = is_global && (index.is_special() || index.partitioned == options.partition.is_some());
        let reason = match (&index.text, in_scope) {
            (_, false) => None,
            (Some(text), true) => text.reason(&options.selector)?,
            // What is searched for in texts no other index could tell.
            (None, true) if options.selector.searches_text() => Some("field_mismatch"),
            (None, true) if index.is_special() => special_reason(&index, options),
            (None, true) => reason(&index, options),
        };
        Ok(Considered {
            usable: in_scope && reason.is_none(),
            index,
            in_scope,
            reason,
            filtered: false,
        })
    }
}

fn reason(index: &Index, options: &FindOptions) -> Option<&'static str> {
    // What CouchDB adds to a document (`_conflicts`, …) is in no index of the store; a revision every document has.
    let is_added = |column: &String| column.starts_with('_') && !matches!(column.as_str(), "_id" | REVISION);
    if index.columns().iter().any(is_added) {
        return Some("field_mismatch");
    }
    if options.sort.fields.iter().any(|field| field == REVISION) {
        return Some("sort_order_mismatch");
    }
    let (selector, sort) = (&options.selector, &options.sort.fields);
    // What is sorted by is asked for; every document has an id and a revision.
    let required = index
        .columns()
        .iter()
        .filter(|column| !sort.contains(column) && !matches!(column.as_str(), "_id" | "_rev"));
    if !selector.requires(required.map(String::as_str)) {
        return Some("field_mismatch");
    }
    (!gives_sort(index.columns(), sort, selector)).then_some("sort_order_mismatch")
}

fn special_reason(index: &Index, options: &FindOptions) -> Option<&'static str> {
    let sort = &options.sort.fields;
    if sort.is_empty() {
        return None;
    }
    if !options.selector.indexable_fields().contains(&"_id") {
        return Some("field_mismatch");
    }
    (!index.columns().starts_with(sort)).then_some("sort_order_mismatch")
}

/// Whether the fields after the constant ones begin with those of the sort.
fn gives_sort(columns: &[String], sort: &[String], selector: &Selector) -> bool {
    let Some(first) = sort.first() else {
        return true;
    };
    let constant = columns
        .iter()
        .take_while(|column| *column != first && selector.is_constant(column))
        .count();
    columns[constant..].starts_with(sort)
}

/// The indexes of the kind that is preferred, best first.
fn rank(indexes: &[Considered], selector: &Selector) -> Vec<Ranked> {
    let filtered = || indexes.iter().filter(|known| known.filtered);
    let preferred = ["json", "text", "nouveau", "special"]
        .into_iter()
        .find(|kind| filtered().any(|known| known.index.kind() == *kind));
    let bounds = selector.ranges();
    let mut ranked: Vec<Ranked> = indexes
        .iter()
        .enumerate()
        .filter(|(_, known)| known.filtered && Some(known.index.kind()) == preferred)
        .map(|(place, known)| Ranked::of(place, &known.index, &bounds, selector))
        .collect();
    ranked.sort_by(|a, b| {
        let rank = |one: &Ranked| (one.distance, indexes[one.place].index.columns().len());
        let key = |one: &Ranked| indexes[one.place].index.key();
        rank(a).cmp(&rank(b)).then_with(|| key(a).cmp(&key(b)))
    });
    ranked
}

impl Ranked {
    fn of(place: usize, index: &Index, bounds: &[(&str, Option<Range>)], selector: &Selector) -> Ranked {
        let bound = |column: &String| bounds.iter().find(|(field, _)| field == column);
        let prefix: Vec<&Option<Range>> = index
            .columns()
            .iter()
            .map_while(bound)
            .map(|(_, range)| range)
            .collect();
        let ranges: Option<Vec<Range>> = prefix.iter().map(|range| (*range).clone()).collect();
        Ranked {
            place,
            distance: bounds.len().saturating_sub(prefix.len()),
            bounds: match ranges {
                Some(ranges) if !selector.is_vacuous() => Bounds::Ranges(ranges),
                _ => Bounds::Nothing,
            },
        }
    }
}

/// What CouchDB says where several indexes could answer, or none.
const NO_INDEX_NAMED: &str = "You must specify an index with the `use_index` parameter.";

fn missing_index(options: &FindOptions, is_partitioned: bool) -> &'static str {
    match options.partition {
        _ if options.selector.searches_text() => {
            "No text index exists for this selector, try indexing all fields by one of type \"text\"."
        }
        None if is_partitioned => "No global index exists for this sort, try indexing by the sort fields.",
        Some(_) => "No partitioned index exists for this sort, try indexing by the sort fields.",
        None => "No index exists for this sort, try indexing by the sort fields.",
    }
}

fn not_suitable(use_index: &[String]) -> String {
    let name = |named: &str| design_id(named);
    match use_index {
        [] => NO_INDEX_NAMED.to_owned(),
        [ddoc] => format!(
            "{} specified by `use_index` could not be found or it is not suitable.",
            name(ddoc)
        ),
        [ddoc, view, ..] => format!(
            "{}, {view} specified by `use_index` could not be found or it is not suitable.",
            name(ddoc)
        ),
    }
}
