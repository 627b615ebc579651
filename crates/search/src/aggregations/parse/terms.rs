//! Reading `terms`.

use super::{orders, source};
use crate::aggregations::Spec;
use crate::aggregations::buckets::BucketOrder;
use crate::aggregations::multi_terms::MultiTermsSpec;
use crate::aggregations::sample::SampleSpec;
use crate::aggregations::significant::SignificantSpec;
use crate::aggregations::terms::TermsSpec;
use crate::aggregations::wanted::Wanted;
use crate::matching::expression;
use mapping::error::{Result, SearchError};
use mapping::json::{Members, one_or_many, scalar};
use serde_json::Value;

/// How many buckets of how many documents at least, and in which order.
fn chosen(kind: &str, members: &mut Members<'_>) -> Result<(usize, u64, Vec<BucketOrder>)> {
    let size = members.integer("size")?.unwrap_or(10);
    if size <= 0 {
        return Err(SearchError::illegal(format!(
            "[size] must be greater than 0. Found [{size}] in [{kind}]"
        )));
    }
    let least = members.integer("min_doc_count")?.unwrap_or(1);
    if least < 0 {
        return Err(SearchError::illegal(format!(
            "[min_doc_count] must be greater than or equal to 0. Found [{least}] in [{kind}]"
        )));
    }
    let mut orders = orders(members.take("order"))?;
    if orders.is_empty() {
        orders.push(BucketOrder {
            by: "_count".to_owned(),
            ascending: false,
        });
    }
    // How shards and heaps are used changes nothing of the answer: all values are counted.
    for name in [
        "shard_size",
        "shard_min_doc_count",
        "collect_mode",
        "show_term_doc_count_error",
    ] {
        members.take(name);
    }
    Ok((size as usize, least as u64, orders))
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
        sources.push(source(&mut part)?);
        part.end()?;
    }
    let (size, least, orders) = chosen("multi_terms", members)?;
    Ok(Spec::MultiTerms(MultiTermsSpec {
        sources,
        size,
        least,
        orders,
    }))
}

pub(super) fn terms(members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let (size, least, orders) = chosen("terms", members)?;
    let is_mapped = match members.text("execution_hint")?.as_deref() {
        None | Some("global_ordinals") => false,
        Some("map") => true,
        Some(other) => {
            return Err(SearchError::illegal(format!(
                "Invalid execution hint: [{other}] expected any of [map, global_ordinals]"
            )));
        }
    };
    let include = wanted(members.take("include"))?;
    let exclude = wanted(members.take("exclude"))?;
    Ok(Spec::Terms(
        source,
        TermsSpec {
            size,
            least,
            orders,
            include,
            exclude,
            is_mapped,
            most: None,
        },
    ))
}

/// Values by a pattern, by name, or as one of so many parts.
fn wanted(value: Option<&Value>) -> Result<Option<Wanted>> {
    match value {
        None => Ok(None),
        Some(Value::String(pattern)) => {
            let (pattern, _) = expression(&format!("^(?:{pattern})$"), false)?;
            Ok(Some(Wanted::Pattern(pattern)))
        }
        Some(Value::Object(part)) => {
            let number = |name: &str| part.get(name).and_then(Value::as_u64);
            match (number("partition"), number("num_partitions")) {
                (Some(part), Some(parts)) if part < parts => Ok(Some(Wanted::Part(part, parts))),
                _ => Err(SearchError::illegal(
                    "[include] needs a [partition] below its [num_partitions]",
                )),
            }
        }
        Some(list) => Ok(Some(Wanted::Values(
            one_or_many(list).into_iter().filter_map(scalar).collect(),
        ))),
    }
}

/// The documents of a rare term at most.
const RARE_MOST: i64 = 100;
/// The least share of terms that may be missed; none is here.
const PRECISION_LEAST: f64 = 0.00001;

pub(super) fn rare(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let most = members.integer("max_doc_count")?.unwrap_or(1);
    let refused = match most {
        ..=0 => Some(format!("must be greater than 0. Found [{most}] in")),
        1..=RARE_MOST => None,
        _ => Some(format!("must be smaller than {RARE_MOST} in")),
    };
    if let Some(why) = refused {
        return Err(SearchError::illegal(format!("[max_doc_count] {why} [{name}]")));
    }
    if members
        .number("precision")?
        .is_some_and(|precision| precision < PRECISION_LEAST)
    {
        return Err(SearchError::illegal(format!(
            "[precision] must be greater than {PRECISION_LEAST}"
        )));
    }
    let (include, exclude) = (wanted(members.take("include"))?, wanted(members.take("exclude"))?);
    Ok(Spec::Terms(
        source,
        TermsSpec {
            size: usize::MAX,
            least: 1,
            orders: Vec::new(),
            include,
            exclude,
            is_mapped: false,
            most: Some(most as u64),
        },
    ))
}

/// Methods of saying how significant a term is that are not here.
const HEURISTICS: [&str; 6] = [
    "mutual_information",
    "chi_square",
    "gnd",
    "percentage",
    "script_heuristic",
    "p_value",
];

pub(super) fn significant(kind: &str, members: &mut Members<'_>) -> Result<Spec> {
    let is_text = kind == "significant_text";
    if let Some(heuristic) = HEURISTICS.iter().find(|name| members.take(name).is_some()) {
        return Err(SearchError::unsupported(format!("[{heuristic}] of {kind}")));
    }
    members.take("jlh");
    if is_text {
        if members.flag("filter_duplicate_text")?.unwrap_or(false) {
            return Err(SearchError::unsupported(format!(
                "[filter_duplicate_text] of {kind}"
            )));
        }
        if members.take("source_fields").is_some() {
            return Err(SearchError::unsupported(format!("[source_fields] of {kind}")));
        }
    }
    let source = source(members)?;
    let background = members.take("background_filter");
    let background = background.map(crate::query::parse_query).transpose()?;
    let size = members.integer("size")?.unwrap_or(10);
    let least = members.integer("min_doc_count")?.unwrap_or(3);
    if size <= 0 || least < 0 {
        return Err(SearchError::illegal(format!(
            "[size] must be greater than 0 and [min_doc_count] not negative in [{kind}]"
        )));
    }
    for name in ["shard_size", "shard_min_doc_count", "execution_hint"] {
        members.take(name);
    }
    let spec = SignificantSpec {
        size: size as usize,
        least: least as u64,
        include: wanted(members.take("include"))?,
        exclude: wanted(members.take("exclude"))?,
        background: background.map(Box::new),
        is_text,
    };
    Ok(Spec::Significant(source, spec))
}

/// The documents of a sample, where nobody says how many.
const SAMPLE: i64 = 100;

pub(super) fn sample(kind: &str, members: &mut Members<'_>) -> Result<Spec> {
    let size = members.integer("shard_size")?.unwrap_or(SAMPLE);
    if size <= 0 {
        return Err(SearchError::illegal(format!(
            "[shard_size] must be greater than 0. Found [{size}] in [{kind}]"
        )));
    }
    let diversity = match kind {
        "diversified_sampler" => {
            members.text("execution_hint")?;
            let most = members.integer("max_docs_per_value")?.unwrap_or(1).max(1);
            Some((source(members)?, most as usize))
        }
        _ => None,
    };
    Ok(Spec::Sample(SampleSpec {
        size: size as usize,
        diversity,
    }))
}
