//! The settings that concern attachments.

use access::config::Config;

/// What CouchDB compresses by default (`src/couch/src/couch_util.erl`, `compressible_att_type`).
const COMPRESSIBLE_TYPES: &str = "text/*, application/javascript, application/json, application/xml";
/// CouchDB's default of `[attachments] compression_level`.
const COMPRESSION_LEVEL: u32 = 8;
/// CouchDB's default of `[couchdb] max_attachment_size`, in bytes.
const BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// How attachments are stored.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// 1 to 9; `None` if nothing is compressed.
    level: Option<u32>,
    compressible: String,
    /// The bytes of one attachment at most, as it is sent.
    pub(super) bytes_max: u64,
}

impl Settings {
    /// The present ones.
    pub(crate) fn of(config: &Config) -> Settings {
        let level = config.get("attachments", "compression_level");
        let level = level.map_or(Some(COMPRESSION_LEVEL), |text| text.trim().parse().ok());
        let bytes_max = match config.get("couchdb", "max_attachment_size").as_deref() {
            Some("infinity") => u64::MAX,
            text => text.and_then(|text| text.parse().ok()).unwrap_or(BYTES_MAX),
        };
        Settings {
            level: level.filter(|level| (1..=9).contains(level)),
            compressible: config
                .get("attachments", "compressible_types")
                .unwrap_or_else(|| COMPRESSIBLE_TYPES.to_owned()),
            bytes_max,
        }
    }

    /// The level at which attachments of a media type are compressed; `None` if they are not.
    pub(super) fn level(&self, content_type: &str) -> Option<u32> {
        let kind = content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let mut patterns = self.compressible.split(',').map(str::trim);
        let is_compressible = patterns.any(|pattern| {
            let pattern = pattern.to_ascii_lowercase();
            match pattern.split_once('*') {
                Some((start, end)) => kind.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
                None => !pattern.is_empty() && pattern == kind,
            }
        });
        self.level.filter(|_| is_compressible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_compressible_whatever_their_parameters() {
        let settings = Settings {
            level: Some(8),
            compressible: COMPRESSIBLE_TYPES.to_owned(),
            bytes_max: BYTES_MAX,
        };
        for compressible in ["text/plain", "Text/HTML; charset=utf-8", "application/json"] {
            assert_eq!(settings.level(compressible), Some(8), "{compressible}");
        }
        for other in ["image/png", "application/json-seq", "", "x-text/plain"] {
            assert_eq!(settings.level(other), None, "{other}");
        }
    }
}
