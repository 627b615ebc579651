//! `dropDatabase`.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::Namespace;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let one = arguments.integer("dropDatabase")?;
    arguments.finish()?;
    if one.ok_or_else(|| arguments.missing("dropDatabase"))? != 1 {
        return Err(CommandError::new(
            Code::location(5_255_100),
            "Have to pass 1 as 'dropDatabase' parameter",
        ));
    }
    if Namespace::is_own_database(&call.database) {
        return Err(CommandError::new(
            Code::ILLEGAL_OPERATION,
            format!("Dropping the '{}' database is prohibited.", call.database),
        ));
    }
    let existed = call.server.engine.drop_database(&call.database).await?;
    let mut reply = Document::new();
    if existed {
        reply.push("dropped", &call.database);
    }
    Ok(reply.into())
}
