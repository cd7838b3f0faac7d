//! Frames of the host to the registers and event ports of a core, and its answers to frames.
//!
//! # Source            fw/spec/src/serial.rs
//! # Interface timing  one frame at a time: it is taken whole, done, and answered whole before the
//!                     next one is looked at
//! # Latency and rate  a byte a cycle as far as the neighbours go; a cycle for each byte by which a
//!                     payload is shorter than the longest, and what the core takes
//! # Errors            a frame that is broken, of no known kind or of a wrong length does nothing;
//!                     the answer says which, and what the line has lost since the last such answer
//! # Reset             synchronous, high: between frames, nothing offered, s_ready = 0 for a cycle
//! # Twins             none: sim/tests/board.rs and sim/tests/ecpix5/ compare what the host gets

use nic_hdl::events::CcEvents;
use nic_hdl::host::uart::FrameItem;
use nic_hdl::rows::{AckEvent, FlowEvent, RateEvent};
use nic_hdl::streams::{AxiLite, AxisEvent, Word};
use nic_hdl::{block, kernel, Reg, Unreset};
use nic_spec::serial;
use rust_hdl_core::prelude::*;

/// What the bridge is about.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum State {
    Kind,
    Number,
    Payload,
    Place,
    Offer,
    Wait,
    TellKind,
    TellNumber,
    TellBytes,
    TellEnd,
}

/// Bits of the longest payload of a core with event ports, an ACK.
pub const ACK_BITS: usize = 8 * serial::ACK_BYTES_MAX;
/// As [`ACK_BITS`], of a core that has registers alone: a write.
pub const WRITE_BITS: usize = 8 * serial::WRITE_BYTES;

/// The host of a core; payloads have up to `PB` bits. With [`WRITE_BITS`] kinds of events are
/// unknown, and nothing is connected to the event ports.
#[block(check(PB == ACK_BITS || PB == WRITE_BITS))]
pub struct Bridge<const PB: usize> {
    /// A frame from the host.
    pub s: Word<In, FrameItem>,
    /// An answer.
    pub m: Word<Out, FrameItem>,
    /// Registers of the core.
    pub m_axil: AxiLite<Out>,
    /// ACKs.
    pub m_axis_ack: AxisEvent<Out, AckEvent>,
    /// Flow commands.
    pub m_axis_flow: AxisEvent<Out, FlowEvent>,
    /// Results.
    pub s_axis_rate: AxisEvent<In, RateEvent>,
    /// Why an ACK has no result.
    pub event_cc: CcEvents<In>,
    /// A byte from the line was lost: nobody took it.
    pub lost: Signal<In, Bit>,
    /// A byte from the line was lost: it had no stop bit.
    pub broken: Signal<In, Bit>,
    /// A frame is being worked on.
    pub busy: Signal<Out, Bit>,
    /// A frame has been refused since the reset.
    pub refused: Signal<Out, Bit>,
    #[reset(State::Kind)]
    state: Reg<State>,
    ready: Reg<Bit>,
    valid: Reg<Bit>,
    item: Reg<FrameItem>,
    working: Reg<Bit>,
    has_refused: Reg<Bit>,
    was_lost: Reg<Bit>,
    was_broken: Reg<Bit>,
    kind: Unreset<Bits<8>>,
    number: Unreset<Bits<8>>,
    /// Payload bytes that may still come.
    room: Unreset<Bits<6>>,
    is_long: Unreset<Bit>,
    /// The payload, then the answer's, lowest byte first.
    words: Reg<Bits<PB>>,
    left: Unreset<Bits<6>>,
    awvalid: Reg<Bit>,
    wvalid: Reg<Bit>,
    arvalid: Reg<Bit>,
    bready: Reg<Bit>,
    rready: Reg<Bit>,
    ack_valid: Reg<Bit>,
    flow_valid: Reg<Bit>,
    rate_ready: Reg<Bit>,
    takes: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    is_known: Signal<Local, Bit>,
    is_formed: Signal<Local, Bit>,
    is_broken: Signal<Local, Bit>,
    is_formless: Signal<Local, Bit>,
    refuses: Signal<Local, Bit>,
    can_tell: Signal<Local, Bit>,
    event_taken: Signal<Local, Bit>,
    shift: Signal<Local, Bit>,
    shift_in: Signal<Local, Bits<8>>,
    wide: Signal<Local, Bits<PB>>,
    top: Signal<Local, Bits<PB>>,
    ack: Signal<Local, Bits<416>>,
    flow: Signal<Local, Bits<96>>,
    load: Signal<Local, Bit>,
    loaded: Signal<Local, Bits<256>>,
    told: Signal<Local, Bits<40>>,
    refusal: Signal<Local, Bits<8>>,
    ignored: Signal<Local, Bits<8>>,
    #[value(u64::from(serial::ANSWER))]
    answer: Constant<Bits<8>>,
    #[value(u64::from(serial::IGNORED))]
    no_result: Constant<Bits<8>>,
    #[value(u64::from(serial::REFUSED))]
    refusing: Constant<Bits<8>>,
    #[value(u64::from(if PB == ACK_BITS { serial::ACK } else { serial::READ }))]
    last_kind: Constant<Bits<8>>,
    #[value(PB as u64 - 8)]
    top_byte: Constant<Bits<9>>,
    #[value(PB as u64 / 8)]
    all_room: Constant<Bits<6>>,
    #[value((PB / 8 - serial::WRITE_BYTES) as u64)]
    write_room: Constant<Bits<6>>,
    #[value((PB / 8 - serial::READ_BYTES) as u64)]
    read_room: Constant<Bits<6>>,
    #[value((PB / 8).saturating_sub(serial::FLOW_BYTES) as u64)]
    flow_room: Constant<Bits<6>>,
    #[value(serial::READ_ANSWER_BYTES as u64)]
    read_bytes: Constant<Bits<6>>,
    #[value(serial::RESULT_BYTES as u64)]
    result_bytes: Constant<Bits<6>>,
    #[value(1)]
    one: Constant<Bits<6>>,
    #[value(0)]
    none: Constant<Bits<6>>,
    #[value(15)]
    all_strobes: Constant<Bits<4>>,
}

