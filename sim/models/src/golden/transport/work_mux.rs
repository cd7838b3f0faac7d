//! Twin of `hdl/src/transport/work_mux.rs`: work of requester and `read_reply` for the scheduler.

use crate::golden::util::stream_mux::StreamMux;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{ReadyPort, Work};
use nic_spec::config::NicConfig;

ports! {
    /// Inputs.
    pub struct WorkMuxIn {
        pub reset: bool,
        pub s_data: Work,
        pub s_reply: Work,
        pub m_work: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct WorkMuxOut {
        pub s_data: ReadyPort,
        pub s_reply: ReadyPort,
        pub m_work: Work,
    }
}

/// The mux.
#[derive(Clone, Debug)]
pub struct WorkMux {
    flow_count: u16,
    mux: StreamMux<Work>,
}

impl WorkMux {
    /// A mux for the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self { flow_count: config.flow_count as u16, mux: StreamMux::default() }
    }
}

impl Golden for WorkMux {
    type In = WorkMuxIn;
    type Out = WorkMuxOut;

    fn step(&mut self, i: &WorkMuxIn) -> WorkMuxOut {
        let offers = [i.s_data, i.s_reply].map(|work| work.valid.then_some(work));
        self.mux.step(i.reset, offers, i.m_work.ready);
        let [s_data, s_reply] = self.mux.readies().map(|ready| ReadyPort { ready });
        let (work, is_reply) = self.mux.m_data();
        let flow = work.flow + if is_reply { self.flow_count } else { 0 };
        let m_work = Work { valid: self.mux.m_valid(), flow, ..work };
        WorkMuxOut { s_data, s_reply, m_work }
    }
}
