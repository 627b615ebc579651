//! Sessions as clients name them.

use super::Fields;
use crate::error::{CommandError, Result};
use code::Code;
use value::ValueRef;

/// A session that a client names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedSession {
    /// Its UUID.
    pub id: [u8; 16],
    /// The digest of its user, where that is named too.
    pub user: Option<[u8; 32]>,
    /// Whether it is one that MongoDB's servers make for themselves within another one.
    pub is_internal: bool,
}

impl NamedSession {
    /// Reads `{id: UUID, uid?, txnNumber?, txnUUID?}`.
    pub fn parse(fields: &Fields<'_>) -> Result<NamedSession> {
        let id = fields.uuid("id")?;
        let user = user_digest(fields)?;
        let number = match fields.present("txnNumber") {
            None => None,
            Some(ValueRef::Int64(number)) => Some(number),
            Some(other) => return Err(fields.wrong_type("txnNumber", other, "'long'").into()),
        };
        let is_internal = fields.uuid("txnUUID")?.is_some();
        fields.finish()?;
        let id = id.ok_or_else(|| fields.missing("id"))?;
        if number.is_some() && !is_internal {
            return Err(CommandError::invalid_options(
                "Cannot specify txnNumber in lsid without specifying txnUUID",
            ));
        }
        Ok(NamedSession {
            id,
            user,
            is_internal,
        })
    }
}

/// `uid`, the digest of a user's full name.
pub(crate) fn user_digest(fields: &Fields<'_>) -> Result<Option<[u8; 32]>> {
    match fields.present("uid") {
        None => Ok(None),
        Some(ValueRef::Binary { subtype: 0, bytes }) => bytes.try_into().map(Some).map_err(|_| {
            let message = format!("Unsupported SHA256 hash length: {}", bytes.len());
            CommandError::new(Code::UNSUPPORTED_FORMAT, message)
        }),
        Some(other @ ValueRef::Binary { .. }) => Err(fields.wrong_type("uid", other, "'general'").into()),
        Some(other) => Err(fields.wrong_type("uid", other, "'binData'").into()),
    }
}
