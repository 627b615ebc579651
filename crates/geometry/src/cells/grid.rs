//! The cells of a plane: a square, divided.

use super::Range;
use super::cover::Cell;
use super::cube::interleave;

/// What part of a plane an index holds, and how finely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The least coordinate.
    pub min: f64,
    /// The greatest coordinate.
    pub max: f64,
    /// How often the square is divided: the bits that are kept of each coordinate.
    pub bits: u8,
}

/// A cell of a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridCell {
    pub(super) grid: Grid,
    level: u8,
    i: u32,
    j: u32,
}

impl GridCell {
    /// All of a grid.
    pub(super) fn root(grid: Grid) -> GridCell {
        GridCell {
            grid,
            level: 0,
            i: 0,
            j: 0,
        }
    }

    /// The smallest cell at a point.
    pub(super) fn at(grid: Grid, [x, y]: [f64; 2]) -> GridCell {
        let cells = f64::from(grid.bits).exp2();
        let place = |coordinate: f64| {
            let part = (coordinate - grid.min) / (grid.max - grid.min);
            (part * cells).clamp(0.0, cells - 1.0) as u32
        };
        GridCell {
            grid,
            level: grid.bits,
            i: place(x),
            j: place(y),
        }
    }

    /// The numbers of the smallest cells in it.
    pub(super) fn range(self) -> Range {
        let deeper = 2 * u32::from(self.grid.bits - self.level);
        let first = interleave(self.i, self.j).checked_shl(deeper).unwrap_or(0);
        let count = 1u64.checked_shl(deeper).unwrap_or(0);
        (ordered(first), ordered(first.wrapping_add(count).wrapping_sub(1)))
    }

    /// Its lower left and upper right corners, with a little around it that rounding may have moved.
    pub(super) fn corners(self) -> ([f64; 2], [f64; 2]) {
        let size = self.grid.max - self.grid.min;
        let step = size / f64::from(self.level).exp2();
        let rounding = (size + self.grid.min.abs().max(self.grid.max.abs())) * 1e-14;
        let low = |place: u32| self.grid.min + f64::from(place) * step - rounding;
        let high = |place: u32| self.grid.min + (f64::from(place) + 1.0) * step + rounding;
        ([low(self.i), low(self.j)], [high(self.i), high(self.j)])
    }
}

/// Numbers of 64 bits in the order of signed ones.
fn ordered(number: u64) -> i64 {
    (number ^ 1 << 63) as i64
}

impl Cell for GridCell {
    fn children(self) -> Option<[GridCell; 4]> {
        if self.level == self.grid.bits {
            return None;
        }
        let child = |right: u32, up: u32| GridCell {
            level: self.level + 1,
            i: self.i << 1 | right,
            j: self.j << 1 | up,
            ..self
        };
        Some([child(0, 0), child(0, 1), child(1, 0), child(1, 1)])
    }
}
