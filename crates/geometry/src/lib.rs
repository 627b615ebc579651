//! Geometries on the sphere and on a plane.
//!
//! A value of a document is a place ([`Stored`]): a GeoJSON geometry ([`Geometry`], RFC 7946) or one of MongoDB's older
//! pairs of coordinates. A query names an [`Area`] (flat shapes, caps and geometries) or a centre to be [`Near`]. An index
//! keeps the cells ([`cells`]) that a geometry lies in, and a query reads the cells that its area touches.
//!
//! What must hold: what a predicate finds, the cells of its area find too. Cells are therefore judged by the circles
//! around them, with a margin that is larger than the tolerance of the predicates. Edges are the shorter great circles
//! between two positions; a polygon's border belongs to it.
//!
//! Left to others: operators (`language`), entries of indexes (`store`), plans (`query`).

mod area;
pub mod cells;
mod error;
mod geometry;
mod near;
mod parse;
mod plane;
mod sphere;
mod stored;

pub use area::Area;
pub use error::GeometryError;
pub use geometry::{Geometry, GeometryKind, Position};
pub use near::{Centre, Near};
pub use plane::Shape;
pub use sphere::{Cap, GoesOn};
pub use stored::{Stored, holds_nothing, planar_points};

/// The earth's radius as MongoDB has it, in metres.
pub const EARTH_RADIUS_M: f64 = 6_378_100.0;
