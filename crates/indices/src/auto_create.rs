//! Whether a write may make the index that it names: the setting `action.auto_create_index`.

use crate::error::{ElasticError, Result, kinds};
use http::StatusCode;
use search::simple_match;

/// The setting.
pub const SETTING: &str = "action.auto_create_index";

/// Refuses an index of this name where the setting does. It is true, false, or patterns with commas between them: the first that
/// fits decides, and forbids where a `-` stands before it.
pub fn check(setting: &str, name: &str) -> Result<()> {
    let refused = |why: &str| {
        let reason = format!("no such index [{name}] and [{SETTING}] {why}");
        Err(ElasticError::new(StatusCode::NOT_FOUND, kinds::NO_INDEX, reason).of_index(name))
    };
    match setting {
        "true" => return Ok(()),
        "false" => return refused("is [false]"),
        _ => {}
    }
    for part in setting.split(',').map(str::trim) {
        if let Some(forbidden) = part.strip_prefix('-') {
            if simple_match(forbidden, name) {
                return refused(&format!(
                    "contains [{part}] which forbids automatic creation of the index"
                ));
            }
        } else if simple_match(part.strip_prefix('+').unwrap_or(part), name) {
            return Ok(());
        }
    }
    refused(&format!("([{setting}]) doesn't match"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pattern_that_fits_decides() {
        let refused = |setting: &str, name: &str| check(setting, name).err().map(|error| error.reason);
        let patterns = "-logs-old*,+logs-*, metrics";
        for (setting, name) in [
            ("true", "a"),
            (patterns, "logs-new"),
            (patterns, "metrics"),
            ("*", "a"),
        ] {
            assert_eq!(refused(setting, name), None, "{setting} {name}");
        }
        for (setting, name, why) in [
            ("false", "a", "is [false]"),
            (
                patterns,
                "logs-old-1",
                "contains [-logs-old*] which forbids automatic creation of the index",
            ),
            ("a*", "b", "([a*]) doesn't match"),
        ] {
            let reason = format!("no such index [{name}] and [action.auto_create_index] {why}");
            assert_eq!(refused(setting, name), Some(reason));
        }
    }
}
