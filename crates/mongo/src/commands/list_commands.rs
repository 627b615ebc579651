//! `listCommands`.

use crate::access::Access;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let with_tests = call.server.options.test_commands;
    let mut commands = Document::new();
    let shown = super::all().filter(|command| with_tests || !command.is_for_tests);
    let mut shown: Vec<_> = shown.collect();
    shown.sort_unstable_by_key(|command| command.name);
    for command in shown {
        let versions = if command.is_stable { vec!["1"] } else { Vec::new() };
        commands.push(
            command.name,
            doc! {
                "help": "",
                "requiresAuth": command.access != Access::Anyone,
                "secondaryOk": command.reads,
                "adminOnly": false,
                "apiVersions": versions,
                "deprecatedApiVersions": Value::Array(Vec::new()),
            },
        );
    }
    Ok(doc! {"commands": commands}.into())
}
