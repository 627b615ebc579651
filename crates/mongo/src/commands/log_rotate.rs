//! `logRotate`: there is nothing to do, since the log goes to standard error, where others keep and rotate it.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::{Document, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    match arguments.present("logRotate") {
        Some(ValueRef::Bool(_) | ValueRef::String("server")) => {}
        Some(number) if number.is_number() => {}
        Some(ValueRef::String(other)) => {
            let message = format!("Unknown log type '{other}' for rotation: there is only 'server'");
            return Err(CommandError::new(Code::NO_SUCH_KEY, message));
        }
        Some(other) => {
            return Err(arguments
                .wrong_type("logRotate", other, "'[string, bool, long, int, decimal, double]'")
                .into());
        }
        None => return Err(arguments.missing("logRotate").into()),
    }
    arguments.finish()?;
    Ok(Document::new().into())
}
