//! Does the steps of an operation, each in its cycle.

use super::ports::*;
use super::step::Step;
use super::Requester;
use crate::events::RequesterEvents;
use crate::streams::Work;

impl Requester {
    pub(super) fn push(&mut self, step: Step) {
        self.script.push_back(step);
    }

    pub(super) fn wait(&mut self, cycles: u32) {
        if cycles > 0 {
            self.push(Step::Wait(cycles));
        }
    }

    pub(super) fn events(&mut self, set: impl FnOnce(&mut RequesterEvents)) {
        let mut events = RequesterEvents::default();
        set(&mut events);
        self.push(Step::Events(events));
    }

    pub(super) fn save(&mut self) {
        self.push(Step::Save);
    }

    /// Does the front of the script; false while its slot is taken.
    pub(super) fn act(&mut self, step: Step, before: &RequesterOut) -> bool {
        let out = &mut self.out;
        match step {
            Step::Wait(cycles) => {
                if cycles > 1 {
                    self.script[0] = Step::Wait(cycles - 1);
                    return false;
                }
            }
            Step::Free => return !before.m_pkt.valid && !before.m_read.valid,
            Step::Events(events) => out.event_reqr = events,
            // The newest ACK of a flow takes the place of the one that waits.
            Step::Room => return !before.m_cc.valid || before.m_cc.flow == self.flow as u16,
            Step::Judged(events, cc) => {
                out.event_reqr = events;
                out.m_cc = cc.unwrap_or(out.m_cc);
            }
            Step::Completion { .. } | Step::Payload { .. } => {
                if before.m_order.valid {
                    return false;
                }
                self.order(step);
            }
            Step::Send(pkt, read, is_resent) => {
                out.m_pkt = pkt;
                out.m_read = read;
                out.event_reqr.retransmit_packet = is_resent;
            }
            Step::Work(work) => {
                if before.m_work.valid {
                    return false;
                }
                out.m_work = work;
            }
            Step::Inflight(flow, inflight_bytes) => {
                if before.m_work.valid {
                    return false;
                }
                let len_bytes = out.m_work.len_bytes;
                out.m_work = Work { valid: true, flow, len_bytes, frame_count: 0, inflight_bytes };
            }
            Step::Enter | Step::Save => {}
        }
        true
    }

    /// Fields that an order does not have keep their values.
    fn order(&mut self, step: Step) {
        let order = &mut self.out.m_order;
        (order.valid, order.flow) = (true, self.flow as u16);
        match step {
            Step::Completion { wr_id, byte_len, status, signalled } => {
                order.op = order::COMPLETION;
                (order.wr_id, order.byte_len) = (wr_id, byte_len);
                (order.status, order.signalled) = (status, signalled);
            }
            Step::Payload { addr, bytes } => {
                order.op = if addr.is_some() { order::LAND } else { order::DROP };
                (order.addr, order.bytes) = (addr.unwrap_or(order.addr), bytes);
            }
            _ => {}
        }
    }
}
