//! `logout`.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    call.connection.login.log_out();
    Ok(Document::new().into())
}
