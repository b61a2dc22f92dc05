//! What went wrong at the door or with a viewer: each kind is reported once.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Mutex;

/// A kind of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trouble {
    Host,
    Origin,
    Token,
    Request,
    Malformed,
    Oversized,
    Flood,
    Slow,
    Crowd,
    Rate,
    Viewers,
    Open,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trouble::Host => "a request under a name that is not this server's was refused",
            Trouble::Origin => "a connection from a page of another site was refused",
            Trouble::Token => "a request with a wrong token was refused",
            Trouble::Request => "a request that is not HTTP, or was too slow, was dropped",
            Trouble::Malformed => "a viewer that sent a malformed message was dropped",
            Trouble::Oversized => "a viewer that sent a message of more than 1,024 bytes was dropped",
            Trouble::Flood => "a viewer that sent more than 300 messages in a second was dropped",
            Trouble::Slow => "a viewer that confirmed no frame for ten seconds was dropped",
            Trouble::Crowd => "more than 64 connections at a time had sent no request: the oldest were dropped",
            Trouble::Rate => "more than 50 connections in a second: they wait for their turn",
            Trouble::Viewers => "more than 32 viewers at a time: one was refused",
            Trouble::Open => {
                "other machines can connect, and what is sent is not encrypted: who reads it has the token. Safer is \
                 --serve PORT with `ssh -L PORT:127.0.0.1:PORT`"
            }
        })
    }
}

/// Those that have happened, and those that were not yet reported.
#[derive(Debug, Default)]
pub(crate) struct Notices(Mutex<(BTreeSet<Trouble>, Vec<Trouble>)>);

impl Notices {
    pub(crate) fn note(&self, trouble: Trouble) {
        let mut notices = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if notices.0.insert(trouble) {
            notices.1.push(trouble);
        }
    }

    /// What has not been reported yet, in words.
    pub(crate) fn take(&self) -> Vec<String> {
        let mut notices = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let new = std::mem::take(&mut notices.1);
        let words = |trouble: &Trouble| match trouble {
            Trouble::Open => format!("live view: {trouble}"), // known at the start, not counted
            _ => format!("live view: {trouble} (reported once)"),
        };
        new.iter().map(words).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_reported_once() {
        let notices = Notices::default();
        notices.note(Trouble::Token);
        notices.note(Trouble::Token);
        notices.note(Trouble::Host);
        assert_eq!(notices.take().len(), 2);
        notices.note(Trouble::Token);
        assert!(notices.take().is_empty());
    }
}
