//! Sequencer of the requester: picks an operation and walks through its states.
//!
//! # Source            InfiniBand, volume 1, section 9.7.5 (reliable requester)
//! # Interface timing  part of `requester`: the operation that is picked in [`State::Idle`] has its
//!                     flow's row in registers from [`State::Check`] on; the sink's ready is high
//!                     in [`State::Done`]
//! # Latency and rate  one state a cycle; states that fill an output slot wait until it is free
//! # Reset             synchronous, high: scrubs the 2^FB flow rows, one a cycle
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use crate::Module;
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// States of the requester. `Pn` and `Len` prepare the next packet.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum State {
    /// Flow rows are cleared after reset.
    Scrub,
    /// An operation is picked; in the second cycle its flow row is read.
    Idle,
    /// The flow row goes to registers.
    Load,
    /// Differences of the ACK's PSN; posts and grants are judged.
    Check,
    /// The ACK's PSN against what is outstanding.
    Class,
    /// ACK and timer are judged.
    Decide,
    /// A READ response: the work request at hand may be the READ.
    Seek,
    /// The next one is read.
    SeekRead,
    /// It goes to registers.
    SeekLoad,
    /// A READ response against the packet that is due.
    Match,
    /// READ responses are judged.
    Answer,
    /// The payload's order goes out.
    Order,
    /// The READ goes on by a packet; the last one completes it.
    Advance,
    /// The head work request is completed if it is covered.
    Retire,
    /// The next head is read.
    NextRead,
    /// It goes to registers.
    NextLoad,
    /// Differences of the acknowledged PSN to it.
    NextDiff,
    /// Unacknowledged PSN and byte sequence move.
    Seq,
    /// Rewind, timer, retry count.
    Fin,
    /// In-flight bytes and telemetry go out, the row is written.
    Emit,
    /// The sink's ready is high.
    Done,
    /// The current work request is read.
    WrRead,
    /// It goes to registers.
    WrLoad,
    /// Packet number in the message.
    P0,
    /// Bytes left, addresses.
    P1,
    /// Bytes of this packet, last or not.
    P2,
    /// Packet and read command go out.
    Send,
    /// The position after the packet is known; P0 of the next one in the message.
    More,
    /// Frame bytes of the next packet.
    Len,
    /// The flow is armed.
    Arm,
    /// The row is written.
    Save,
    /// Packets of a new work request: rounded length.
    Post0,
    /// Shifted.
    Post1,
    /// The work request is written.
    Post2,
    /// A failed queue pair's head is read.
    FailRead,
    /// It goes to registers.
    FailLoad,
    /// It is completed.
    FailEmit,
    /// The queue is empty, the queue pair is in error.
    FailEnd,
    /// A work request for a queue pair in error is completed.
    Flush,
}

/// Operations of the requester.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum Op {
    /// ACK or NAK from the rx pipe.
    Ack,
    /// READ response.
    Response,
    /// Queue pair row.
    Qp,
    /// Work request row.
    Wr,
    /// Another block's row.
    Other,
    /// Host memory read error.
    Fail,
    /// The scheduler lets a flow send.
    Grant,
    /// Timer scan.
    Scan,
}

/// Chooses the next operation; `FB` = log2 of the flow count.
#[derive(LogicBlock)]
pub struct RequesterPick<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// An ACK waits.
    pub ack_valid: Signal<In, Bit>,
    /// Its flow.
    pub ack_flow: Signal<In, Bits<FB>>,
    /// Its operation code.
    pub ack_opcode: Signal<In, Bits<8>>,
    /// A row waits.
    pub cfg_valid: Signal<In, Bit>,
    /// Its table.
    pub cfg_table: Signal<In, Bits<2>>,
    /// Its flow.
    pub cfg_flow: Signal<In, Bits<FB>>,
    /// A read error waits.
    pub fail_valid: Signal<In, Bit>,
    /// Its flow.
    pub fail_flow: Signal<In, Bits<FB>>,
    /// A grant waits and the packet's output slots are free.
    pub grant_valid: Signal<In, Bit>,
    /// Its flow.
    pub grant_flow: Signal<In, Bits<FB>>,
    /// There is something to do; only in Idle.
    pub picked: Signal<Out, Bit>,
    /// What.
    pub op: Signal<Out, Op>,
    /// For which flow.
    pub flow: Signal<Out, Bits<FB>>,
    scan_flow: DFF<Bits<FB>>,
    scan_count: DFF<Bits<5>>,
    scan_due: DFF<Bit>,
    scan_urgent: DFF<Bit>,
    found: DFF<Bit>,
    choice: DFF<Op>,
    place: DFF<Bits<FB>>,
    acknowledge: Constant<Bits<8>>,
}

