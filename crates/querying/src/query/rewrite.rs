//! What terms stand for a pattern, and what they are worth: `rewrite` and `fuzzy_rewrite`.

use super::limits::TERMS_MAX;
use mapping::error::{ErrorKind, Result, SearchError};

/// The terms that by default stand for a fuzzy word, or for the beginning of one at the end of a phrase.
pub const EXPANSIONS: usize = 50;

/// Which terms stand for a pattern, and what they are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rewrite {
    /// As is usual for the kind of the pattern.
    #[default]
    Usual,
    /// All of them, each as much as any other.
    Constant,
    /// All of them, as if they had been asked for.
    Each,
    /// The best ones, weighed so.
    Best(usize, Weigh),
}

/// How the terms that stand for a pattern are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weigh {
    /// Each by how rare it is.
    Each,
    /// All by how rare the most frequent one is.
    Blended,
    /// By how near they are to what was asked for, and nothing else.
    Nearness,
}

impl Rewrite {
    pub(super) fn parse(text: Option<&str>) -> Result<Rewrite> {
        let Some(text) = text else {
            return Ok(Rewrite::Usual);
        };
        let invalid = || {
            let reason = format!("failed to create query: Failed to parse rewrite_method [{text}]");
            SearchError::new(ErrorKind::QueryShard, reason)
        };
        match text {
            "constant_score" | "constant_score_boolean" => return Ok(Rewrite::Constant),
            "scoring_boolean" => return Ok(Rewrite::Each),
            _ => {}
        }
        let (name, count) = text.rsplit_once('_').ok_or_else(invalid)?;
        let weigh = match name {
            "top_terms" => Weigh::Each,
            "top_terms_blended_freqs" => Weigh::Blended,
            "top_terms_boost" => Weigh::Nearness,
            _ => return Err(invalid()),
        };
        let count: usize = count.parse().map_err(|_| invalid())?;
        match count {
            0 => Err(invalid()),
            count => Ok(Rewrite::Best(count.min(TERMS_MAX), weigh)),
        }
    }
}
