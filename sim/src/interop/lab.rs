//! NIC, guest and the wire between them, and how their clocks go together.
//!
//! The NIC is some hundred times slower than in hardware, the guest runs in real time, and both
//! share the machine with others. So that neither side's timers measure the machine:
//! - the guest's clock stands while more than a few frames wait for the NIC;
//! - the NIC runs at most [`CYCLES_PER_MS_MAX`] cycles for each millisecond of the guest, and
//!   [`IDLE_CYCLES_PER_MS`] or fewer while it only waits, so that waiting costs little.

use super::guest::{Event, Guest};
use super::stack::{Address, HostStack};
use super::wire::{Direction, Wire};
use super::InteropError;
use crate::env::station::{Manners, NicEngine, Station};
use nic_driver::{Completion, Nic};
use std::time::{Duration, Instant};

/// The NIC runs so many cycles between two looks at the guest.
const SLICE_CYCLES: u64 = 256;
/// A NIC whose streams and memory port rest for so long waits for the guest or for a timer.
const QUIET_CYCLES: u64 = 512;
/// Cycles of the NIC for each millisecond of the guest.
const CYCLES_PER_MS_MAX: i64 = 1000;
/// So many cycles may be saved up.
const SAVED_CYCLES_MAX: i64 = 20_000;
/// Cycles of a waiting NIC for each millisecond of the guest: its timers run.
const IDLE_CYCLES_PER_MS: u64 = 400;
/// The same without requests of its own, when no timer of its runs.
const PASSIVE_CYCLES_PER_MS: u64 = 20;
/// The guest's clock stands while more than this waits for the NIC.
const BACKLOG_BYTES_MAX: usize = 16 * 1024;
/// It is only stopped when no frame has come for so long: QEMU throws away a frame that is on its
/// way out of the guest when its clock stops.
const PAUSE_BEFORE_HOLD: Duration = Duration::from_millis(2);
/// It goes on when less than this is left.
const BACKLOG_BYTES_LOW: usize = 4 * 1024;
/// Waiting takes steps of this length.
const NAP: Duration = Duration::from_millis(1);
/// The guest is up within this time. It sends nothing before.
const BOOT_LIMIT: Duration = Duration::from_secs(120);
/// Any other step ends within this time, and has frames on the wire to show for it.
const STEP_LIMIT: Duration = Duration::from_secs(900);
const SILENCE_LIMIT: Duration = Duration::from_secs(60);

/// The laboratory.
#[derive(Debug)]
pub struct Lab {
    /// The NIC.
    pub nic: Nic<Station>,
    /// The wire.
    pub wire: Wire,
    /// The NIC's host's stack.
    pub stack: HostStack,
    guest: Guest,
    answers: Vec<String>,
    is_up: bool,
    /// The guest's time when the NIC ran last.
    guest_time: Duration,
    /// Cycles that the NIC may run.
    saved_cycles: i64,
    backlog_bytes: usize,
    last_frame: Instant,
    /// Requests of the NIC that are not complete.
    outstanding: usize,
    completions: Vec<Completion>,
}

impl Lab {
    /// Resets the NIC and waits until the guest takes commands.
    pub fn new(
        engine: NicEngine,
        guest: Guest,
        wire: Wire,
        local: Address,
        seed: u64,
    ) -> Result<Self, InteropError> {
        let mut nic = Nic::probe(Station::new(engine, Manners::Prompt, seed)?)?;
        nic.set_address(local.mac, local.ip)?;
        let mut lab = Self {
            nic,
            wire,
            stack: HostStack::new(local),
            guest,
            answers: Vec::new(),
            is_up: false,
            guest_time: Duration::ZERO,
            saved_cycles: 0,
            backlog_bytes: 0,
            last_frame: Instant::now(),
            outstanding: 0,
            completions: Vec::new(),
        };
        lab.wait("the guest does not boot", BOOT_LIMIT, |lab| Ok(lab.is_up.then_some(())))?;
        Ok(lab)
    }

    /// An error with the last lines of the guest's console.
    fn guest_failed(&self, what: &str) -> InteropError {
        InteropError::Guest { what: what.into(), console: self.guest.console_tail() }
    }

    /// Runs NIC and guest until `done` has a result; an error that says `what` after `limit`.
    pub fn wait<T>(
        &mut self,
        what: &str,
        limit: Duration,
        mut done: impl FnMut(&mut Self) -> Result<Option<T>, InteropError>,
    ) -> Result<T, InteropError> {
        let start = Instant::now();
        let silence_limit = if self.is_up { SILENCE_LIMIT } else { limit };
        let (mut frames, mut last_frame) = (self.wire.counters.frames, start);
        loop {
            self.pump()?;
            if let Some(result) = done(self)? {
                return Ok(result);
            }
            if self.wire.counters.frames != frames {
                (frames, last_frame) = (self.wire.counters.frames, Instant::now());
            }
            if start.elapsed() > limit || last_frame.elapsed() > silence_limit {
                let text = format!("{what}, {} s after the start", start.elapsed().as_secs());
                return Err(self.guest_failed(&text));
            }
        }
    }

