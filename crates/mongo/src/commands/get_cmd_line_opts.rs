//! `getCmdLineOpts`: the options in MongoDB's names, as far as they have one.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    call.arguments().finish()?;
    let mut parsed = doc! {"net": {"port": i32::from(call.server.listening_port())}};
    if call.server.engine.needs_login() {
        parsed.push("security", doc! {"authorization": "enabled"});
    }
    if call.server.options.test_commands {
        let parameters: Document = doc! {"enableTestCommands": "1"};
        parsed.push("setParameter", parameters);
    }
    let program = std::env::args().next().unwrap_or_default();
    Ok(doc! {"argv": Value::Array(vec![program.into()]), "parsed": parsed}.into())
}
