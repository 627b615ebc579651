//! What an index knows of all documents, counted before any is scored.

use super::layout::Layout;
use super::lookup::{flag, flagged, part};
use fulltext::{Mask, Part, Reader};
use querying::{Counted, Statistics};

/// Counts what is wanted of a field, but for the entries that are left out.
pub(crate) fn count_field(
    counted: &Counted,
    statistics: &mut Statistics,
    layout: &Layout,
    reader: &Reader,
    mask: &Mask,
) -> fulltext::Result<()> {
    let field = &counted.field;
    let Some(place) = layout.place(field) else {
        return Ok(());
    };
    let (part, name) = (part(field), field.name.as_str());
    let (documents, length) = match part {
        Part::Text => reader.lengths(place.key, mask)?,
        Part::Word => {
            let documents = reader.matching(&place.present(), mask, u64::MAX)?;
            // How long the texts are of what is nested, nobody knows.
            (documents, if field.nested.is_some() { 0 } else { documents })
        }
    };
    if documents == 0 {
        return Ok(());
    }
    statistics.add_field(name, documents, length);
    for term in &counted.terms {
        let having = match flag(field, term) {
            Some(flag) => reader.matching(&flagged(place.key, flag), mask, u64::MAX)?,
            None => reader.having(place.key, part, &place.term(term), mask)?,
        };
        if having > 0 {
            statistics.add_term(name, term, having);
        }
    }
    for expanding in &counted.expanding {
        place.expand(reader, part, &expanding.pattern, mask, &mut |term, documents| {
            if let Some(nearness) = expanding.pattern.nearness(term) {
                statistics.expand(name, expanding, term, nearness, documents);
            }
        })?;
    }
    Ok(())
}
