//! A live view of runs and snapshots in a browser.
//!
//! ```no_run
//! use manybody::driver::Driver;
//! use manybody::settings::Settings;
//! use manybody::watch::Watch;
//! use manybody_serve::{Address, Live, Server};
//! let watch = Watch::default();
//! let server = Server::start(&Address::default(), Some(watch.clone()))?;
//! println!("{}", server.url());
//! let mut live = Live::new(server);
//! let outcome = Driver::new(Settings::default()).watch(&watch).run_observed(&mut live)?;
//! live.close("finished");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! the thread of the run       Live: copies the bodies that are shown (sample) into a slot, if the last copy is old
//!           |                                 the newest scene, or none
//! the thread "live-frames"    encoder: densities, a box, 21 bits an axis: one frame for all viewers
//!           |                                 the newest frame
//! the thread "live-server"    one task a viewer: sends the newest frame, as long as the viewer confirms
//! ```
//!
//! No arrow is ever waited for: what a reader has not taken is replaced.
//!
//! | module | content |
//! |---|---|
//! | [`address`] | where to listen, and by which names a browser may call |
//! | `door` | who is let in: `Host`, `Origin`, token |
//! | `server` | the threads, the connections, their limits |
//! | `viewer`, `budget` | one WebSocket; what its link may carry |
//! | `message` | what a page may ask |
//! | `control` | play, pause, step, speed |
//! | `sample`, `scene`, `frame` | which bodies are shown; a state of them; its bytes |
//! | `encoder`, `density` | from scenes to frames |
//! | `live`, `player` | a run, or a series of snapshots, as the source |
//! | `notices` | what went wrong, each kind once |

pub mod address;
mod budget;
mod control;
mod density;
mod door;
mod encoder;
mod frame;
mod hello;
mod live;
mod message;
mod notices;
mod player;
mod sample;
mod scene;
mod server;
mod token;
mod viewer;

pub use address::Address;
pub use live::Live;
pub use player::Player;
pub use sample::MAX_BODIES;
pub use server::Server;
