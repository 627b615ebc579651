//! The page's scripts in short: no comment, no indentation, and a letter or two for each name that a module gives itself.
//!
//! A text becomes tokens ([`lexer`]), each name among them is told from the members of objects ([`roles`]), and a module is what it
//! imports, what it exports and the rest ([`module`]), which is written with other names ([`writer`]). A name becomes the same other
//! name wherever a module has it, so that scopes need not be known: what was one variable stays one, and what was two stays two.
//! A form that is not known here ends the build, as does a name that is neither declared in its module nor a browser's.

pub(crate) mod declared;
pub(crate) mod lexer;
pub(crate) mod module;
pub(crate) mod roles;
pub(crate) mod writer;