    /// One slice of NIC time or one nap.
    fn pump(&mut self) -> Result<(), InteropError> {
        self.take(Duration::ZERO)?;
        let station = self.nic.bus();
        let waiting = station.undelivered();
        let is_busy = waiting > 0 || station.quiet_cycles() < QUIET_CYCLES;
        if waiting == 0 {
            self.backlog_bytes = 0;
        }
        if self.saved_cycles <= 0 || self.backlog_bytes < BACKLOG_BYTES_LOW {
            self.guest.release()?;
        } else if self.backlog_bytes > BACKLOG_BYTES_MAX
            && self.last_frame.elapsed() > PAUSE_BEFORE_HOLD
        {
            self.guest.hold()?;
        }
        if !is_busy || self.saved_cycles <= 0 {
            self.take(NAP)?;
        }
        let slept = self.guest.ran().saturating_sub(self.guest_time);
        self.guest_time += slept;
        self.saved_cycles += slept.as_micros() as i64 * CYCLES_PER_MS_MAX / 1000;
        self.saved_cycles = self.saved_cycles.min(SAVED_CYCLES_MAX);
        if is_busy && self.saved_cycles > 0 {
            self.run(SLICE_CYCLES)?;
            let left = self.nic.bus().undelivered();
            self.backlog_bytes = self.backlog_bytes * left / waiting.max(1);
        } else if !is_busy {
            let rate = match self.outstanding {
                0 => PASSIVE_CYCLES_PER_MS,
                _ => IDLE_CYCLES_PER_MS,
            };
            self.run((slept.as_micros() as u64 * rate / 1000).min(SLICE_CYCLES))?;
        }
        self.forward()
    }

    fn run(&mut self, cycles: u64) -> Result<(), InteropError> {
        self.saved_cycles -= cycles as i64;
        Ok(self.nic.bus().run(cycles)?)
    }

    /// Takes what the guest did; waits at most `nap` for the first event.
    fn take(&mut self, mut nap: Duration) -> Result<(), InteropError> {
        while let Some(event) = self.guest.poll(nap) {
            nap = Duration::ZERO;
            match event {
                Event::Frame(frame) => {
                    self.last_frame = Instant::now();
                    for _ in 0..self.wire.pass(Direction::ToNic, &frame)? {
                        self.backlog_bytes += frame.len();
                        self.nic.bus().deliver(frame.clone(), false);
                    }
                }
                Event::Console(line) => self.is_up |= line.contains("guest: up"),
                Event::Answer(line) if line.starts_with("ok") => self.answers.push(line),
                Event::Answer(line) => return Err(self.guest_failed(&format!("guest: {line}"))),
                Event::Closed => return Err(self.guest_failed("QEMU ended")),
            }
        }
        Ok(())
    }

    /// Takes what the NIC sent, to the wire and to its host.
    fn forward(&mut self) -> Result<(), InteropError> {
        while let Some((_, frame)) = self.nic.bus().sent.pop_front() {
            for _ in 0..self.wire.pass(Direction::ToGuest, &frame.bytes)? {
                self.guest.send(frame.bytes.clone());
            }
        }
        while let Some(frame) = self.nic.bus().to_host.pop_front() {
            if let Some(reply) = self.stack.receive(&frame.bytes) {
                self.nic.bus().send_from_host(&reply);
                self.nic.bus().run(SLICE_CYCLES)?;
            }
        }
        Ok(())
    }

    /// Lets the NIC take all that the guest has sent, at its own pace.
    pub fn drain(&mut self) -> Result<(), InteropError> {
        while self.nic.bus().undelivered() > 0 {
            self.run(SLICE_CYCLES)?;
            self.forward()?;
            self.take(Duration::ZERO)?;
        }
        self.saved_cycles = 0;
        Ok(())
    }

    /// Sends a command to the guest; [`Lab::answer`] takes its answer.
    pub fn tell(&mut self, command: &str) -> Result<(), InteropError> {
        Ok(self.guest.tell(command)?)
    }

    /// The guest's answer to the command sent first, behind its "ok".
    pub fn answer(&mut self, command: &str) -> Result<String, InteropError> {
        let what = format!("the guest does not answer \"{command}\"");
        let line = self.wait(&what, STEP_LIMIT, |lab| {
            Ok((!lab.answers.is_empty()).then(|| lab.answers.remove(0)))
        })?;
        Ok(line.trim_start_matches("ok").trim().to_string())
    }

    /// Sends a command and waits for its answer.
    pub fn ask(&mut self, command: &str) -> Result<String, InteropError> {
        self.tell(command)?;
        self.answer(command)
    }

    /// The next `count` completions of the NIC.
    pub fn completions(&mut self, count: usize) -> Result<Vec<Completion>, InteropError> {
        self.outstanding = count;
        let completions = self.wait("the NIC does not complete", STEP_LIMIT, |lab| {
            while let Some(completion) = lab.nic.poll()? {
                lab.completions.push(completion);
            }
            Ok((lab.completions.len() >= count).then(|| lab.completions.drain(..count).collect()))
        })?;
        self.outstanding = 0;
        Ok(completions)
    }

    /// Waits until a ping of ours has its reply.
    pub fn ping(&mut self, peer: Address, sequence: u16) -> Result<(), InteropError> {
        let ping = self.stack.ping(peer, sequence);
        let before = self.stack.counters.ping_replies;
        self.nic.bus().send_from_host(&ping);
        self.nic.bus().run(SLICE_CYCLES)?;
        self.wait("the guest does not answer a ping", STEP_LIMIT, |lab| {
            Ok((lab.stack.counters.ping_replies > before).then_some(()))
        })
    }
}