#[kernel]
impl<const PB: usize> Logic for Bridge<PB> {
    fn update(&mut self) {
        self.outputs();
        self.defaults();
        self.decide();
        match self.state.val() {
            State::Kind => {
                self.room.next = self.all_room.val();
                self.is_long.next = false;
                if self.takes.val() {
                    self.kind.next = self.s.data.val().data;
                    self.state.next = State::Number;
                }
            }
            State::Number => {
                if self.takes.val() {
                    self.number.next = self.s.data.val().data;
                    self.state.next = State::Payload;
                }
            }
            State::Payload => {
                if self.takes.val() {
                    if self.s.data.val().last {
                        self.state.next = State::Place;
                    } else if self.room.val() == self.none.val() {
                        self.is_long.next = true;
                    } else {
                        self.room.next = self.room.val() - 1;
                        self.shift.next = true;
                    }
                }
            }
            State::Place => {
                comment!("The first byte of the payload comes to the lowest place.");
                if self.room.val() == self.none.val() {
                    self.state.next = State::Offer;
                } else {
                    self.room.next = self.room.val() - 1;
                    self.shift.next = true;
                    self.shift_in.next = 0.into();
                }
            }
            State::Offer => {
                self.offer();
            }
            State::Wait => {
                self.wait();
            }
            State::TellKind => {
                if self.can_tell.val() {
                    self.valid.next = true;
                    self.item.next.data = self.kind.val();
                    self.state.next = State::TellNumber;
                }
            }
            State::TellNumber => {
                if self.can_tell.val() {
                    self.valid.next = true;
                    self.item.next.data = self.number.val();
                    self.state.next = State::TellBytes;
                }
            }
            State::TellBytes => {
                if self.can_tell.val() {
                    self.valid.next = true;
                    self.item.next.data = self.words.val().get_bits::<8>(0);
                    self.shift.next = true;
                    self.left.next = self.left.val() - 1;
                    if self.left.val() == self.one.val() {
                        self.state.next = State::TellEnd;
                    }
                }
            }
            State::TellEnd => {
                if self.can_tell.val() {
                    self.valid.next = true;
                    self.item.next.last = true;
                    self.state.next = State::Kind;
                }
            }
        }
        self.refuse();
        self.move_words();
    }

