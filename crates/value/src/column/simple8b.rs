//! Blocks of eight bytes, each with as many whole numbers as fit: the lowest four bits say how wide they are.
//!
//! Two of the widths leave four bits, which may say that numbers come with a count of the zeros that end them; a number
//! of ones alone stands for a missing value. One selector repeats the number before.

use super::ColumnError;

/// The bytes of a block.
pub(super) const BLOCK_BYTES: usize = 8;

/// The bits of a number, by selector.
const WIDTHS: [u32; 15] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60];
/// The bits of a number under selector 7, where single zeros are counted, by extension.
const WIDTHS_WITH_ZEROS: [u32; 9] = [2, 3, 4, 5, 7, 10, 14, 24, 52];
/// The same under selector 8, where zeros are counted by fours: the first seven count to 15, the others to 31.
const WIDTHS_WITH_NIBBLES: [u32; 13] = [4, 5, 7, 10, 14, 24, 52, 4, 6, 9, 13, 23, 51];
/// How many of the widths with nibbles have a count of four bits: the first ones.
const SHORT_COUNTS: usize = 7;

const REPEAT: u64 = 15;
/// A repetition is of a multiple of this.
const REPEATED_AT_ONCE: u32 = 120;

/// The numbers of a row of blocks, as far as they are read.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    blocks: Vec<u8>,
    at: usize,
    /// The last number, which a repetition repeats.
    previous: Option<u128>,
    repeated: u32,
    block: u64,
    layout: Layout,
    /// Where in the block the next number begins; past its end if there are no more.
    shift: u32,
}

/// How the numbers of a block lie.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    /// Selector and extension.
    head_bits: u32,
    /// A number without its count.
    value_bits: u32,
    /// The count of zeros.
    count_bits: u32,
    /// The zeros that one of the count stands for.
    zeros: u32,
}

impl Numbers {
    /// After a literal: nothing yet, and zero before it.
    pub(super) fn none() -> Numbers {
        Numbers {
            previous: Some(0),
            shift: u64::BITS,
            ..Numbers::default()
        }
    }

    /// Goes on with these blocks.
    pub(super) fn begin(&mut self, blocks: &[u8]) {
        blocks.clone_into(&mut self.blocks);
        self.at = 0;
        self.repeated = 0;
        self.shift = u64::BITS;
    }

    /// The next number; the inner `None` is a missing value, the outer one the end of the blocks.
    pub(super) fn advance(&mut self) -> Result<Option<Option<u128>>, ColumnError> {
        if self.repeated > 0 {
            self.repeated -= 1;
            return Ok(Some(self.previous));
        }
        let width = self.layout.value_bits + self.layout.count_bits;
        if width == 0 || self.shift + width > u64::BITS {
            return self.advance_block();
        }
        let ones = u64::MAX >> (u64::BITS - width);
        let field = (self.block >> self.shift) & ones;
        self.shift += width;
        let layout = self.layout;
        self.previous = (field != ones).then(|| {
            let count = field & ((1 << layout.count_bits) - 1);
            u128::from(field >> layout.count_bits) << (count as u32 * layout.zeros)
        });
        Ok(Some(self.previous))
    }

    fn advance_block(&mut self) -> Result<Option<Option<u128>>, ColumnError> {
        let Some(block) = self.blocks.get(self.at..).and_then(<[u8]>::first_chunk) else {
            return Ok(None);
        };
        self.at += BLOCK_BYTES;
        self.block = u64::from_le_bytes(*block);
        let (selector, extension) = (self.block & 0xF, (self.block >> 4) & 0xF);
        if selector == REPEAT {
            self.repeated = (extension as u32 + 1) * REPEATED_AT_ONCE;
            self.shift = u64::BITS;
        } else {
            self.layout = Layout::of(selector as usize, extension as usize)?;
            self.shift = self.layout.head_bits;
        }
        self.advance()
    }
}

impl Layout {
    fn of(selector: usize, extension: usize) -> Result<Layout, ColumnError> {
        let layout = |head_bits, value_bits, count_bits, zeros| Layout {
            head_bits,
            value_bits,
            count_bits,
            zeros,
        };
        let known = match (selector, extension.checked_sub(1)) {
            (7, Some(at)) => WIDTHS_WITH_ZEROS.get(at).map(|bits| layout(8, *bits, 4, 1)),
            (8, Some(at)) => {
                let count_bits = if at < SHORT_COUNTS { 4 } else { 5 };
                let width = WIDTHS_WITH_NIBBLES.get(at);
                width.map(|bits| layout(8, *bits, count_bits, 4))
            }
            (7 | 8, None) => Some(layout(8, WIDTHS[selector], 0, 0)),
            (1..=14, _) => Some(layout(4, WIDTHS[selector], 0, 0)),
            _ => None,
        };
        known.ok_or(ColumnError::Damaged("an unknown selector"))
    }
}
