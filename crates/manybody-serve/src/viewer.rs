//! One viewer: gets the newest frame as fast as it confirms frames, and may ask.

use crate::budget::Budget;
use crate::encoder::{Frame, Present};
use crate::message::{self, Ask};
use crate::notices::Trouble;
use crate::server::Shared;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch::Receiver;
use tokio::time::{MissedTickBehavior, interval, sleep_until, timeout};
use tungstenite::error::{Error as WsError, ProtocolError};

/// Frames that may be under way to a viewer: as many keep a link with a delay busy.
const UNDER_WAY: usize = 3;

/// A viewer that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a viewer hears that the server is there.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Messages a second, at most; a page confirms 30 frames.
const MAX_MESSAGES: u32 = 300;

/// Policy violation [RFC 6455, 7.4.1].
const REFUSED: u16 = 1008;

/// Why a viewer is no more.
enum Gone {
    /// It has left, or the run has ended.
    Left,
    /// It is dropped.
    Dropped(Trouble),
}

impl From<Trouble> for Gone {
    fn from(trouble: Trouble) -> Self {
        Gone::Dropped(trouble)
    }
}

struct Viewer {
    socket: WebSocket,
    shared: Arc<Shared>,
    /// The frames under way, and since when.
    under_way: VecDeque<(u32, Instant)>,
    budget: Budget,
    /// The number of the cast that the page has.
    cast: Option<u32>,
    /// Messages since the beginning of this second.
    messages: (Instant, u32),
    /// The newest frame that was sent.
    frame: Option<Arc<Frame>>,
}

/// Serves a viewer until it leaves, the run ends, or it is dropped.
pub(crate) async fn serve(socket: WebSocket, shared: Arc<Shared>, present: Present) {
    let messages = (Instant::now(), 0);
    let (under_way, budget) = (VecDeque::new(), Budget::new(Instant::now()));
    let mut viewer = Viewer { socket, shared, under_way, budget, cast: None, messages, frame: None };
    if let Gone::Dropped(trouble) = viewer.go().await {
        viewer.shared.notices.note(trouble);
        let frame = CloseFrame { code: REFUSED, reason: "refused".into() };
        let _ = timeout(Duration::from_millis(100), viewer.socket.send(Message::Close(Some(frame)))).await;
    }
    drop(present);
}

impl Viewer {
    async fn go(&mut self) -> Gone {
        let mut hello = self.shared.hello.subscribe();
        let mut frames = self.shared.frames.subscribe();
        let mut status = self.shared.status.subscribe();
        hello.mark_changed();
        frames.mark_changed();
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_free = Instant::now() >= self.budget.free_at();
            let may_send = is_free && self.under_way.len() < UNDER_WAY;
            let done = tokio::select! {
                biased;
                message = self.socket.recv() => self.hear(message).await,
                Ok(()) = hello.changed() => self.greet(&mut hello).await,
                Ok(()) = frames.changed(), if may_send => self.show(&mut frames).await,
                () = sleep_until(self.budget.free_at().into()), if !is_free => Ok(()),
                Ok(()) = status.changed() => self.say_status().await,
                _ = heartbeat.tick() => self.beat().await,
            };
            if let Err(gone) = done {
                return gone;
            }
            let is_over = self.shared.has_ended() && !frames.has_changed().unwrap_or(false);
            if is_over && self.under_way.is_empty() {
                let _ = timeout(HEARTBEAT, self.socket.send(Message::Close(None))).await;
                return Gone::Left;
            }
        }
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        match timeout(PATIENCE, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Gone::Left),
            Err(_) => Err(Trouble::Slow.into()),
        }
    }

    async fn greet(&mut self, hello: &mut Receiver<Option<String>>) -> Result<(), Gone> {
        let text = hello.borrow_and_update().clone();
        match text {
            Some(text) => {
                self.send(Message::Text(text.into())).await?;
                self.say_status().await
            }
            None => Ok(()),
        }
    }

    /// Sends the newest frame, and before it its cast, if the page does not have it.
    async fn show(&mut self, frames: &mut Receiver<Option<Arc<Frame>>>) -> Result<(), Gone> {
        let Some(frame) = frames.borrow_and_update().clone() else { return Ok(()) };
        let cast = frame.scene.cast.number;
        let mut bytes = frame.bytes.len();
        if self.cast != Some(cast) {
            self.cast = Some(cast);
            bytes += frame.cast.len();
            self.send(Message::Binary(frame.cast.clone())).await?;
        }
        self.budget.spend(Instant::now(), bytes);
        self.under_way.push_back((frame.number, Instant::now()));
        self.frame = Some(frame.clone());
        self.send(Message::Binary(frame.bytes.clone())).await
    }

    async fn say_status(&mut self) -> Result<(), Gone> {
        let text = self.shared.status_text();
        self.send(Message::Text(text.into())).await
    }

    async fn beat(&mut self) -> Result<(), Gone> {
        match self.under_way.front() {
            Some((_, since)) if since.elapsed() > PATIENCE => Err(Trouble::Slow.into()),
            _ => self.say_status().await,
        }
    }

    async fn hear(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<(), Gone> {
        self.count()?;
        let text = match message {
            None | Some(Ok(Message::Close(_))) => return Err(Gone::Left),
            Some(Err(error)) => return Err(of_error(error)),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => return Ok(()),
            Some(Ok(Message::Binary(_))) => return Err(Trouble::Malformed.into()),
            Some(Ok(Message::Text(text))) => text,
        };
        let ask = Ask::read(&text).ok_or(Gone::Dropped(Trouble::Malformed))?;
        match ask {
            Ask::Got(number) => self.confirm(number),
            Ask::Body(k) => match &self.frame {
                Some(frame) => {
                    let text = message::body(frame, k).to_string();
                    self.send(Message::Text(text.into())).await
                }
                None => Ok(()),
            },
            _ if !self.shared.control.allowed => {
                let text = r#"{"refused":"the run was started without --control"}"#;
                self.send(Message::Text(text.into())).await
            }
            ask => {
                ask.act(&self.shared.control);
                self.shared.status.send_modify(|_| {});
                Ok(())
            }
        }
    }

    /// Takes note that a frame has arrived, and those before it.
    fn confirm(&mut self, number: u32) -> Result<(), Gone> {
        match self.under_way.iter().position(|(sent, _)| *sent == number) {
            Some(place) => {
                self.under_way.drain(..=place);
                Ok(())
            }
            None => Err(Trouble::Malformed.into()),
        }
    }

    fn count(&mut self) -> Result<(), Gone> {
        let (since, count) = &mut self.messages;
        if since.elapsed() > Duration::from_secs(1) {
            (*since, *count) = (Instant::now(), 0);
        }
        *count += 1;
        if *count > MAX_MESSAGES { Err(Trouble::Flood.into()) } else { Ok(()) }
    }
}

/// Whether a viewer has vanished, or has sent what it may not.
fn of_error(error: axum::Error) -> Gone {
    match error.into_inner().downcast::<WsError>().as_deref() {
        Ok(WsError::Capacity(_)) => Trouble::Oversized.into(),
        Ok(WsError::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => Gone::Left,
        Ok(WsError::Protocol(_) | WsError::Utf8(_)) => Trouble::Malformed.into(),
        _ => Gone::Left,
    }
}
