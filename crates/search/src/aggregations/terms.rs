//! A bucket for each value.

use super::buckets::{Bucket, Key, sort};
use super::ordering::BucketOrder;
use super::values::Source;
use super::wanted::{Wanted, is_wanted};
use super::{Aggregations, Finish};
use mapping::Mapping;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::Term;
use mapping::value_format::ValueType;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What is asked of terms.
#[derive(Clone, Debug)]
pub(super) struct TermsSpec {
    pub(super) size: usize,
    pub(super) least: u64,
    pub(super) orders: Vec<BucketOrder>,
    pub(super) include: Option<Wanted>,
    pub(super) exclude: Option<Wanted>,
    /// Whether the client says that terms are to be counted by themselves, not by a column.
    pub(super) is_mapped: bool,
    /// Whether each bucket says by how much its count may be wrong, which is nothing.
    pub(super) shows_error: bool,
    /// The documents that a bucket may have where only rare terms are wanted.
    pub(super) most: Option<u64>,
}

impl TermsSpec {
    /// Reads the terms that are wanted as the field has them; refuses patterns of what is no text.
    pub(super) fn resolve(
        &mut self,
        name: &str,
        source: &Source,
        mappings: &[&Mapping],
        now_ms: i64,
    ) -> Result<()> {
        let field = mappings.iter().find_map(|mapping| mapping.field(&source.field));
        let Some(kind) = field
            .and_then(|field| ValueType::of(&field))
            .filter(|kind| *kind != ValueType::Text)
        else {
            return Ok(());
        };
        for wanted in [&mut self.include, &mut self.exclude].into_iter().flatten() {
            match wanted {
                Wanted::Pattern(_) => return Err(no_patterns(name, kind, self.most.is_some())),
                Wanted::Values(texts) => {
                    let read =
                        |text: &String| source.read(kind, &Value::from(text.as_str()), now_ms).map(Key);
                    *wanted = Wanted::Terms(texts.iter().map(read).collect::<Result<_>>()?);
                }
                Wanted::Terms(_) | Wanted::Part(..) => {}
            }
        }
        Ok(())
    }

    pub(super) fn includes(&self, term: &Term) -> bool {
        is_wanted(self.include.as_ref(), self.exclude.as_ref(), term)
    }
}

fn no_patterns(name: &str, kind: ValueType, is_rare: bool) -> SearchError {
    let values = match kind {
        ValueType::Ip => "values for include/exclude clauses",
        _ => "numeric values for include/exclude clauses used to filter numeric fields",
    };
    let reason = format!(
        "Aggregation [{name}] cannot support regular expression style include/exclude settings as they can only be applied to string \
         fields. Use an array of {values}"
    );
    match is_rare {
        true => SearchError::illegal(reason),
        false => SearchError::new(ErrorKind::Aggregation, reason),
    }
}

pub(super) fn finish(
    by_key: BTreeMap<Key, Bucket>,
    source: &Source,
    spec: &TermsSpec,
    inner: &Aggregations,
    finish: &Finish<'_>,
    out: &mut Map<String, Value>,
) -> Result<&'static str> {
    if let Some(most) = spec.most {
        return finish_rare(by_key, source, most, inner, finish, out);
    }
    let kind = match source.prefix() {
        's' => "sterms",
        'd' => "dterms",
        _ => "lterms",
    };
    let mut by_key = by_key;
    if spec.least == 0 {
        add_empty(&mut by_key, source, spec, inner, finish)?;
    }
    let mut buckets: Vec<(Key, Bucket)> = by_key
        .into_iter()
        .filter(|(_, bucket)| bucket.count >= spec.least)
        .collect();
    sort(&mut buckets, &spec.orders, inner);
    let others: u64 = buckets
        .iter()
        .skip(spec.size)
        .map(|(_, bucket)| bucket.count)
        .sum();
    buckets.truncate(spec.size);
    let mut listed = Vec::with_capacity(buckets.len());
    for (key, bucket) in buckets {
        let mut one = Map::new();
        source.put_key(&key.0, &mut one);
        bucket.put(inner, finish, &mut one)?;
        if spec.shows_error {
            one.insert("doc_count_error_upper_bound".to_owned(), json!(0));
        }
        listed.push(Value::Object(one));
    }
    out.insert("doc_count_error_upper_bound".to_owned(), json!(0));
    out.insert("sum_other_doc_count".to_owned(), json!(others));
    out.insert("buckets".to_owned(), Value::Array(listed));
    Ok(kind)
}

/// The buckets of few documents, the rarest first.
fn finish_rare(
    by_key: BTreeMap<Key, Bucket>,
    source: &Source,
    most: u64,
    inner: &Aggregations,
    finish: &Finish<'_>,
    out: &mut Map<String, Value>,
) -> Result<&'static str> {
    let kind = if source.prefix() == 's' {
        "srareterms"
    } else {
        "lrareterms"
    };
    let rare = by_key.into_iter().filter(|(_, bucket)| bucket.count <= most);
    let mut buckets: Vec<(Key, Bucket)> = rare.collect();
    buckets.sort_by_key(|(_, bucket)| bucket.count);
    let mut listed = Vec::with_capacity(buckets.len());
    for (key, bucket) in buckets {
        let mut one = Map::new();
        source.put_key(&key.0, &mut one);
        bucket.put(inner, finish, &mut one)?;
        listed.push(Value::Object(one));
    }
    out.insert("buckets".to_owned(), Value::Array(listed));
    Ok(kind)
}

/// Adds a bucket for each value that no document has that was found.
fn add_empty(
    by_key: &mut BTreeMap<Key, Bucket>,
    source: &Source,
    spec: &TermsSpec,
    inner: &Aggregations,
    finish: &Finish<'_>,
) -> Result<()> {
    let Some(counts) = finish.background.of(source, None) else {
        return Ok(());
    };
    for key in counts
        .keys()
        .filter(|key| is_wanted(spec.include.as_ref(), spec.exclude.as_ref(), &key.0))
    {
        if !by_key.contains_key(key) {
            let bucket = Bucket::new(inner);
            finish.held.add(key.bytes() + bucket.bytes())?;
            by_key.insert(key.clone(), bucket);
        }
    }
    Ok(())
}
