//! Users, their SCRAM credentials and roles.
//!
//! Pure functions over [`value::Document`]: nothing here reads a socket or a store.
//!
//! - [`Credentials`] and [`Conversation`]: the server's side of SCRAM-SHA-1 and SCRAM-SHA-256
//!   (RFC 5802, RFC 7677, and MongoDB's password digest for SHA-1).
//! - [`User`]: a user with credentials and roles, in the form of MongoDB's `admin.system.users`.
//! - [`Role`], [`BuiltinRole`]: user-defined roles, in the form of `admin.system.roles`, and those that are always there. Both are
//!   [`Privileges`] and nothing else; [`Roles`] knows who inherits what.
//! - [`TokenSignature`]: how signed tokens (JSON Web Tokens) are checked.
//! - [`Privileges`]: what is allowed, asked by [`Action`] and [`Resource`].
//!
//! What must hold: a password is never kept, only salted keys; a login of a user that does not exist goes like one of a
//! user that does ([`Decoy`]), so nobody learns which names exist; keys are compared in constant time.
//!
//! Left to others: where users are kept (`engine`), how payloads travel (`mongo`, …).

mod action;
mod builtin;
mod client;
mod conversation;
mod credentials;
mod error;
mod name;
mod privilege;
mod privileges;
mod role;
mod roles;
mod scope;
mod token_signature;
mod user;

pub use action::{Action, Resource};
pub use builtin::BuiltinRole;
pub use client::ClientLogin;
pub use conversation::{Conversation, Decoy, FirstMessage};
pub use credentials::{Credentials, Mechanism};
pub use error::AuthError;
pub use name::RoleName;
pub use privilege::Privilege;
pub use privileges::Privileges;
pub use role::{Role, names_value, shown_roles};
pub use roles::Roles;
pub use scope::Scope;
pub use token_signature::TokenSignature;
pub use user::{EXTERNAL, NOBODY_DIGEST, User, UserCredentials, user_digest};
