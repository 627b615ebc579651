//! Finding where a value's key ends, without decoding it.

use super::reader::Reader;
use super::{number, tag};

/// Moves the reader past one value; `None` if the bytes are not a key, or nest deeper than `depth_left`.
pub(super) fn value(reader: &mut Reader<'_>, depth_left: usize) -> Option<()> {
    let depth_left = depth_left.checked_sub(1)?;
    match reader.byte()? {
        tag::MIN_KEY | tag::UNDEFINED | tag::NULL | tag::FALSE | tag::TRUE | tag::MAX_KEY => Some(()),
        tag::STRING | tag::JAVASCRIPT => reader.skip_text(),
        tag::DOCUMENT => fields(reader, depth_left),
        tag::ARRAY => {
            while reader.peek()? != tag::END {
                value(reader, depth_left)?;
            }
            reader.skip(1)
        }
        tag::BINARY => {
            let length = reader.length()?;
            let inner = if reader.byte()? == 2 {
                length.checked_sub(4)?
            } else {
                length
            };
            reader.skip(inner)
        }
        tag::OBJECT_ID => reader.skip(12),
        tag::DATE_TIME | tag::TIMESTAMP => reader.skip(8),
        tag::REGEX => reader.skip_text().and_then(|()| reader.skip_text()),
        tag::DB_POINTER => {
            let length = reader.length()?;
            reader.skip(length.checked_add(12)?)
        }
        tag::JAVASCRIPT_WITH_SCOPE => {
            reader.skip_text()?;
            fields(reader, depth_left)
        }
        first if tag::POSITIVE_MIDDLE.contains(&first) => {
            // Whole numbers, which most are, end here: the last bit says whether a fraction follows.
            let size = usize::from(first + 1 - tag::POSITIVE_MIDDLE.start());
            match reader.last_bit(size)? {
                false => reader.skip(size),
                true => number::read(first, reader).map(|_| ()),
            }
        }
        first => number::read(first, reader).map(|_| ()),
    }
}

fn fields(reader: &mut Reader<'_>, depth_left: usize) -> Option<()> {
    while reader.byte()? != tag::END {
        reader.skip_text()?;
        value(reader, depth_left)?;
    }
    Some(())
}
