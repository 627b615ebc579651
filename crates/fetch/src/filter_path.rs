//! `filter_path`: which parts of an answer a client wants, `*` being any one name and `**` any number of them.

use mapping::fields::simple_match;
use serde_json::{Map, Value};

/// The parts of an answer that the filters name, without those with a `-` in front.
pub fn filtered(body: Value, filter: &str) -> Value {
    let paths = |excluding: bool| -> Vec<Vec<&str>> {
        let all = filter.split(',').map(str::trim).filter(|path| !path.is_empty());
        let wanted = all.filter(|path| path.starts_with('-') == excluding);
        wanted
            .map(|path| path.trim_start_matches('-').split('.').collect())
            .collect()
    };
    let (includes, excludes) = (paths(false), paths(true));
    let mut body = body;
    if !includes.is_empty() {
        let views: Vec<&[&str]> = includes.iter().map(Vec::as_slice).collect();
        body = kept(body, &views).unwrap_or_else(|| Value::Object(Map::new()));
    }
    if !excludes.is_empty() {
        let views: Vec<&[&str]> = excludes.iter().map(Vec::as_slice).collect();
        body = without(body, &views).unwrap_or_else(|| Value::Object(Map::new()));
    }
    body
}

/// Whether filters may leave anything of a member of the answer.
pub fn shows(filter: &str, name: &str) -> bool {
    let all = filter.split(',').map(str::trim).filter(|path| !path.is_empty());
    let mut includes = all.filter(|path| !path.starts_with('-')).peekable();
    let may_be = |path: &str| {
        let first = path.split('.').next().unwrap_or_default();
        first == "**" || simple_match(first, name)
    };
    includes.peek().is_none() || includes.any(may_be)
}

/// The rest of each path after the member `name`; `None` if one of the paths ends at it.
fn after_member<'p>(paths: &[&'p [&'p str]], name: &str) -> Option<Vec<&'p [&'p str]>> {
    let mut left = Vec::new();
    for path in paths {
        match path.split_first() {
            Some((&"**", rest)) => {
                left.push(*path);
                match rest.split_first() {
                    None => return None,
                    Some((first, rest)) if simple_match(first, name) => {
                        if rest.is_empty() {
                            return None;
                        }
                        left.push(rest);
                    }
                    Some(_) => {}
                }
            }
            Some((first, rest)) if simple_match(first, name) => {
                if rest.is_empty() {
                    return None;
                }
                left.push(rest);
            }
            _ => {}
        }
    }
    // `**` keeps a path and begins what is after it: without this, each level would double them.
    left.sort_unstable();
    left.dedup();
    Some(left)
}

fn kept(value: Value, paths: &[&[&str]]) -> Option<Value> {
    match value {
        Value::Object(object) => {
            let mut out = Map::new();
            for (name, value) in object {
                match after_member(paths, &name) {
                    None => drop(out.insert(name, value)),
                    Some(left) if left.is_empty() => {}
                    Some(left) => {
                        if let Some(value) = kept(value, &left) {
                            out.insert(name, value);
                        }
                    }
                }
            }
            (!out.is_empty()).then_some(Value::Object(out))
        }
        Value::Array(list) => {
            let list: Vec<Value> = list.into_iter().filter_map(|value| kept(value, paths)).collect();
            (!list.is_empty()).then_some(Value::Array(list))
        }
        _ => None,
    }
}

fn without(value: Value, paths: &[&[&str]]) -> Option<Value> {
    match value {
        Value::Object(object) => {
            let was_empty = object.is_empty();
            let mut out = Map::new();
            for (name, value) in object {
                if let Some(left) = after_member(paths, &name)
                    && let Some(value) = without(value, &left)
                {
                    out.insert(name, value);
                }
            }
            (was_empty || !out.is_empty()).then_some(Value::Object(out))
        }
        Value::Array(list) => Some(Value::Array(
            list.into_iter()
                .filter_map(|value| without(value, paths))
                .collect(),
        )),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_keep_and_leave_out() {
        let body = json!({"took": 1, "hits": {"total": 2, "hits": [{"_id": "1", "_source": {"a": 1}}, {"_id": "2"}]}});
        assert_eq!(
            filtered(body.clone(), "took,hits.hits._id"),
            json!({"took": 1, "hits": {"hits": [{"_id": "1"}, {"_id": "2"}]}})
        );
        assert_eq!(
            filtered(body.clone(), "**._source"),
            json!({"hits": {"hits": [{"_source": {"a": 1}}]}})
        );
        assert_eq!(
            filtered(body.clone(), "-hits.h*"),
            json!({"took": 1, "hits": {"total": 2}})
        );
        assert_eq!(filtered(body, "nothing"), json!({}));
    }

    #[test]
    fn filters_of_many_stars_are_no_more_work_than_others() {
        let name = "a".repeat(60);
        let mut body = json!({&name: 1});
        let stars = format!("{}b", "*a".repeat(6));
        assert_eq!(filtered(body.clone(), &stars), json!({}));
        for _ in 0..60 {
            body = json!({&name: body});
        }
        let stars = format!("{}b", "**.".repeat(60));
        assert_eq!(filtered(body, &stars), json!({}));
    }
}
