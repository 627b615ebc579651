//! The page's scripts, minified: without comments and indentation, and with a letter or two for each name that a module declares.
//!
//! A script is cut into tokens ([`lexer`]), names of variables are told from members of objects ([`roles`]), and a module is taken apart
//! into imports, exports and the rest ([`module`]), which is written with other names ([`writer`]). A name is replaced by the same other
//! name wherever a module has it, so that scopes need not be known: what was one variable stays one, and what was two stays two.
//! Syntax that is not known here ends the build, as does a name that is neither declared in its module nor a browser's.

pub(crate) mod declared;
pub(crate) mod lexer;
pub(crate) mod module;
pub(crate) mod roles;
pub(crate) mod writer;
