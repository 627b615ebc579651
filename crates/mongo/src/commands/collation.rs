//! `collation` as an argument: only the simple one, which compares bytes, is there.

use crate::arguments::Arguments;
use crate::error::{CommandError, Result};

/// Refuses every collation but `{locale: "simple"}`.
pub(super) fn check(arguments: &Arguments<'_>) -> Result<()> {
    let Some(collation) = arguments.document("collation")? else {
        return Ok(());
    };
    if collation.is_empty() {
        return Ok(());
    }
    let inner = Arguments::of_document("collation", collation);
    let locale = inner.required_string("locale")?;
    inner.flag("caseLevel")?;
    inner.string("caseFirst")?;
    inner.integer("strength")?;
    inner.flag("numericOrdering")?;
    inner.string("alternate")?;
    inner.string("maxVariable")?;
    inner.flag("normalization")?;
    inner.flag("backwards")?;
    inner.string("version")?;
    inner.finish()?;
    match locale {
        "simple" => Ok(()),
        other => Err(CommandError::new(
            238,
            format!("collation with locale '{other}' is not supported yet: only {{locale: \"simple\"}} is"),
        )),
    }
}