impl<const FB: usize> Default for RequesterPick<FB> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            state: Default::default(),
            ack_valid: Default::default(),
            ack_flow: Default::default(),
            ack_opcode: Default::default(),
            cfg_valid: Default::default(),
            cfg_table: Default::default(),
            cfg_flow: Default::default(),
            fail_valid: Default::default(),
            fail_flow: Default::default(),
            grant_valid: Default::default(),
            grant_flow: Default::default(),
            picked: Default::default(),
            op: Default::default(),
            flow: Default::default(),
            scan_flow: Default::default(),
            scan_count: Default::default(),
            scan_due: Default::default(),
            scan_urgent: Default::default(),
            found: Default::default(),
            choice: Default::default(),
            place: Default::default(),
            acknowledge: Constant::new(u64::from(opcode::ACKNOWLEDGE).into()),
        }
    }
}

impl<const FB: usize> Logic for RequesterPick<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, scan_flow, scan_count, scan_due, scan_urgent, found, choice, place);
        self.picked.next = self.found.q.val();
        self.op.next = self.choice.q.val();
        self.flow.next = self.place.q.val();
        comment!("A timer scan that has waited for a whole interval goes first.");
        self.found.d.next = self.state.val() == State::Idle;
        self.choice.d.next = Op::Scan;
        self.place.d.next = self.scan_flow.q.val();
        if !self.scan_urgent.q.val() {
            if self.ack_valid.val() {
                self.choice.d.next = Op::Response;
                if self.ack_opcode.val() == self.acknowledge.val() {
                    self.choice.d.next = Op::Ack;
                }
                self.place.d.next = self.ack_flow.val();
            } else if self.cfg_valid.val() {
                self.choice.d.next = Op::Other;
                if self.cfg_table.val() == 0 {
                    self.choice.d.next = Op::Qp;
                } else if self.cfg_table.val() == 2 {
                    self.choice.d.next = Op::Wr;
                }
                self.place.d.next = self.cfg_flow.val();
            } else if self.fail_valid.val() {
                self.choice.d.next = Op::Fail;
                self.place.d.next = self.fail_flow.val();
            } else if self.grant_valid.val() {
                self.choice.d.next = Op::Grant;
                self.place.d.next = self.grant_flow.val();
            } else {
                self.found.d.next = self.scan_due.q.val() & (self.state.val() == State::Idle);
            }
        }
        self.scan_count.d.next = self.scan_count.q.val() + 1;
        if self.scan_count.q.val().all() {
            self.scan_due.d.next = true;
            self.scan_urgent.d.next = self.scan_due.q.val();
        }
        if (self.state.val() == State::Idle)
            & self.found.q.val()
            & (self.choice.q.val() == Op::Scan)
        {
            self.scan_flow.d.next = self.scan_flow.q.val() + 1;
            self.scan_due.d.next = false;
            self.scan_urgent.d.next = false;
        }
        if self.reset.val() {
            self.scan_flow.d.next = 0.into();
            self.scan_count.d.next = 0.into();
            self.scan_due.d.next = false;
            self.scan_urgent.d.next = false;
            self.found.d.next = false;
            self.choice.d.next = Op::Ack;
            self.place.d.next = 0.into();
        }
    }
}

