//! The cells of the sphere: the faces of a cube around it, divided.

use super::Range;
use super::cover::Cell;
use crate::sphere::vector::{Vector, angle, unit};

/// How often a face is divided: the smallest cells are about a centimetre wide on the earth.
const LEVELS: u8 = 30;

/// A cell of the sphere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CubeCell {
    face: u8,
    level: u8,
    /// Its place on the face, in cells of its level.
    i: u32,
    j: u32,
}

impl CubeCell {
    /// The whole sphere.
    pub(super) fn roots() -> impl Iterator<Item = CubeCell> {
        (0..6).map(|face| CubeCell {
            face,
            level: 0,
            i: 0,
            j: 0,
        })
    }

    /// The smallest cell at a point.
    pub(super) fn at(point: Vector) -> CubeCell {
        let axis = (0..3)
            .max_by(|a, b| point[*a].abs().total_cmp(&point[*b].abs()))
            .unwrap_or(0);
        let scale = point[axis].abs();
        let place = |offset: usize| {
            let part = to_unit(point[(axis + offset) % 3] / scale);
            let cells = f64::from(1u32 << LEVELS);
            (part * cells).clamp(0.0, cells - 1.0) as u32
        };
        CubeCell {
            face: axis as u8 + if point[axis] < 0.0 { 3 } else { 0 },
            level: LEVELS,
            i: place(1),
            j: place(2),
        }
    }

    /// A circle around it: centre and radius.
    pub(super) fn circle(self) -> (Vector, f64) {
        let (i, j) = (f64::from(self.i), f64::from(self.j));
        let centre = self.point(i + 0.5, j + 0.5);
        // A cell is convex, so its farthest points are its corners.
        let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
        let radius = corners
            .iter()
            .map(|(right, up)| angle(centre, self.point(i + right, j + up)))
            .fold(0.0, f64::max);
        (centre, radius)
    }

    /// The number of this very cell.
    pub(super) fn number(self) -> i64 {
        (self.first() | self.last_bit()) as i64
    }

    /// The numbers of it and all cells in it.
    pub(super) fn range(self) -> Range {
        let middle = self.first() | self.last_bit();
        let reach = self.last_bit() - 1;
        ((middle - reach) as i64, (middle + reach) as i64)
    }

    /// The cell that it is a part of; `None` of a whole face.
    pub(super) fn parent(self) -> Option<CubeCell> {
        Some(CubeCell {
            level: self.level.checked_sub(1)?,
            i: self.i >> 1,
            j: self.j >> 1,
            ..self
        })
    }

    /// A lone bit whose place tells the level: so a cell's number lies in the middle of those in it.
    fn last_bit(self) -> u64 {
        1 << (2 * (LEVELS - self.level))
    }

    fn first(self) -> u64 {
        let place = interleave(self.i, self.j) << (2 * (LEVELS - self.level) + 1);
        u64::from(self.face) << 61 | place
    }

    /// The point at a place on the face, in cells of this level.
    fn point(self, i: f64, j: f64) -> Vector {
        let cells = f64::from(1u32 << self.level);
        let axis = usize::from(self.face % 3);
        let mut point = [0.0; 3];
        point[axis] = if self.face < 3 { 1.0 } else { -1.0 };
        point[(axis + 1) % 3] = from_unit(i / cells);
        point[(axis + 2) % 3] = from_unit(j / cells);
        unit(point)
    }
}

impl Cell for CubeCell {
    fn children(self) -> Option<[CubeCell; 4]> {
        if self.level == LEVELS {
            return None;
        }
        let child = |right: u32, up: u32| CubeCell {
            level: self.level + 1,
            i: self.i << 1 | right,
            j: self.j << 1 | up,
            ..self
        };
        Some([child(0, 0), child(0, 1), child(1, 0), child(1, 1)])
    }
}

/// From 0..1 to -1..1 on the face, so that cells seen from the middle differ little in size.
fn from_unit(part: f64) -> f64 {
    if part >= 0.5 {
        (4.0 * part * part - 1.0) / 3.0
    } else {
        (1.0 - 4.0 * (1.0 - part) * (1.0 - part)) / 3.0
    }
}

fn to_unit(place: f64) -> f64 {
    if place >= 0.0 {
        0.5 * (1.0 + 3.0 * place).sqrt()
    } else {
        1.0 - 0.5 * (1.0 - 3.0 * place).sqrt()
    }
}

/// The bits of two numbers in turns.
pub(super) fn interleave(i: u32, j: u32) -> u64 {
    spread(i) << 1 | spread(j)
}

fn spread(number: u32) -> u64 {
    let mut bits = u64::from(number);
    for (shift, mask) in [
        (16, 0x0000_FFFF_0000_FFFF),
        (8, 0x00FF_00FF_00FF_00FF),
        (4, 0x0F0F_0F0F_0F0F_0F0F),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}
