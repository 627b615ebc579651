//! What the settings of an index say of its shards, and what they may say.

use crate::error::{Result, SearchError};
use serde_json::{Map, Value};

/// A setting that is a number of shards, with the least and the most that it may be.
struct Setting {
    name: &'static str,
    least: u32,
    most: u32,
}

/// As many as Elasticsearch allows where its property `es.index.max_number_of_shards` says nothing.
const SHARDS: Setting = Setting {
    name: "number_of_shards",
    least: 1,
    most: 1024,
};
/// Copies have no node to be on, but each is a row of `_cat/shards`: enough to say that some are wanted.
const REPLICAS: Setting = Setting {
    name: "number_of_replicas",
    least: 0,
    most: 100,
};
/// The parts that shards are made of, which nothing is listed for: as many as Elasticsearch's whole numbers reach.
const ROUTING_SHARDS: Setting = Setting {
    name: "number_of_routing_shards",
    least: 1,
    most: i32::MAX as u32,
};

impl Setting {
    /// The number that is given; `None` where none is. One beyond the bounds, as an index may have kept it from a version that had
    /// none, is brought into them.
    fn bounded(&self, settings: &Map<String, Value>) -> Option<u32> {
        let number = match settings.get(self.name)? {
            Value::String(text) => text.parse::<u64>().ok()?,
            other => other.as_u64()?,
        };
        let number = u32::try_from(number).unwrap_or(self.most);
        Some(number.clamp(self.least, self.most))
    }

    /// Refuses what is no number, or one beyond the bounds.
    fn check(&self, settings: &Map<String, Value>) -> Result<()> {
        let text = match settings.get(self.name) {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let bound = match text.parse::<i64>() {
            Ok(number) if number < i64::from(self.least) => format!(" must be >= {}", self.least),
            Ok(number) if number > i64::from(self.most) => format!(" must be <= {}", self.most),
            Ok(_) => return Ok(()),
            Err(_) => String::new(),
        };
        Err(SearchError::illegal(format!(
            "Failed to parse value [{text}] for setting [index.{}]{bound}",
            self.name
        )))
    }
}

/// What the settings of an index say of its shards.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// How many there are.
    pub shards: u32,
    /// Copies of each, where somebody said so.
    pub replicas: Option<u32>,
    /// The parts that shards are made of, where somebody said so.
    pub routing_shards: Option<u32>,
}

impl Counts {
    /// What settings say; what they do not say is as it is usual.
    pub fn of(settings: &Map<String, Value>) -> Counts {
        Counts {
            shards: SHARDS.bounded(settings).unwrap_or(1),
            replicas: REPLICAS.bounded(settings),
            routing_shards: ROUTING_SHARDS.bounded(settings),
        }
    }

    /// Refuses settings that no index can have.
    pub fn check(settings: &Map<String, Value>) -> Result<()> {
        for setting in [SHARDS, REPLICAS, ROUTING_SHARDS] {
            setting.check(settings)?;
        }
        let Counts {
            shards,
            routing_shards,
            ..
        } = Counts::of(settings);
        match routing_shards {
            Some(parts) if parts < shards => Err(SearchError::illegal(format!(
                "index.number_of_routing_shards [{parts}] must be >= index.number_of_shards [{shards}]"
            ))),
            Some(parts) if !parts.is_multiple_of(shards) => Err(SearchError::illegal(format!(
                "the number of source shards [{shards}] must be a factor of [{parts}]"
            ))),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(of: Value) -> Map<String, Value> {
        of.as_object().cloned().expect("an object")
    }

    #[test]
    fn numbers_of_shards_have_bounds() {
        let refused = |given: Value| Counts::check(&settings(given)).err().map(|error| error.reason);
        for fine in [
            json!({}),
            json!({"number_of_shards": "1024", "number_of_replicas": "0"}),
            json!({"number_of_shards": null, "number_of_replicas": "100"}),
            json!({"number_of_shards": "3", "number_of_routing_shards": "6"}),
        ] {
            assert_eq!(refused(fine.clone()), None, "{fine}");
        }
        for (name, value, why) in [
            (
                "shards",
                json!("0"),
                "[0] for setting [index.number_of_shards] must be >= 1",
            ),
            (
                "shards",
                json!("1000000000000"),
                "[1000000000000] for setting [index.number_of_shards] must be <= 1024",
            ),
            (
                "shards",
                json!("many"),
                "[many] for setting [index.number_of_shards]",
            ),
            (
                "shards",
                json!({"a": "1"}),
                "[{\"a\":\"1\"}] for setting [index.number_of_shards]",
            ),
            (
                "replicas",
                json!("-1"),
                "[-1] for setting [index.number_of_replicas] must be >= 0",
            ),
            (
                "replicas",
                json!("101"),
                "[101] for setting [index.number_of_replicas] must be <= 100",
            ),
        ] {
            let reason = refused(json!({format!("number_of_{name}"): value}));
            assert_eq!(reason, Some(format!("Failed to parse value {why}")));
        }
        for (parts, why) in [
            (
                "2",
                "index.number_of_routing_shards [2] must be >= index.number_of_shards [3]",
            ),
            ("8", "the number of source shards [3] must be a factor of [8]"),
        ] {
            let reason = refused(json!({"number_of_shards": "3", "number_of_routing_shards": parts}));
            assert_eq!(reason.as_deref(), Some(why));
        }
    }

    #[test]
    fn numbers_that_were_kept_before_they_had_bounds_are_brought_into_them() {
        let kept = json!({"number_of_shards": "18446744073709551615", "number_of_replicas": "1000000", "number_of_routing_shards": "0"});
        let counts = Counts::of(&settings(kept));
        assert_eq!((counts.shards, counts.replicas), (1024, Some(100)));
        assert_eq!(counts.routing_shards, Some(1));
        assert_eq!(Counts::of(&settings(json!({"number_of_shards": 0}))).shards, 1);
    }
}
