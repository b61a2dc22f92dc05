//! Who looks on at a run: the screen, and the live view and the explainer, if they are asked for.

use super::options::Args;
use super::screen::Screen;
#[cfg(feature = "serve")]
use crate::console::say;
use crate::interrupt::Interrupt;
use manybody::driver::{End, Event, Observer, Request};
use manybody::explain::{Explainer, Explanation};
use manybody::simulation::Simulation;
use std::ops::ControlFlow;

/// The observers of a run.
pub(super) struct Onlookers {
    pub(super) screen: Screen,
    #[cfg(feature = "serve")]
    live: Option<manybody_serve::Live>,
    explainer: Option<Explainer>,
}

impl Onlookers {
    /// Those that the options ask for.
    ///
    /// # Errors
    /// Those of an address that the live view cannot have.
    pub(super) fn of(args: &Args, interrupt: &Interrupt) -> manybody::Result<Self> {
        let screen = Screen::new(args.json, interrupt.asked());
        #[cfg(feature = "serve")]
        let live = match &args.serve {
            Some(address) => {
                let control = args.control.then(|| interrupt.watch().clone());
                let server = manybody_serve::Server::start(address, control)?;
                if args.paused {
                    server.pause();
                }
                crate::view::announce(&server.url(), args.json);
                Some(manybody_serve::Live::new(server))
            }
            None => None,
        };
        Ok(Onlookers {
            screen,
            #[cfg(feature = "serve")]
            live,
            explainer: args.explain.then(Explainer::default),
        })
    }

    /// Whether an explanation is asked for.
    pub(super) fn explain(&self) -> bool {
        self.explainer.is_some()
    }

    /// Why the energy has changed, if that is asked for and the energy was measured.
    pub(super) fn explanation(&self) -> Option<&Explanation> {
        self.explainer.as_ref().and_then(Explainer::explanation)
    }

    /// Ends the live view, as the run has ended; without an end it has failed.
    pub(super) fn close(&mut self, end: Option<&End>) {
        #[cfg(feature = "serve")]
        if let Some(live) = self.live.take() {
            let how = end.map_or("failed", super::status);
            if matches!(end, Some(End::Finished | End::FinishedBefore)) && !live.server().had_viewer() {
                say("live view: the run ended before anyone looked on; with --control --paused it waits for a viewer");
            }
            live.close(how);
        }
        let _ = end;
    }
}

impl Observer for Onlookers {
    fn event(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        let flow = self.screen.event(event);
        if let Some(explainer) = &mut self.explainer {
            let _ = explainer.event(event); // it never asks to stop
        }
        #[cfg(feature = "serve")]
        if let Some(live) = &mut self.live {
            let _ = live.event(event); // it never asks to stop: that is the watch's part
            report(live, &mut self.screen);
        }
        flow
    }

    fn request(&mut self, run: &Simulation) -> Request {
        let asked = self.explainer.as_mut().map_or_else(Request::default, |explainer| explainer.request(run));
        #[cfg(feature = "serve")]
        if let Some(live) = &mut self.live {
            report(live, &mut self.screen); // in a pause there are no events
            return both(live.request(run), asked);
        }
        asked
    }
}

/// What serves two observers.
#[cfg(feature = "serve")]
fn both(a: Request, b: Request) -> Request {
    Request { steps: a.steps.min(b.steps), bodies: a.bodies || b.bodies }
}

/// Prints what went wrong at the live view's server.
#[cfg(feature = "serve")]
fn report(live: &manybody_serve::Live, screen: &mut Screen) {
    for notice in live.server().notices() {
        let _ = screen.event(&Event::Warning(&notice));
    }
}
