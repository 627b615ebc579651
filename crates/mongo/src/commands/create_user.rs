//! `createUser`.

use super::roles;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Mechanism, User};
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
    let Some(password) = password else {
        return Err(CommandError::bad_value(
            "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db",
        ));
    };
    roles::require_over_roles(call, Action::GrantRole, &roles)?;
    let credentials = roles::hash(name, password, mechanisms).await?;
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
