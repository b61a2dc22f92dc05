//! Watches of evaluations.

use manybody_law::Error;
use manybody_pairwise::watch::{LONG, Watch, outcome};

#[test]
fn only_long_evaluations_are_watched_and_only_those_end_that_may() {
    let watch = Watch::default();
    assert!(watch.begin(LONG - 1, 10).is_none() && watch.share().is_none());
    let look = watch.begin(LONG, 4).unwrap();
    look.count();
    assert_eq!(watch.share(), Some(0.25));
    watch.stop();
    assert!(!look.ends() && outcome(Some(&look)).is_ok());
    watch.hear(true);
    assert!(look.ends() && matches!(outcome(Some(&look)), Err(Error::Interrupted)));
    assert!(outcome(None).is_ok());
    drop(look);
    assert_eq!(watch.share(), None);
    let look = watch.prepare(LONG).unwrap();
    look.count();
    assert!(look.ends() && watch.share().is_none() && watch.prepare(LONG - 1).is_none());
}
