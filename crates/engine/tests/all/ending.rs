//! A killed operation ends while it waits, too, and errors that it meets on its way out do not hide that it was killed.

use code::Code;
use engine::{Context, Error, on_another_thread, run_until, steps};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Work that never ends by itself.
async fn endless() -> Result<(), Error> {
    pending().await
}

fn code(ended: Result<(), Error>) -> Code {
    ended.unwrap_err().code
}

#[tokio::test]
async fn an_operation_that_waits_is_ended_by_kill_time_and_client() {
    let killed = Context::default();
    let work = killed.run(endless());
    let kill = async {
        tokio::task::yield_now().await;
        killed.kill(Code::INTERRUPTED);
        pending().await
    };
    let ended = tokio::select! { ended = work => ended, never = kill => never };
    assert_eq!(code(ended), Code::INTERRUPTED);

    let late = Context::default().within(Some(Duration::from_millis(10)));
    assert_eq!(code(late.run(endless()).await), Code::MAX_TIME_MS_EXPIRED);

    let is_gone = Arc::new(AtomicBool::new(false));
    let gone = is_gone.clone();
    let left = Context::default().asked_by(move || gone.load(Ordering::Relaxed));
    let leave = async {
        is_gone.store(true, Ordering::Relaxed);
        pending().await
    };
    let ended = tokio::select! { ended = left.run(endless()) => ended, never = leave => never };
    assert_eq!(code(ended), Code::CLIENT_DISCONNECT);
}

#[tokio::test]
async fn a_part_of_an_operation_may_have_less_time() {
    let context = Context::default().within(Some(Duration::from_secs(60)));
    let begun = Instant::now();
    let soon = begun + Duration::from_millis(10);
    let ended = context.run(run_until(soon, endless())).await;
    assert_eq!(code(ended), Code::MAX_TIME_MS_EXPIRED);
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn another_thread_works_in_the_name_of_the_operation() {
    let context = Context::default();
    let kill = context.clone();
    let looped = context.run(async {
        let looping = on_another_thread(move || {
            kill.kill(Code::INTERRUPTED);
            loop {
                steps(1)?;
            }
        });
        looping.await.expect("no panic")
    });
    assert_eq!(code(looped.await), Code::INTERRUPTED);
}

#[tokio::test]
async fn why_it_ended_is_said_whatever_failed_for_that() {
    let context = Context::default();
    context.kill(Code::INTERRUPTED_AT_SHUTDOWN);
    let failing = async { Err(Error::new(Code::BAD_VALUE, "an expression failed")) };
    assert_eq!(
        code(context.run::<(), Error>(failing).await),
        Code::INTERRUPTED_AT_SHUTDOWN
    );
}
