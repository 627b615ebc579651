//! `setFeatureCompatibilityVersion`: there is one version, which is set already.

use super::get_parameter::COMPATIBILITY;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    let version = arguments.required_string("setFeatureCompatibilityVersion")?;
    let is_confirmed = arguments.flag("confirm")?.unwrap_or(false);
    // It says that a configuration server asks, which needs no confirmation.
    let is_of_cluster = arguments.flag("fromConfigServer")?.unwrap_or(false);
    arguments.finish()?;
    if version != COMPATIBILITY {
        return Err(CommandError::bad_value(format!(
            "Invalid feature compatibility version value '{version}': '{COMPATIBILITY}' is the only one"
        )));
    }
    match is_confirmed || is_of_cluster {
        true => Ok(Document::new().into()),
        false => Err(CommandError::new(
            Code::location(7_369_100),
            "Please re-run this command with 'confirm: true' to acknowledge that the version cannot be set back",
        )),
    }
}