/// Sequencer; `FB` = log2 of the flow count.
#[derive(LogicBlock, Default)]
pub struct RequesterCtl<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// There is something to do.
    pub picked: Signal<In, Bit>,
    /// What.
    pub pick_op: Signal<In, Op>,
    /// For which flow.
    pub pick_flow: Signal<In, Bits<FB>>,
    /// The ACK is worked on.
    pub ack_accept: Signal<In, Bit>,
    /// How it is counted.
    pub ack_pulse: Signal<In, Bits<10>>,
    /// Completion status if it is a fatal NAK.
    pub ack_status: Signal<In, Bits<8>>,
    /// It is an ACK.
    pub is_ack: Signal<In, Bit>,
    /// It is a NAK for a PSN sequence error.
    pub is_nak_sequence: Signal<In, Bit>,
    /// It is another NAK, RNR excepted.
    pub is_nak_fatal: Signal<In, Bit>,
    /// The queue pair is valid.
    pub qp_valid: Signal<In, Bit>,
    /// It is in error.
    pub qp_error: Signal<In, Bit>,
    /// An arm is outstanding.
    pub armed: Signal<In, Bit>,
    /// Waits for the RNR timer.
    pub is_rnr: Signal<In, Bit>,
    /// Work requests left to send.
    pub pending: Signal<In, Bit>,
    /// No work request in the queue.
    pub sq_empty: Signal<In, Bit>,
    /// No room in the queue.
    pub sq_full: Signal<In, Bit>,
    /// The head is the only work request.
    pub sq_single: Signal<In, Bit>,
    /// The unacknowledged PSN has moved.
    pub has_progress: Signal<In, Bit>,
    /// The head is acknowledged as a whole.
    pub covered: Signal<In, Bit>,
    /// The flow's timer has run out.
    pub expired: Signal<In, Bit>,
    /// No retry is left.
    pub retry_out: Signal<In, Bit>,
    /// No RNR retry is left.
    pub rnr_out: Signal<In, Bit>,
    /// It is an RNR NAK.
    pub is_nak_rnr: Signal<In, Bit>,
    /// The answer is for the queue pair and its PSN is outstanding.
    pub outstanding: Signal<In, Bit>,
    /// READs have been sent and have not ended.
    pub reads_open: Signal<In, Bit>,
    /// The work request at hand is a READ.
    pub is_read: Signal<In, Bit>,
    /// The answer has payload.
    pub has_payload: Signal<In, Bit>,
    /// It is the READ response whose turn it is.
    pub due: Signal<In, Bit>,
    /// Its PSN is before the READ.
    pub behind: Signal<In, Bit>,
    /// It has the opcode and the bytes that are due.
    pub good: Signal<In, Bit>,
    /// It is the last one of the READ.
    pub last_response: Signal<In, Bit>,
    /// The next packet is a READ that waits for another one to end.
    pub held: Signal<In, Bit>,
    /// The packet that was prepared may not be sent yet.
    pub blocked: Signal<In, Bit>,
    /// The packet that was prepared ends its message.
    pub last_packet: Signal<In, Bit>,
    /// The packet's PSN has been sent before.
    pub is_resend: Signal<In, Bit>,
    /// The order slot is taken.
    pub order_busy: Signal<In, Bit>,
    /// The in-flight or the telemetry slot is taken.
    pub inflight_busy: Signal<In, Bit>,
    /// The arm slot is taken.
    pub work_busy: Signal<In, Bit>,
    /// State.
    pub state: Signal<Out, State>,
    /// Operation.
    pub op: Signal<Out, Op>,
    /// Flow of the operation.
    pub flow: Signal<Out, Bits<FB>>,
    /// Everything sent and not acknowledged is sent again.
    pub rewind: Signal<Out, Bit>,
    /// The packet that is prepared is to be armed; else it is to be sent or has come.
    pub arming: Signal<Out, Bit>,
    /// WRITEs stand before the READ that was found.
    pub passed: Signal<Out, Bit>,
    /// The payload at hand lands; else it is dropped.
    pub lands: Signal<Out, Bit>,
    /// Completion status of the next failed work request.
    pub status: Signal<Out, Bits<8>>,
    /// Readies of ack, cfg, fail, grant.
    pub ready: Signal<Out, Bits<4>>,
    /// Events: ack, stale, ghost, nak_sequence, nak_rnr, nak_fatal, no_qp, retransmit_packet,
    /// timeout, wr_refused.
    pub pulse: Signal<Out, Bits<10>>,
    now_state: DFF<State>,
    now_op: DFF<Op>,
    now_flow: DFF<Bits<FB>>,
    again: DFF<Bit>,
    for_arm: DFF<Bit>,
    has_passed: DFF<Bit>,
    is_landing: DFF<Bit>,
    is_bad: DFF<Bit>,
    fail_status: DFF<Bits<8>>,
    readies: DFF<Bits<4>>,
    pulses: DFF<Bits<10>>,
    goto: Signal<Local, State>,
    arms: Signal<Local, Bit>,
}

