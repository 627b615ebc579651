//! What is asked of an index of Clouseau's kind: the arguments of `_search`.

use super::arguments::{Arguments, direction};
use access::config::Config;
use access::error::{CouchError, Result};
use clouseau::{Distance, FieldRanges, Grouping, HITS_MAX, Highlights, SortBy, TextSearch};
use serde_json::{Value as Json, json};

/// Hits by default, and at most, where the settings do not say; of partitioned databases both are more.
const LIMIT_DEFAULT: i64 = 25;
const LIMIT_MAX: i64 = 200;
const LIMIT_OF_PARTITIONS: i64 = 2_000;
/// Values of a field that are counted.
const COUNTS_MAX: usize = 1_000;
/// Groups by default, and at most where the settings do not say.
const GROUPS_DEFAULT: i64 = 10;
const GROUPS_MAX: i64 = 200;

/// The order of clients that name none.
const BY_RELEVANCE: &str = "-<score>";

/// Reads the arguments of a search.
pub(super) fn asked(arguments: &Arguments, config: &Config, is_partitioned: bool) -> Result<TextSearch> {
    let query = arguments.text("q")?.or(arguments.text("query")?);
    let query =
        query.ok_or_else(|| CouchError::query_parse("Query must include a 'q' or 'query' argument"))?;
    let is_of_all = ["counts", "ranges", "drilldown", "group_"]
        .iter()
        .any(|name| arguments.first(name).is_some());
    if is_of_all && arguments.partition.is_some() {
        return Err(CouchError::bad_request(
            "`partition` and any of `drilldown`, `ranges`, `group_field`, `group_sort`, `group_limit` or `group_by` are incompatible",
        ));
    }
    Ok(TextSearch {
        query: query.to_owned(),
        partition: arguments.partition.clone(),
        limit: limit(arguments, config, is_partitioned)?,
        sort: sort(arguments, "sort")?,
        by_greatest: true,
        after: arguments.bookmark()?,
        counts: arguments.texts("counts")?,
        counts_max: COUNTS_MAX,
        ranges: arguments
            .json("ranges")?
            .map(|ranges| ranges_of(&ranges))
            .transpose()?,
        drilldown: drilldown(arguments)?,
        grouping: grouping(arguments, config)?,
        highlights: highlights(arguments)?,
    })
}

fn limit(arguments: &Arguments, config: &Config, is_partitioned: bool) -> Result<usize> {
    let set = |name: &str, default: i64| config.number("dreyfus", name).unwrap_or(default);
    let (default, max) = match is_partitioned {
        true => {
            let max = set("max_limit", LIMIT_OF_PARTITIONS);
            let default = set("limit_partitions", LIMIT_OF_PARTITIONS);
            (default, set("max_limit_partitions", max))
        }
        false => (set("limit", LIMIT_DEFAULT), set("max_limit", LIMIT_MAX)),
    };
    let max = max.min(HITS_MAX as i64);
    let limit = arguments.number("limit")?.unwrap_or(default);
    if limit > max {
        return Err(too_large("limit", max));
    }
    usize::try_from(limit).map_err(|_| CouchError::query_parse("limit must be greater than or equal to zero"))
}

fn too_large(name: &str, max: i64) -> CouchError {
    CouchError::query_parse(format!("Value for {name} is too large, must not exceed {max}"))
}

fn positive(arguments: &Arguments, name: &str, default: i64, max: i64) -> Result<usize> {
    let number = arguments.number(name)?.unwrap_or(default);
    if number > max {
        return Err(too_large(name, max));
    }
    usize::try_from(number)
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| CouchError::query_parse(format!("{name} must be greater than zero")))
}

/// `group_by` is an earlier name of `group_field`, whose answers have another form.
fn grouping(arguments: &Arguments, config: &Config) -> Result<Option<Grouping>> {
    let Some(field) = arguments.text("group_field")?.or(arguments.text("group_by")?) else {
        return Ok(None);
    };
    let max = config.number("dreyfus", "max_group_limit").unwrap_or(GROUPS_MAX);
    Ok(Some(Grouping {
        field: group_field(field)?,
        limit: positive(arguments, "group_limit", GROUPS_DEFAULT, max.min(HITS_MAX as i64))?,
        sort: sort(arguments, "group_sort")?,
    }))
}

fn group_field(text: &str) -> Result<String> {
    let name = text.strip_prefix(['-', '+']).unwrap_or(text);
    let unrecognized =
        |what: &str| CouchError::bad_request(format!("Unrecognized group_field {what}: {text}"));
    match typed(name).ok_or_else(|| unrecognized("parameter"))? {
        (name, None | Some("string")) => Ok(name.to_owned()),
        (_, Some("number")) => Err(CouchError::bad_request(
            "Group by number not supported. Group by string terms only.",
        )),
        _ => Err(unrecognized("value")),
    }
}