    /// What happens unless the state says otherwise.
    fn defaults(&mut self) {
        self.takes.next = self.ready.val() && self.s.valid.val();
        self.can_tell.next = !self.valid.val() || self.m.ready.val();
        self.event_taken.next = (self.ack_valid.val() && self.m_axis_ack.tready.val())
            || (self.flow_valid.val() && self.m_axis_flow.tready.val());
        self.shift.next = false;
        self.shift_in.next = self.s.data.val().data;
        self.load.next = false;
        self.told.next = 0.into();
        if self.can_tell.val() {
            self.valid.next = false;
            self.item.next.last = false;
        }
        self.working.next = self.state.val() != State::Kind;
        comment!("A frame is taken item by item, every other cycle.");
        self.ready.next = !self.takes.val()
            && ((self.state.val() == State::Kind)
                || (self.state.val() == State::Number)
                || (self.state.val() == State::Payload));
        self.bready.next = false;
        self.rready.next = false;
        self.rate_ready.next = false;
        if self.m_axil.awready.val() {
            self.awvalid.next = false;
        }
        if self.m_axil.wready.val() {
            self.wvalid.next = false;
        }
        if self.m_axil.arready.val() {
            self.arvalid.next = false;
        }
        if self.m_axis_ack.tready.val() {
            self.ack_valid.next = false;
        }
        if self.m_axis_flow.tready.val() {
            self.flow_valid.next = false;
        }
    }

    /// To the core: what the kind says.
    fn offer(&mut self) {
        self.state.next = State::Wait;
        self.kind.next = self.kind.val() | self.answer.val();
        match self.kind.val().index() {
            1 => {
                self.awvalid.next = true;
                self.wvalid.next = true;
            }
            2 => {
                self.arvalid.next = true;
            }
            3 => {
                self.flow_valid.next = true;
            }
            _ => {
                self.ack_valid.next = true;
            }
        }
    }

    /// For the core. The result of an event stands when the event is taken.
    fn wait(&mut self) {
        self.left.next = self.one.val();
        if self.m_axil.bvalid.val() {
            self.bready.next = true;
            self.load.next = true;
            self.told.next = bit_cast::<40, 2>(self.m_axil.bresp.val());
            self.state.next = State::TellKind;
        } else if self.m_axil.rvalid.val() {
            self.rready.next = true;
            self.load.next = true;
            self.told.next = bit_cast::<40, 32>(self.m_axil.rdata.val())
                | (bit_cast::<40, 2>(self.m_axil.rresp.val()) << 32);
            self.left.next = self.read_bytes.val();
            self.state.next = State::TellKind;
        } else if self.event_taken.val() {
            self.load.next = true;
            self.state.next = State::TellKind;
            if self.s_axis_rate.tvalid.val() {
                self.rate_ready.next = true;
                self.left.next = self.result_bytes.val();
            } else {
                self.kind.next = self.no_result.val();
                self.told.next = bit_cast::<40, 8>(self.ignored.val());
            }
        }
    }

