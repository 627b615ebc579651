//! Paths to the numbers of aggregations: `filter>stats.avg`, `terms['a']>sum`.

use mapping::error::{ErrorKind, Result, SearchError};

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// As the path has it.
    pub(super) full: String,
    pub(super) name: String,
    /// What is asked of it: one of its numbers, or the key of one of its buckets.
    pub(super) key: Option<String>,
}

/// Reads a path; `None` where it has no steps.
pub(super) fn parse(path: &str) -> Result<Option<Vec<Step>>> {
    let parts: Vec<&str> = path.split('>').filter(|part| !part.is_empty()).collect();
    let mut steps = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        let is_last = at + 1 == parts.len();
        let invalid = || {
            let reason = format!("Invalid path element [{part}] in path [{path}]");
            SearchError::new(ErrorKind::Aggregation, reason)
        };
        let (name, key) = match (part.rfind('['), part.rfind('.').filter(|_| is_last)) {
            (Some(open), _) => {
                let key = part[open + 1..].strip_suffix(']').filter(|key| !key.is_empty());
                (&part[..open], Some(key.ok_or_else(invalid)?))
            }
            (None, Some(point)) => (&part[..point], Some(&part[point + 1..])),
            (None, None) => (*part, None),
        };
        if name.is_empty() || key == Some("") {
            return Err(invalid());
        }
        steps.push(Step {
            full: (*part).to_owned(),
            name: name.to_owned(),
            key: key.map(str::to_owned),
        });
    }
    Ok((!steps.is_empty()).then_some(steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_a_key_behind_its_last_point_or_in_brackets() {
        let read = |path: &str| {
            let steps = parse(path).expect("a path").unwrap_or_default();
            let named = steps
                .into_iter()
                .map(|step| (step.name, step.key.unwrap_or_default()));
            named.collect::<Vec<_>>()
        };
        let own = |name: &str, key: &str| (name.to_owned(), key.to_owned());
        assert_eq!(read("a>b.avg"), [own("a", ""), own("b", "avg")]);
        assert_eq!(read("p.99.5"), [own("p.99", "5")]);
        assert_eq!(read("t['x']>s"), [own("t", "'x'"), own("s", "")]);
        assert_eq!(read("a.b>c>"), [own("a.b", ""), own("c", "")]);
        assert_eq!(read(">"), []);
        assert!(parse("t['x'].s").is_err());
        assert!(parse("a.").is_err());
    }
}