/// A field's name and its type, where one stands after it.
fn typed(text: &str) -> Option<(&str, Option<&str>)> {
    let (name, kind) = match text.split_once('<') {
        Some((name, kind)) => (name, Some(kind.strip_suffix('>')?)),
        None => (text, None),
    };
    (!name.is_empty()).then_some((name, kind))
}

fn highlights(arguments: &Arguments) -> Result<Option<Highlights>> {
    let Some(fields) = arguments.texts("highlight_fields")? else {
        return Ok(None);
    };
    let tag = |name: &str, default: &str| match arguments.json(name)? {
        None => Ok(default.to_owned()),
        Some(Json::String(tag)) => Ok(tag),
        Some(_) => Err(CouchError::query_parse(format!(
            "{name} parameter must be a string"
        ))),
    };
    Ok(Some(Highlights {
        fields,
        before: tag("highlight_pre_tag", "<em>")?,
        after: tag("highlight_post_tag", "</em>")?,
        number: positive(arguments, "highlight_number", 1, i64::MAX)?,
        size: match arguments.number("highlight_size")? {
            None => 0,
            Some(_) => positive(arguments, "highlight_size", 1, i64::MAX)?,
        },
    }))
}

/// What hits are sorted by: relevance if the request does not say, and ids after all else.
fn sort(arguments: &Arguments, name: &str) -> Result<Vec<SortBy>> {
    let named = match arguments.json(name)? {
        None => vec![BY_RELEVANCE.to_owned()],
        Some(Json::String(name)) => vec![name],
        Some(_) => arguments.texts(name)?.unwrap_or_default(),
    };
    let keys = named.iter().map(|name| sort_key(name));
    let mut keys: Vec<SortBy> = keys.collect::<Result<_>>()?;
    keys.push(SortBy::Id { descending: false });
    Ok(keys)
}

fn sort_key(text: &str) -> Result<SortBy> {
    let (descending, name) = direction(text);
    if name == "<score>" {
        return Ok(SortBy::Score { descending });
    }
    if name == "<doc>" {
        return Ok(SortBy::Place { descending });
    }
    if let Some(distance) = Distance::parse(name) {
        return Ok(SortBy::Distance { distance, descending });
    }
    match typed(name) {
        Some((name, None | Some("number" | "string"))) => Ok(SortBy::Field {
            name: name.to_owned(),
            descending,
        }),
        Some((_, Some(kind))) => Err(CouchError::bad_request(format!("Unrecognized type: {kind}"))),
        None => Err(CouchError::bad_request(format!(
            "Unrecognized sort parameter: {text}"
        ))),
    }
}

/// For each field the ranges by their labels, as queries in Lucene's syntax of that field.
fn ranges_of(ranges: &Json) -> Result<Vec<FieldRanges>> {
    let wrong = || CouchError::query_parse("ranges must be an object of objects of ranges such as [0 TO 10]");
    let of_field = |(name, ranges): (&String, &Json)| {
        let ranges = ranges
            .as_object()
            .ok_or_else(wrong)?
            .iter()
            .map(|(label, range)| {
                let range = range.as_str().ok_or_else(wrong)?;
                let query = json!({"query_string": {"query": format!("{}:{range}", escaped(name))}});
                Ok((label.clone(), query))
            });
        Ok((name.clone(), ranges.collect::<Result<_>>()?))
    };
    ranges
        .as_object()
        .ok_or_else(wrong)?
        .iter()
        .map(of_field)
        .collect()
}

/// A field's name as a query names it.
fn escaped(name: &str) -> String {
    let special = |c: &char| !c.is_alphanumeric() && !matches!(c, '_' | '.');
    let each = name
        .chars()
        .flat_map(|c| special(&c).then_some('\\').into_iter().chain([c]));
    each.collect()
}

/// Lists of a field's name and the values of which it has one.
fn drilldown(arguments: &Arguments) -> Result<Vec<(String, Vec<String>)>> {
    let mut found = Vec::new();
    if let Some(lists) = arguments.json("drilldown")? {
        add_drilldown(&lists, &mut found)?;
    }
    Ok(found)
}

fn add_drilldown(value: &Json, found: &mut Vec<(String, Vec<String>)>) -> Result<()> {
    let wrong = || CouchError::query_parse("drilldown must be a list of a field and its values");
    let list = value.as_array().ok_or_else(wrong)?;
    if list.iter().all(Json::is_array) {
        return list.iter().try_for_each(|one| add_drilldown(one, found));
    }
    let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
    let texts = texts.collect::<Option<Vec<String>>>().ok_or_else(wrong)?;
    let (name, values) = texts
        .split_first()
        .filter(|(_, values)| !values.is_empty())
        .ok_or_else(wrong)?;
    found.push((name.clone(), values.to_vec()));
    Ok(())
}
