//! `createUser`.

use super::roles::{self, Login};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, EXTERNAL, User};
use value::{Document, DocumentRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.required_string("createUser")?;
    let login = Login::parse(&arguments)?;
    let custom_data = arguments.document("customData")?.map(DocumentRef::to_document);
    let roles = roles::parse(call, arguments.required_array("roles")?)?;
    roles::refuse_restrictions(call, &arguments)?;
    arguments.finish()?;
    check_name(&call.database, name)?;
    roles::require_over_roles(call, Action::GrantRole, &roles)?;
    let credentials = match login.has_password() {
        // Who they are is said by their certificates.
        false if call.database == EXTERNAL => Vec::new(),
        true if call.database == EXTERNAL => {
            return Err(CommandError::bad_value(
                "Cannot set the password for users defined on the '$external' database",
            ));
        }
        true => login.credentials(name).await?,
        false => {
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

fn check_name(database: &str, name: &str) -> Result<()> {
    let refuse = |message: &str| Err(CommandError::bad_value(message));
    if database == "local" {
        return refuse("Cannot create users in the local database");
    }
    if name.contains('\0') {
        return refuse("Username cannot contain NULL characters");
    }
    if name.is_empty() {
        return refuse("User document needs 'user' field to be non-empty");
    }
    Ok(())
}
