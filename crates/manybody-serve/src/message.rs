//! What a page may ask, as JSON: `"play"`, `{"speed":10}`, `{"body":5}`. Anything else is malformed.

use crate::control::Control;
use crate::encoder::Frame;
use serde::Deserialize;
use serde_json::{Value, json};

/// Bytes of a message, at most.
pub(crate) const MAX_BYTES: usize = 1024;

/// A message of a page.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ask {
    /// The frame of this number has arrived.
    Got(u32),
    /// The numbers of a body, by its place in the cast.
    Body(u32),
    Play,
    Pause,
    Step,
    Stop,
    /// Steps a second, or null for no limit.
    Speed(Option<f64>),
    /// The snapshot at this place.
    Seek(usize),
}

impl Ask {
    /// Reads a message; `None` for a malformed one.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let is_speed = |speed: &f64| *speed >= 1e-3 && *speed <= 1e9;
        match serde_json::from_str(text).ok()? {
            Ask::Speed(Some(speed)) if !is_speed(&speed) => None,
            ask => Some(ask),
        }
    }

    /// Carries out what acts on the run.
    pub(crate) fn act(self, control: &Control) {
        match self {
            Ask::Got(_) | Ask::Body(_) => {}
            Ask::Play => control.play(),
            Ask::Pause => control.pause(),
            Ask::Step => control.step(),
            Ask::Stop => control.stop(),
            Ask::Speed(speed) => control.set_speed(speed),
            Ask::Seek(index) => control.seek(index),
        }
    }
}

/// The numbers of a body of the newest frame, without rounding; `null` for one that is not there.
pub(crate) fn body(frame: &Frame, k: u32) -> Value {
    let (scene, i) = (&frame.scene, k as usize);
    let cast = &scene.cast;
    let Some(id) = cast.id.get(i) else { return json!({ "body": null }) };
    let of = |columns: &[Vec<f64>; 3]| [0, 1, 2].map(|axis| columns[axis][i]);
    json!({ "body": {
        "place": k,
        "id": id.to_string(), // a number of JavaScript has 53 bits
        "mass": cast.mass[i],
        "group": cast.group.as_ref().map(|group| group[i]),
        "position": of(&scene.position),
        "velocity": of(&scene.velocity),
        "time": scene.numbers.time,
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_strictly() {
        for (text, ask) in [
            (r#""play""#, Ask::Play),
            (r#"{"got":7}"#, Ask::Got(7)),
            (r#"{"speed":2.5}"#, Ask::Speed(Some(2.5))),
            (r#"{"speed":null}"#, Ask::Speed(None)),
            (r#"{"seek":3}"#, Ask::Seek(3)),
        ] {
            assert_eq!(Ask::read(text), Some(ask));
        }
        for text in [
            "",
            "play",
            "{}",
            r#""fly""#,
            r#"{"speed":-1}"#,
            r#"{"speed":1e300}"#,
            r#"{"speed":"x"}"#,
            r#"{"got":-1}"#,
            r#"{"got":1,"body":2}"#,
            r#"["play"]"#,
        ] {
            assert_eq!(Ask::read(text), None, "{text}");
        }
    }
}