    /// Whether the payload has the length that the kind asks for, and what else there is to tell.
    fn decide(&mut self) {
        match self.kind.val().index() {
            1 => {
                self.fits.next = self.room.val() == self.write_room.val();
            }
            2 => {
                self.fits.next = self.room.val() == self.read_room.val();
            }
            3 => {
                self.fits.next = self.room.val() == self.flow_room.val();
            }
            4 => {
                self.fits.next = self.room.val() <= self.flow_room.val();
            }
            _ => {
                self.fits.next = false;
            }
        }
        self.is_known.next = self.kind.val() <= self.last_kind.val();
        self.is_formed.next = (self.state.val() == State::Payload)
            && self.is_known.val()
            && self.fits.val()
            && !self.is_long.val();
        self.refuses.next = self.takes.val()
            && self.s.data.val().last
            && (!self.s.data.val().good || !self.is_formed.val());
        self.is_broken.next = !self.s.data.val().good;
        self.is_formless.next = self.s.data.val().good && !self.is_formed.val();
        self.refusal.next = bit_cast::<8, 1>(self.is_broken.val().into())
            | (bit_cast::<8, 1>(self.is_formless.val().into()) << 1)
            | (bit_cast::<8, 1>(self.was_lost.val().into()) << 2)
            | (bit_cast::<8, 1>(self.was_broken.val().into()) << 3);
        self.ignored.next = bit_cast::<8, 1>(self.event_cc.psn.val().into())
            | (bit_cast::<8, 1>(self.event_cc.time.val().into()) << 1)
            | (bit_cast::<8, 1>(self.event_cc.bytes.val().into()) << 2)
            | (bit_cast::<8, 1>(self.event_cc.queue.val().into()) << 3);
    }

    /// A frame that does nothing ends here.
    fn refuse(&mut self) {
        if self.refuses.val() {
            self.kind.next = self.refusing.val();
            self.left.next = self.one.val();
            self.load.next = true;
            self.told.next = bit_cast::<40, 8>(self.refusal.val());
            self.has_refused.next = true;
            self.was_lost.next = false;
            self.was_broken.next = false;
            self.state.next = State::TellKind;
        }
        if self.lost.val() {
            self.was_lost.next = true;
        }
        if self.broken.val() {
            self.was_broken.next = true;
        }
    }

    /// The words are the payload, then what is told.
    fn move_words(&mut self) {
        self.wide.next = bit_cast::<PB, 8>(self.shift_in.val());
        self.top.next = self.wide.val() << self.top_byte.val();
        self.loaded.next = bit_cast::<256, 40>(self.told.val());
        if self.event_taken.val() && self.s_axis_rate.tvalid.val() {
            self.loaded.next = self.s_axis_rate.tdata.val().into();
        }
        if self.load.val() {
            self.words.next = bit_cast::<PB, 256>(self.loaded.val());
        } else if self.shift.val() {
            self.words.next = (self.words.val() >> 8) | self.top.val();
        }
    }

    /// Registers to the ports.
    fn outputs(&mut self) {
        self.s.ready.next = self.ready.val();
        self.m.valid.next = self.valid.val();
        self.m.data.next = self.item.val();
        self.busy.next = self.working.val();
        self.refused.next = self.has_refused.val();
        comment!("registers");
        self.m_axil.awaddr.next = self.words.val().get_bits::<16>(0);
        self.m_axil.awprot.next = 0.into();
        self.m_axil.awvalid.next = self.awvalid.val();
        self.m_axil.wdata.next = self.words.val().get_bits::<32>(16);
        self.m_axil.wstrb.next = self.all_strobes.val();
        self.m_axil.wvalid.next = self.wvalid.val();
        self.m_axil.bready.next = self.bready.val();
        self.m_axil.araddr.next = self.words.val().get_bits::<16>(0);
        self.m_axil.arprot.next = 0.into();
        self.m_axil.arvalid.next = self.arvalid.val();
        self.m_axil.rready.next = self.rready.val();
        comment!("events");
        self.m_axis_ack.tvalid.next = self.ack_valid.val();
        self.ack.next = bit_cast::<416, PB>(self.words.val());
        self.flow.next = bit_cast::<96, PB>(self.words.val());
        self.m_axis_ack.tdata.next = self.ack.val().into();
        self.m_axis_flow.tvalid.next = self.flow_valid.val();
        self.m_axis_flow.tdata.next = self.flow.val().into();
        self.s_axis_rate.tready.next = self.rate_ready.val();
    }
}