impl<const FB: usize> Logic for RequesterCtl<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            now_state,
            now_op,
            now_flow,
            again,
            for_arm,
            has_passed,
            is_landing,
            is_bad,
            fail_status,
            readies,
            pulses
        );
        self.state.next = self.now_state.q.val();
        self.op.next = self.now_op.q.val();
        self.flow.next = self.now_flow.q.val();
        self.rewind.next = self.again.q.val();
        self.arming.next = self.for_arm.q.val();
        self.passed.next = self.has_passed.q.val();
        self.lands.next = self.is_landing.q.val();
        self.status.next = self.fail_status.q.val();
        self.ready.next = self.readies.q.val();
        self.pulse.next = self.pulses.q.val();
        self.readies.d.next = 0.into();
        self.pulses.d.next = 0.into();
        self.goto.next = self.now_state.q.val();
        comment!("Arms only what has something to send and no arm outstanding.");
        self.arms.next = self.pending.val() & !self.armed.val() & !self.is_rnr.val();
        match self.now_state.q.val() {
            State::Scrub => {
                self.now_flow.d.next = self.now_flow.q.val() + 1;
                if self.now_flow.q.val().all() {
                    self.goto.next = State::Idle;
                }
            }
            State::Idle => {
                self.again.d.next = false;
                self.for_arm.d.next = false;
                self.has_passed.d.next = false;
                self.is_landing.d.next = false;
                self.is_bad.d.next = false;
                self.now_op.d.next = self.pick_op.val();
                self.now_flow.d.next = self.pick_flow.val();
                if self.picked.val() {
                    self.goto.next = State::Load;
                }
            }
            State::Load => {
                self.goto.next = State::Check;
            }
            State::Check => {
                self.goto.next = State::Class;
                if self.now_op.q.val() == Op::Qp {
                    self.goto.next = State::Save;
                } else if self.now_op.q.val() == Op::Other {
                    self.goto.next = State::Done;
                } else if self.now_op.q.val() == Op::Wr {
                    self.goto.next = State::Post0;
                    if !self.qp_valid.val() | self.sq_full.val() {
                        self.pulses.d.next = 512.into();
                        self.goto.next = State::Done;
                    } else if self.qp_error.val() {
                        self.goto.next = State::Flush;
                    }
                } else if self.now_op.q.val() == Op::Fail {
                    self.fail_status.d.next = 5.into();
                    self.goto.next = State::FailRead;
                    if self.sq_empty.val() {
                        self.goto.next = State::Done;
                    }
                } else if self.now_op.q.val() == Op::Grant {
                    self.goto.next = State::WrLoad;
                    if !self.armed.val() | !self.pending.val() | self.is_rnr.val() {
                        self.goto.next = State::Save;
                    }
                }
            }
            State::Class => {
                self.goto.next = State::Decide;
                if self.now_op.q.val() == Op::Response {
                    self.goto.next = State::Seek;
                }
            }
            State::Decide => {
                self.again.d.next = !self.is_ack.val();
                self.fail_status.d.next = self.ack_status.val();
                if self.now_op.q.val() == Op::Ack {
                    self.pulses.d.next = self.ack_pulse.val();
                    self.goto.next = State::Done;
                    if self.ack_accept.val() {
                        self.goto.next = State::Retire;
                    }
                } else {
                    self.again.d.next = true;
                    self.fail_status.d.next = 1.into();
                    self.goto.next = State::Idle;
                    if self.expired.val() & self.is_rnr.val() {
                        self.goto.next = State::Save;
                        if self.pending.val() & !self.armed.val() {
                            self.goto.next = State::WrRead;
                        }
                    } else if self.expired.val() {
                        self.pulses.d.next = 256.into();
                        self.goto.next = State::Fin;
                        if self.retry_out.val() {
                            self.goto.next = State::FailRead;
                        }
                    }
                }
            }
            State::Seek => {
                comment!("The oldest READ; the first cycle of its preparation, like P0.");
                self.goto.next = State::P1;
                if !self.outstanding.val() | !self.reads_open.val() {
                    self.pulses.d.next = 4.into();
                    if !self.outstanding.val() {
                        self.pulses.d.next = self.ack_pulse.val();
                    }
                    self.goto.next = State::Done;
                    if self.has_payload.val() {
                        self.goto.next = State::Order;
                    }
                } else if !self.is_read.val() {
                    self.has_passed.d.next = true;
                    self.goto.next = State::SeekRead;
                }
            }
            State::SeekRead => {
                self.goto.next = State::SeekLoad;
            }
            State::SeekLoad => {
                self.goto.next = State::Seek;
            }
            State::Match => {
                self.goto.next = State::Answer;
            }
            State::Answer => {
                self.fail_status.d.next = 8.into();
                self.goto.next = State::Done;
                if !self.due.val() {
                    self.pulses.d.next = 4.into();
                    if self.behind.val() {
                        self.pulses.d.next = 2.into();
                    }
                } else if self.good.val() {
                    self.pulses.d.next = 1.into();
                    self.is_landing.d.next = true;
                    self.goto.next = State::Advance;
                } else {
                    self.pulses.d.next = 32.into();
                    self.is_bad.d.next = true;
                    self.goto.next = State::FailRead;
                }
                if self.has_payload.val() {
                    self.goto.next = State::Order;
                }
                if self.due.val() & self.has_passed.q.val() {
                    comment!("It acknowledges the WRITEs before; then it is judged again.");
                    self.has_passed.d.next = false;
                    self.is_landing.d.next = false;
                    self.is_bad.d.next = false;
                    self.pulses.d.next = 0.into();
                    self.goto.next = State::NextRead;
                }
            }
            State::Order => {
                if !self.order_busy.val() {
                    self.goto.next = State::Done;
                    if self.is_landing.q.val() {
                        self.goto.next = State::Advance;
                    } else if self.is_bad.q.val() {
                        self.goto.next = State::FailRead;
                    }
                }
            }
            State::Advance => {
                if !self.last_response.val() | !self.order_busy.val() {
                    self.goto.next = State::Fin;
                }
            }
            State::Retire => {
                if !self.covered.val() {
                    self.goto.next = State::Seq;
                } else if !self.order_busy.val() {
                    self.goto.next = State::NextRead;
                    if self.sq_single.val() {
                        self.goto.next = State::Seq;
                    }
                }
            }
            State::NextRead => {
                self.goto.next = State::NextLoad;
            }
            State::NextLoad => {
                self.goto.next = State::NextDiff;
            }
            State::NextDiff => {
                self.goto.next = State::Retire;
            }
            State::Seq => {
                self.goto.next = State::Fin;
                if self.now_op.q.val() == Op::Response {
                    self.goto.next = State::P0;
                }
            }
            State::Fin => {
                self.goto.next = State::Emit;
                if self.now_op.q.val() == Op::Ack {
                    if self.is_nak_fatal.val() {
                        self.goto.next = State::FailRead;
                    } else if self.is_nak_sequence.val() & self.retry_out.val() {
                        self.fail_status.d.next = 1.into();
                        self.goto.next = State::FailRead;
                    } else if self.is_nak_rnr.val() & self.rnr_out.val() {
                        self.fail_status.d.next = 7.into();
                        self.goto.next = State::FailRead;
                    }
                }
            }
            State::Emit => {
                if !self.inflight_busy.val() {
                    self.goto.next = State::Done;
                    if self.arms.val()
                        & (self.again.q.val() | (self.has_progress.val() & !self.held.val()))
                    {
                        self.for_arm.d.next = true;
                        self.goto.next = State::WrRead;
                    }
                }
            }
            State::WrRead => {
                self.goto.next = State::WrLoad;
            }
            State::WrLoad => {
                self.goto.next = State::P0;
            }
            State::P0 => {
                self.goto.next = State::P1;
            }
            State::P1 => {
                self.goto.next = State::P2;
            }
            State::P2 => {
                self.goto.next = State::Len;
                if !self.for_arm.q.val() {
                    if self.now_op.q.val() == Op::Response {
                        self.goto.next = State::Match;
                    } else if self.now_op.q.val() == Op::Grant {
                        self.goto.next = State::Send;
                    }
                }
            }
            State::Send => {
                self.for_arm.d.next = true;
                if self.is_resend.val() {
                    self.pulses.d.next = 128.into();
                }
                self.goto.next = State::More;
            }
            State::More => {
                self.goto.next = State::Save;
                if self.pending.val() {
                    self.goto.next = State::P1;
                    if self.last_packet.val() {
                        self.goto.next = State::WrRead;
                    }
                }
            }
            State::Len => {
                self.goto.next = State::Arm;
            }
            State::Arm => {
                if self.blocked.val() | !self.work_busy.val() {
                    self.goto.next = State::Save;
                }
            }
            State::Save => {
                self.goto.next = State::Done;
            }
            State::Post0 => {
                self.goto.next = State::Post1;
            }
            State::Post1 => {
                self.goto.next = State::Post2;
            }
            State::Post2 => {
                comment!("Its first packet is the next one; what else is not armed waits.");
                self.goto.next = State::Save;
                if !self.pending.val() & !self.armed.val() & !self.is_rnr.val() {
                    self.goto.next = State::Arm;
                }
            }
            State::FailRead => {
                self.goto.next = State::FailLoad;
            }
            State::FailLoad => {
                self.goto.next = State::FailEmit;
            }
            State::FailEmit => {
                if !self.order_busy.val() {
                    self.fail_status.d.next = 6.into();
                    self.goto.next = State::FailRead;
                    if self.sq_single.val() {
                        self.goto.next = State::FailEnd;
                    }
                }
            }
            State::FailEnd => {
                self.goto.next = State::Save;
            }
            State::Flush => {
                if !self.order_busy.val() {
                    self.goto.next = State::Done;
                }
            }
            State::Done => {
                self.goto.next = State::Idle;
            }
        }
        self.now_state.d.next = self.goto.val();
        if self.goto.val() == State::Done {
            match self.now_op.q.val() {
                Op::Ack => {
                    self.readies.d.next = 1.into();
                }
                Op::Response => {
                    self.readies.d.next = 1.into();
                }
                Op::Fail => {
                    self.readies.d.next = 4.into();
                }
                Op::Grant => {
                    self.readies.d.next = 8.into();
                }
                Op::Scan => {}
                _ => {
                    self.readies.d.next = 2.into();
                }
            }
        }
        if self.reset.val() {
            self.now_state.d.next = State::Scrub;
            self.now_op.d.next = Op::Scan;
            self.now_flow.d.next = 0.into();
            self.again.d.next = false;
            self.for_arm.d.next = false;
            self.has_passed.d.next = false;
            self.is_landing.d.next = false;
            self.is_bad.d.next = false;
            self.fail_status.d.next = 0.into();
            self.readies.d.next = 0.into();
            self.pulses.d.next = 0.into();
        }
    }
}
