//! Whether a client may run a command.

use crate::connection::Connection;
use crate::error::{CommandError, Result};
use auth::{Action, Resource};
use engine::Engine;

/// What a command asks of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: it is needed to log in.
    Anyone,
    /// To be logged in; more is checked by the command itself.
    LoggedIn,
    /// An action on the server as a whole.
    Cluster(Action),
    /// An action on the command's database.
    Database(Action),
    /// An action on the collection that the command names first.
    Collection(Action),
}

impl Access {
    /// Refuses a client that may not. Where no user exists, everything is allowed.
    pub fn check(
        self,
        engine: &Engine,
        connection: &mut Connection,
        command: &str,
        database: &str,
        collection: &str,
    ) -> Result<()> {
        if !engine.needs_login() || self == Access::Anyone {
            return Ok(());
        }
        connection.login.refresh(engine);
        if connection.login.user().is_none() {
            return Err(CommandError::unauthorized(format!(
                "Command {command} requires authentication"
            )));
        }
        match self {
            Access::Anyone | Access::LoggedIn => Ok(()),
            Access::Cluster(action) => require(connection, command, database, action, Resource::Cluster),
            Access::Database(action) => require(
                connection,
                command,
                database,
                action,
                Resource::Database(database),
            ),
            Access::Collection(action) => {
                let resource = Resource::Collection(database, collection);
                require(connection, command, database, action, resource)
            }
        }
    }
}

fn require(
    connection: &Connection,
    command: &str,
    database: &str,
    action: Action,
    resource: Resource<'_>,
) -> Result<()> {
    match connection.login.allows(action, resource) {
        true => Ok(()),
        false => Err(CommandError::unauthorized(format!(
            "not authorized on {database} to execute command {command} (needs {})",
            action.name()
        ))),
    }
}
