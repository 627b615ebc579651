//! Reading `terms`.

use super::{Form, at_least, field_source, source};
use crate::aggregations::Spec;
use crate::aggregations::heuristics::Heuristic;
use crate::aggregations::multi_terms::MultiTermsSpec;
use crate::aggregations::ordering::{self, BucketOrder};
use crate::aggregations::sample::SampleSpec;
use crate::aggregations::significant::SignificantSpec;
use crate::aggregations::terms::TermsSpec;
use crate::aggregations::wanted::Wanted;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::json::{Members, one_or_many, scalar};
use querying::lucene_expression;
use serde_json::{Map, Value};

/// How many buckets of how many documents at least, and in which order.
fn chosen(name: &str, members: &mut Members<'_>) -> Result<(usize, u64, Vec<BucketOrder>)> {
    let size = at_least(members, "size", 1, name)?.unwrap_or(10);
    let least = at_least(members, "min_doc_count", 0, name)?.unwrap_or(1);
    let mut orders = ordering::take(members)?;
    if orders.is_empty() {
        orders.push(BucketOrder::BY_COUNT);
    }
    // How shards and heaps are used changes nothing of the answer: all values are counted.
    at_least(members, "shard_size", 1, name)?;
    at_least(members, "shard_min_doc_count", 0, name)?;
    let mode = members.text("collect_mode")?;
    match mode.as_deref() {
        None | Some("depth_first" | "breadth_first") => Ok((size as usize, least as u64, orders)),
        Some(other) => Err(SearchError::new(
            ErrorKind::Date,
            format!("no [collect_mode] found for value [{other}]"),
        )),
    }
}

/// Takes how an aggregation is said to be executed: whether terms are to be counted by themselves.
fn hint(members: &mut Members<'_>, known: &[&str]) -> Result<bool> {
    match members.text("execution_hint")? {
        Some(hint) if !known.contains(&hint.as_str()) => Err(SearchError::illegal(format!(
            "Unknown `execution_hint`: [{hint}], expected any of [{}]",
            known.join(", ")
        ))),
        hint => Ok(hint.as_deref() == Some("map")),
    }
}

pub(super) fn multi(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let given = members.take("terms").map(one_or_many).unwrap_or_default();
    if given.len() < 2 {
        return Err(SearchError::illegal(format!(
            "The [terms] parameter in the aggregation [{name}] must be present and have at least 2 fields or scripts."
        )));
    }
    let mut sources = Vec::with_capacity(given.len());
    for one in given {
        let mut part = Members::of("terms", one)?;
        sources.push(source(&mut part, Form::Zoned)?);
        part.end()?;
    }
    let (size, least, orders) = chosen(name, members)?;
    let shows_error = members.flag("show_term_doc_count_error")?.unwrap_or(false);
    Ok(Spec::MultiTerms(MultiTermsSpec {
        sources,
        size,
        least,
        orders,
        shows_error,
    }))
}

pub(super) fn terms(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members, Form::Written)?;
    let (size, least, orders) = chosen(name, members)?;
    let is_mapped = hint(members, &["map", "global_ordinals"])?;
    let (include, exclude) = wanted(members)?;
    Ok(Spec::Terms(
        source,
        TermsSpec {
            size,
            least,
            orders,
            include,
            exclude,
            is_mapped,
            shows_error: members.flag("show_term_doc_count_error")?.unwrap_or(false),
            most: None,
        },
    ))
}

/// Which terms are included and which are excluded: by a pattern, by name, or as one of several parts.
fn wanted(members: &mut Members<'_>) -> Result<(Option<Wanted>, Option<Wanted>)> {
    let include = match members.take("include") {
        Some(Value::Object(part)) => Some(one_part(members.context(), part)?),
        given => one_wanted(members, "include", given)?,
    };
    let exclude = members.take("exclude");
    let exclude = match exclude {
        Some(object @ Value::Object(_)) => return Err(members.wrong_type("exclude", object)),
        given => one_wanted(members, "exclude", given)?,
    };
    let clash = match (&include, &exclude) {
        (Some(Wanted::Part(..)), Some(_)) => {
            "Cannot specify any excludes when using a partition-based include"
        }
        (Some(Wanted::Pattern(_)), Some(Wanted::Values(_)))
        | (Some(Wanted::Values(_)), Some(Wanted::Pattern(_))) => {
            "Cannot mix a set-based with a regex-based method"
        }
        _ => return Ok((include, exclude)),
    };
    Err(SearchError::of_member(
        members.context(),
        "exclude",
        SearchError::illegal(clash),
    ))
}

fn one_wanted(members: &Members<'_>, name: &str, value: Option<&Value>) -> Result<Option<Wanted>> {
    let failed = |error: SearchError| SearchError::of_member(members.context(), name, error);
    match value {
        None => Ok(None),
        Some(Value::String(pattern)) => {
            let pattern = lucene_expression(pattern, true).map_err(|error| match error.kind {
                ErrorKind::Unsupported => error,
                _ => failed(error),
            })?;
            Ok(Some(Wanted::Pattern(pattern)))
        }
        Some(Value::Array(list)) => {
            let wrong = || {
                let reason = "Array elements in include/exclude clauses should be string values";
                SearchError::new(ErrorKind::Date, reason)
            };
            let texts = list.iter().map(|value| scalar(value).ok_or_else(wrong));
            Ok(Some(Wanted::Values(texts.collect::<Result<_>>()?)))
        }
        Some(other) => Err(members.wrong_type(name, other)),
    }
}

