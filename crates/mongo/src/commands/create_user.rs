//! `createUser`.

use super::roles;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, EXTERNAL, Mechanism, User};
use value::{Document, DocumentRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.required_string("createUser")?;
    let password = arguments.string("pwd")?;
    let custom_data = arguments.document("customData")?.map(DocumentRef::to_document);
    let roles = roles::parse(call, arguments.required_array("roles")?)?;
    let mechanisms = roles::mechanisms(&arguments)?.unwrap_or_else(|| Mechanism::ALL.to_vec());
    let digests = arguments.bool("digestPassword")?;
    roles::refuse_restrictions(&arguments)?;
    arguments.finish()?;
    if name.is_empty() || name.contains('\0') {
        return Err(CommandError::bad_value(
            "User document needs 'user' field to be non-empty",
        ));
    }
    if digests == Some(false) {
        return Err(CommandError::bad_value(
            "Passwords must be sent as they are: digestPassword: false is not supported",
        ));
    }
    roles::require_over_roles(call, Action::GrantRole, &roles)?;
    let credentials = match password {
        // Who they are is said by their certificates.
        None if call.database == EXTERNAL => Vec::new(),
        Some(_) if call.database == EXTERNAL => {
            return Err(CommandError::bad_value(
                "Cannot set the password for users defined on the '$external' database",
            ));
        }
        Some(password) => roles::hash(name, password, mechanisms).await?,
        None => {
            return Err(CommandError::bad_value(
                "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db",
            ));
        }
    };
    let user = User {
        database: call.database.clone(),
        name: name.to_owned(),
        uuid: uuid::Uuid::new_v4().into_bytes(),
        credentials,
        roles,
        custom_data,
    };
    call.server.engine.create_user(user).await?;
    Ok(Document::new().into())
}
