//! What shares take from a budget, and when they give it back.

use memory::{Budget, Holder};
use std::time::Duration;

const MIB: usize = 1 << 20;
const SOON: Duration = Duration::from_secs(1);

fn held(budget: &Budget, holder: Holder) -> usize {
    let usage = budget.usage();
    usage
        .iter()
        .find(|usage| usage.holder == holder)
        .map_or(0, |usage| usage.held_bytes)
}

#[test]
fn a_charge_that_does_not_fit_is_refused_with_the_limit_and_the_option() {
    let budget = Budget::new(16 * MIB);
    let mut cursors = budget.share(Holder::Cursors);
    cursors.set(2 * MIB).expect("all that cursors may have");
    let full = budget.share(Holder::Cursors).set(1).expect_err("no room is left");
    let text = full.to_string();
    assert!(
        text.contains("idle cursors") && text.contains("2097152") && text.contains("--memory"),
        "{text}"
    );
    assert_eq!(budget.usage()[Holder::Cursors as usize].refused, 1);
    budget
        .share(Holder::Values)
        .set(MIB)
        .expect("others have room of their own");
}

#[test]
fn a_share_that_is_dropped_or_shrinks_gives_back() {
    let budget = Budget::new(16 * MIB);
    let mut share = budget.share(Holder::Stages);
    share.set(3 * MIB).expect("room");
    assert_eq!(held(&budget, Holder::Stages), 3 * MIB);
    share.set(MIB).expect("less");
    assert_eq!(held(&budget, Holder::Stages), MIB);
    drop(share);
    assert_eq!(held(&budget, Holder::Stages), 0);
    assert_eq!(budget.usage()[Holder::Stages as usize].held_bytes_max, 3 * MIB);
}

#[test]
fn a_refused_charge_leaves_the_share_as_it_was() {
    let budget = Budget::new(16 * MIB);
    let mut share = budget.share(Holder::Values);
    share.set(MIB).expect("room");
    share.add(5 * MIB).expect_err("too much");
    assert_eq!((share.bytes(), held(&budget, Holder::Values)), (MIB, MIB));
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_come_in_their_order() {
    let budget = Budget::new(16 * MIB);
    let mut first = budget.share(Holder::LargeRequests);
    first.wait(3 * MIB, SOON).await.expect("room");
    let waiting = |bytes: usize| {
        let mut share = budget.share(Holder::LargeRequests);
        tokio::spawn(async move { share.wait(bytes, SOON).await.map(|()| share) })
    };
    let large = waiting(4 * MIB);
    tokio::task::yield_now().await;
    let small = waiting(MIB);
    tokio::task::yield_now().await;
    assert!(!small.is_finished(), "it would fit, but others were first");
    assert!(budget.is_wanted(Holder::LargeRequests));
    drop(first);
    let large = large.await.expect("runs").expect("room");
    assert!(!small.is_finished());
    drop(large);
    small.await.expect("runs").expect("room");
    assert!(!budget.is_wanted(Holder::LargeRequests));
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_when_time_is_up_or_memory_is_free() {
    let budget = Budget::new(16 * MIB);
    let mut first = budget.share(Holder::LargeRequests);
    first.wait(4 * MIB, SOON).await.expect("room");
    let mut second = budget.share(Holder::LargeRequests);
    second.wait(1, SOON).await.expect_err("nobody lets go");
    assert_eq!(second.bytes(), 0);
    budget
        .room(Holder::LargeRequests, SOON)
        .await
        .expect_err("it is full");
    drop(first);
    budget
        .room(Holder::LargeRequests, SOON)
        .await
        .expect("there is room");
}

#[tokio::test(start_paused = true)]
async fn one_that_is_larger_than_the_limit_waits_for_all_of_it() {
    let budget = Budget::new(16 * MIB);
    let mut large = budget.share(Holder::LargeRequests);
    large
        .wait(48 * MIB, SOON)
        .await
        .expect("nobody else holds anything");
    assert_eq!(held(&budget, Holder::LargeRequests), 4 * MIB);
    let mut other = budget.share(Holder::LargeRequests);
    other.wait(1, SOON).await.expect_err("all is taken");
}

#[test]
fn a_charge_beyond_the_limit_keeps_others_out_until_it_is_gone() {
    let budget = Budget::new(16 * MIB);
    let mut charged = budget.share(Holder::Answers);
    charged.charge(9 * MIB);
    budget.share(Holder::Answers).set(1).expect_err("no room");
    charged.charge(0);
    budget.share(Holder::Answers).set(1).expect("room");
}

#[test]
fn without_a_limit_all_fits() {
    let mut share = Budget::default().share(Holder::Values);
    share.set(usize::MAX / 2).expect("no limit");
}

#[tokio::test(start_paused = true)]
async fn few_read_at_the_same_time_what_may_be_long() {
    let budget = Budget::new(16 * MIB);
    let mut turns = Vec::new();
    while let Ok(turn) = budget.turn_to_answer(true, SOON).await {
        turns.push(turn);
    }
    assert_eq!(turns.len(), 2);
    let _short = budget.turn_to_answer(false, SOON).await.expect("what is short");
    turns.pop();
    let turn = budget.turn_to_answer(true, SOON).await;
    let _turn = turn.expect("the turn of the one that is done");
}

#[tokio::test(start_paused = true)]
async fn nobody_reads_for_an_answer_while_others_fill_the_memory() {
    let budget = Budget::new(16 * MIB);
    let unsent = budget.charged(Holder::Answers, 2 * MIB);
    for may_be_long in [false, true] {
        let full = budget
            .turn_to_answer(may_be_long, SOON)
            .await
            .expect_err("no room");
        assert!(full.to_string().contains("--memory"), "{full}");
    }
    drop(unsent);
    let _turn = budget.turn_to_answer(true, SOON).await.expect("there is room");
}

#[tokio::test(start_paused = true)]
async fn those_who_can_give_way_learn_that_others_wait() {
    let budget = Budget::new(16 * MIB);
    let held = budget.charged(Holder::Answers, 2 * MIB);
    let mut wanted = std::pin::pin!(budget.wanted(Holder::Answers));
    let waited = tokio::time::timeout(SOON, wanted.as_mut()).await;
    waited.expect_err("nobody waits");
    let gives_way = async {
        wanted.await;
        drop(held);
    };
    let (room, ()) = tokio::join!(budget.room(Holder::Answers, 10 * SOON), gives_way);
    room.expect("the holder gave way");
}
