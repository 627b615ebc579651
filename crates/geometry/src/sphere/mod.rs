//! The unit sphere: vectors from its middle, arcs, loops, polygons, caps.

pub(crate) mod arc;
mod cap;
mod contains;
mod holes;
mod intersects;
mod loops;
mod parts;
mod polygon;
mod simple;
pub(crate) mod vector;

pub use cap::Cap;
pub(crate) use contains::within_polygons;
pub(crate) use holes::check_holes;
pub(crate) use intersects::intersects;
pub(crate) use loops::Loop;
pub(crate) use parts::Parts;
pub(crate) use polygon::Polygon;
pub(crate) use simple::check_simple;

/// Asked before a place or an edge is compared with others, with how many: whether to go on. Once it says no, what is answered means nothing.
pub type GoesOn<'g> = &'g dyn Fn(usize) -> bool;

/// What lies as near as this to a border lies on it, in radians: six millimetres on the earth.
pub(crate) const TOLERANCE: f64 = 1e-9;
