//! `invalidateUserCache`: users and roles in memory are always those that are stored, so there is nothing to forget.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    Ok(Document::new().into())
}