fn one_part(context: &str, part: &Map<String, Value>) -> Result<Wanted> {
    const NAMES: [&str; 2] = ["partition", "num_partitions"];
    if let Some(other) = part.keys().find(|name| !NAMES.contains(&name.as_str())) {
        let reason = format!("Unknown parameter in Include/Exclude clause: {other}");
        return Err(SearchError::new(ErrorKind::Date, reason));
    }
    let number = |name: &str| part.get(name).and_then(Value::as_i64);
    let [partition, parts] = NAMES.map(number);
    let why = match (partition, parts) {
        (None, _) => "Missing [partition] parameter for partition-based include".to_owned(),
        (_, None) => "Missing [num_partitions] parameter for partition-based include".to_owned(),
        (Some(part), Some(parts)) if (0..parts).contains(&part) => {
            return Ok(Wanted::Part(part as u64, parts as u64));
        }
        (Some(part), Some(_)) => {
            format!("Partition number [{part}] must be less than [num_partitions] and not negative")
        }
    };
    Err(SearchError::of_member(
        context,
        "include",
        SearchError::illegal(why),
    ))
}

/// The documents of a rare term at most.
const RARE_MOST: i64 = 100;
/// The least share of terms that may be missed; none is here.
const PRECISION_LEAST: f64 = 0.00001;

pub(super) fn rare(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members, Form::Written)?;
    let most = members.integer("max_doc_count")?.unwrap_or(1);
    let refused = match most {
        ..=0 => Some(format!("must be greater than 0. Found [{most}] in")),
        1..=RARE_MOST => None,
        _ => Some(format!("must be smaller than {RARE_MOST} in")),
    };
    if let Some(why) = refused {
        let cause = SearchError::illegal(format!("[max_doc_count] {why} [{name}]"));
        return Err(SearchError::of_member("rare_terms", "max_doc_count", cause));
    }
    if members
        .number("precision")?
        .is_some_and(|precision| precision < PRECISION_LEAST)
    {
        let cause = SearchError::illegal(format!("[precision] must be greater than {PRECISION_LEAST}"));
        return Err(SearchError::of_member("rare_terms", "precision", cause));
    }
    let (include, exclude) = wanted(members)?;
    Ok(Spec::Terms(
        source,
        TermsSpec {
            size: usize::MAX,
            least: 1,
            orders: Vec::new(),
            include,
            exclude,
            is_mapped: false,
            shows_error: false,
            most: Some(most as u64),
        },
    ))
}

pub(super) fn significant(name: &str, kind: &str, members: &mut Members<'_>) -> Result<Spec> {
    let is_text = kind == "significant_text";
    let heuristic = Heuristic::take(members)?;
    let (texts, leaves_copies_out) = match is_text {
        true => (
            names(members, "source_fields")?,
            members.flag("filter_duplicate_text")?.unwrap_or(false),
        ),
        false => {
            hint(members, &["map", "global_ordinals"])?;
            (Vec::new(), false)
        }
    };
    let source = match is_text {
        true => field_source(members, Form::Plain)?,
        false => source(members, Form::Written)?,
    };
    let background = match members.take("background_filter") {
        None => None,
        Some(filter @ Value::Object(_)) => Some(querying::parse_query(filter)?),
        Some(other) => return Err(members.wrong_type("background_filter", other)),
    };
    let size = at_least(members, "size", 1, name)?.unwrap_or(10);
    let least = at_least(members, "min_doc_count", 0, name)?.unwrap_or(3);
    at_least(members, "shard_size", 1, name)?;
    at_least(members, "shard_min_doc_count", 0, name)?;
    let (include, exclude) = wanted(members)?;
    let spec = SignificantSpec {
        size: size as usize,
        least: least as u64,
        include,
        exclude,
        background: background.map(Box::new),
        heuristic,
        is_text,
        texts,
        leaves_copies_out,
    };
    Ok(Spec::Significant(source, spec))
}

/// Takes a list of names.
fn names(members: &mut Members<'_>, member: &str) -> Result<Vec<String>> {
    let given = members.take(member).map(one_or_many).unwrap_or_default();
    let name = |value: &Value| scalar(value).ok_or_else(|| members.wrong_type(member, value));
    given.into_iter().map(name).collect()
}

/// The documents of a sample by default.
const SAMPLE: i64 = 100;

pub(super) fn sample(name: &str, kind: &str, members: &mut Members<'_>) -> Result<Spec> {
    if kind == "sampler" {
        let given = members.take("shard_size");
        let size = match given.map_or(Some(SAMPLE), Value::as_i64) {
            Some(size) => size,
            None => return Err(unsupported_property("shard_size", name)),
        };
        if let Some((other, _)) = members.take_first() {
            return Err(unsupported_property(other, name));
        }
        return sampled(size, None);
    }
    let size = at_least(members, "shard_size", 0, name)?.unwrap_or(SAMPLE);
    hint(members, &["map", "bytes_hash", "global_ordinals"])?;
    let most = at_least(members, "max_docs_per_value", 1, name)?.unwrap_or(1);
    let source = source(members, Form::Written)?;
    sampled(size, Some((source, most as usize)))
}

fn sampled(size: i64, diversity: Option<(crate::aggregations::values::Source, usize)>) -> Result<Spec> {
    match size > 0 {
        true => Ok(Spec::Sample(SampleSpec {
            size: size as usize,
            diversity,
        })),
        false => Err(SearchError::illegal(
            "numHits must be > 0; please use TotalHitCountCollector if you just need the total hit count",
        )),
    }
}

fn unsupported_property(property: &str, name: &str) -> SearchError {
    SearchError::parsing(format!(
        "Unsupported property \"{property}\" for aggregation \"{name}"
    ))
}
