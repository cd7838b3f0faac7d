//! Networks of hundreds of hosts at event level, with this hardware's arithmetic as the hosts'
//! congestion control.
//!
//! Data flow one way: [`scenario`] says what is asked for; [`topology`] and [`traffic`] make ways and
//! flows of it; [`engine`] runs them over the ports of [`lines`], with hosts that ask [`cc`] for their
//! pace, or that are whole NICs ([`cycle`]); [`results`] are what it has found, [`output`] and [`plots`]
//! the files.

pub mod acks;
pub mod cc;
pub mod convergence;
pub mod cycle;
pub mod engine;
mod events;
mod flow;
mod histogram;
mod hosts;
pub mod lines;
pub mod output;
pub mod plots;
mod random;
pub mod results;
pub mod scenario;
mod stamp;
pub mod suite;
pub mod topology;
pub mod traffic;
pub mod wire;

pub use engine::Plan;
pub use results::Results;
pub use scenario::Scenario;
