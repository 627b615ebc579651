//! Reading `terms`.

use super::{orders, source};
use crate::aggregations::Spec;
use crate::aggregations::buckets::BucketOrder;
use crate::aggregations::terms::{TermsSpec, Wanted};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, one_or_many, scalar};
use regex::Regex;
use serde_json::Value;

pub(super) fn terms(members: &mut Members<'_>) -> Result<Spec> {
    let source = source(members)?;
    let size = members.integer("size")?.unwrap_or(10);
    if size <= 0 {
        return Err(SearchError::illegal(format!(
            "[size] must be greater than 0. Found [{size}] in [terms]"
        )));
    }
    let least = members.integer("min_doc_count")?.unwrap_or(1);
    if least <= 0 {
        return Err(SearchError::unsupported("[min_doc_count] 0 of [terms]"));
    }
    let mut orders = orders(members.take("order"))?;
    if orders.is_empty() {
        orders.push(BucketOrder {
            by: "_count".to_owned(),
            ascending: false,
        });
    }
    let wanted = |value: Option<&Value>| match value {
        None => Ok(None),
        Some(Value::String(pattern)) => Regex::new(&format!("^(?:{pattern})$"))
            .map(|pattern| Some(Wanted::Pattern(pattern)))
            .map_err(|_| SearchError::illegal(format!("[{pattern}] is no pattern"))),
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
    };
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
    // How shards and heaps are used changes nothing of the answer: all values are counted.
    for name in [
        "shard_size",
        "shard_min_doc_count",
        "collect_mode",
        "show_term_doc_count_error",
    ] {
        members.take(name);
    }
    Ok(Spec::Terms(
        source,
        TermsSpec {
            size: size as usize,
            least: least as u64,
            orders,
            include,
            exclude,
            is_mapped,
        },
    ))
}
