//! `connectionStatus`: who is logged in, and what they may do.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let show_privileges = arguments.flag("showPrivileges")?.unwrap_or(false);
    arguments.finish()?;
    let mut info = Document::new();
    match call.connection.login.user() {
        Some(user) => {
            let roles = call.server.engine.roles().with_inherited(&user.roles);
            info.push(
                "authenticatedUsers",
                vec![doc! {"user": &user.name, "db": &user.database}],
            );
            info.push("authenticatedUserRoles", auth::names_value(&roles));
        }
        None => {
            info.push("authenticatedUsers", Value::Array(Vec::new()));
            info.push("authenticatedUserRoles", Value::Array(Vec::new()));
        }
    }
    if show_privileges {
        let privileges = call.connection.login.privileges().map(auth::Privileges::describe);
        info.push(
            "authenticatedUserPrivileges",
            privileges.unwrap_or_else(|| Value::Array(Vec::new())),
        );
    }
    Ok(doc! {"authInfo": info}.into())
}
