//! What queries name: areas that places are within, or geometries that they meet.

use crate::error::{Result, wrong};
use crate::sphere::{GoesOn, intersects, within_polygons};
use crate::{Cap, Geometry, Shape, Stored, parse};
use value::{Document, ValueRef};

/// The area of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Area {
    /// On a plane: `$box`, `$center`, `$polygon`.
    Flat(Shape),
    /// On the sphere: `$centerSphere`.
    Cap(Cap),
    /// On the sphere: `$geometry`.
    Geometry(Geometry),
}

impl Area {
    /// Reads the argument of `$geoWithin` or `$geoIntersects`: one shape by its name.
    pub fn parse(argument: &Document) -> Result<Area> {
        let mut area = None;
        for (name, value) in argument.iter() {
            let value = value.as_ref();
            let parsed = match name {
                "$geometry" => Area::Geometry(parse::queried(value)?),
                "$box" => Area::Flat(Shape::parse_box(value)?),
                "$center" => Area::Flat(Shape::parse_circle(value)?),
                "$polygon" => Area::Flat(Shape::parse_polygon(value)?),
                "$centerSphere" => Area::Cap(Cap::parse(value)?),
                "$uniqueDocs" => continue,
                other => return wrong(format!("unknown geo specifier: {other}")),
            };
            if area.replace(parsed).is_some() {
                return wrong("geo query has more than one geometry");
            }
        }
        match area {
            Some(area) => Ok(area),
            None => wrong("geo query doesn't have any geometry"),
        }
    }

    /// Whether something can be within.
    pub fn can_contain(&self) -> bool {
        match self {
            Area::Flat(_) | Area::Cap(_) => true,
            Area::Geometry(geometry) => geometry.has_area(),
        }
    }

    /// Whether something can meet it: geometries alone can.
    pub fn can_intersect(&self) -> bool {
        matches!(self, Area::Geometry(_))
    }

    /// Whether a value is a place within. A value that is no place is not.
    pub fn contains(&self, value: ValueRef<'_>) -> bool {
        self.contains_while(value, &|_| true)
    }

    /// Whether a value is a place that shares a point with it.
    pub fn intersects(&self, value: ValueRef<'_>) -> bool {
        self.intersects_while(value, &|_| true)
    }

    /// As [`Area::contains`], as long as it may go on: large geometries take long. Once it may not, what is answered means nothing.
    pub fn contains_while(&self, value: ValueRef<'_>, goes_on: GoesOn<'_>) -> bool {
        let Ok(stored) = Stored::parse(value) else {
            return false;
        };
        match self {
            Area::Flat(shape) => stored
                .on_plane()
                .is_some_and(|point| goes_on(shape.size()) && shape.contains(point)),
            Area::Cap(cap) => stored
                .on_sphere()
                .is_ok_and(|geometry| cap.contains(&geometry.parts)),
            Area::Geometry(area) => stored
                .on_sphere()
                .is_ok_and(|geometry| within_polygons(&geometry.parts, &area.parts.polygons, goes_on)),
        }
    }

    /// As [`Area::intersects`], and as [`Area::contains_while`].
    pub fn intersects_while(&self, value: ValueRef<'_>, goes_on: GoesOn<'_>) -> bool {
        let (Area::Geometry(area), Ok(stored)) = (self, Stored::parse(value)) else {
            return false;
        };
        stored
            .on_sphere()
            .is_ok_and(|geometry| intersects(&geometry.parts, &area.parts, goes_on))
    }
}

impl Cap {
    /// Reads `[[longitude, latitude], radius in radians]`.
    fn parse(value: ValueRef<'_>) -> Result<Cap> {
        let (centre, radius) = crate::plane::centre_and_radius(value, "$centerSphere")?;
        Ok(Cap {
            centre: parse::in_bounds(centre)?,
            radius,
        })
    }
}
