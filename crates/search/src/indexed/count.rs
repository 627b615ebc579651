//! What an index knows of all documents, counted before any is scored.

use super::layout::Layout;
use super::lookup::{flag, flagged, part};
use super::place::FieldPlace;
use fulltext::{Lookup, Mask, Part, Reader};
use mapping::{Field, FieldKind};
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
            // What has any key of an object has the field that the keys share.
            let whole = layout.key(&field.path).filter(|_| field.is_keyed());
            let present = whole.map_or_else(|| place.present(), Lookup::Present);
            let documents = reader.matching(&present, mask, u64::MAX)?;
            let words = match documents {
                0 => 0,
                _ => words(field, &place, documents, reader, mask)?,
            };
            (documents, words)
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

/// How many values a field has in all entries, of which `having` have it; of the same values in one entry, one counts.
fn words(
    field: &Field,
    place: &FieldPlace,
    having: u64,
    reader: &Reader,
    mask: &Mask,
) -> fulltext::Result<u64> {
    // How many what is nested has, nobody knows.
    if field.nested.is_some() {
        return Ok(0);
    }
    if field.kind == FieldKind::Boolean {
        let said = |flag| reader.matching(&flagged(place.key, flag), mask, u64::MAX);
        return Ok(said(true)? + said(false)?);
    }
    if field.is_keyed() {
        return FieldPlace::new(place.key, String::new()).words(reader, mask);
    }
    if field.doc_values {
        return Ok(having + reader.others(place.key, mask)?);
    }
    let (counted, words) = reader.lengths(place.key, mask)?;
    Ok(having.saturating_sub(counted) + words)
}
