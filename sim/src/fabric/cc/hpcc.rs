//! HPCC++ of a flow: the golden model's integers, or the reference in f64. Neither is written here:
//! this is what puts an ACK of the fabric into their form.

use super::{Limits, News, Pace, Records};
use crate::fabric::scenario::{CcSpec, Engine};
use crate::fabric::wire::Telemetry as Format;
use crate::replay::cc_trace::reference_params;
use nic_models::golden::cc::flow_state::{FlowState, NO_HOP, OP_CREATE};
use nic_models::golden::cc::CcCfg;
use nic_models::reference::hpcc;
use nic_models::streams::{AckTelemetry, FlowCommand, Telemetry};
use nic_spec::cc_params::{CcConfig, CcParams};

/// Clock of the preset `hundred`, which hosts at event level have.
pub const CLOCK_HZ: u64 = 250_000_000;
/// Utilisation of a whole link as INT-MD tells it here: hundredths of a percent.
pub const UTILISATION_FULL: u32 = 10_000;
/// Fractions of a rate in bytes a cycle.
const RATE_ONE: f64 = (1 << 24) as f64;
const PSN_MASK: u32 = 0xff_ffff;

/// Parameters.
#[derive(Clone, Debug)]
pub struct Hpcc {
    engine: Engine,
    config: CcConfig,
    cfg: CcCfg,
    params: hpcc::Params,
}

/// State of a flow, at whichever end computes.
#[derive(Clone, Debug)]
pub enum HpccState {
    /// The hardware's.
    Golden(FlowState),
    /// In f64.
    Model(hpcc::Flow),
}

/// What a receiver has found in a data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// A window for the sender, bytes: once in T.
    pub window_bytes: Option<u32>,
    /// The most loaded hop.
    pub worst_hop: Option<u8>,
}

impl Hpcc {
    /// # Errors
    /// A sentence that names the parameter that the hardware's formats don't hold.
    pub fn new(spec: &CcSpec, limits: &Limits, format: Format) -> Result<Self, String> {
        let t_ns = limits.t_ns as u32;
        let config = CcConfig {
            t_ns,
            eta: spec.eta,
            max_stage: spec.max_stage,
            w_ai_bytes: spec.w_ai_mbps * 1e6 * limits.t_ns / 8e9,
            w_init_bytes: limits.window_bytes as u32,
            rate_min_bps: limits.rate_min_bps,
            utilisation_full: (format == Format::IntMd).then_some(UTILISATION_FULL),
            ..CcConfig::for_line(limits.line_bps, 1, limits.clock_hz)
        };
        let cfg = CcParams::derive(&config).map_err(|e| format!("cc: {e}"))?.into();
        Ok(Self { engine: spec.engine, config, cfg, params: reference_params(&config) })
    }

    /// Physical units of the parameters.
    pub fn config(&self) -> &CcConfig {
        &self.config
    }

    /// The same as the hardware's registers have them.
    pub fn cfg(&self) -> &CcCfg {
        &self.cfg
    }

    /// With an additive increase for one of `flow_count` flows.
    pub fn shared_by(&self, flow_count: u32) -> Self {
        let mut shared = self.clone();
        shared.cfg.w_ai /= flow_count.max(1);
        shared.params.w_ai_bytes /= f64::from(flow_count.max(1));
        shared
    }

    /// State of a flow without any ACK.
    pub fn state(&self) -> HpccState {
        match self.engine {
            Engine::Model => HpccState::Model(hpcc::Flow::new(&self.params)),
            Engine::Golden => {
                let mut state = FlowState::default();
                let command = FlowCommand {
                    valid: true,
                    op: OP_CREATE,
                    telemetry: true,
                    window_bytes: self.config.w_init_bytes,
                    ..FlowCommand::default()
                };
                state.command(&self.cfg, &command);
                HpccState::Golden(state)
            }
        }
    }

    /// A new flow at its sender.
    pub fn start(&self) -> (HpccState, Pace) {
        let window_bytes = self.config.w_init_bytes.into();
        (self.state(), Pace { window_bytes, ps_per_byte: 8e12 / self.config.line_rate_bps })
    }

    /// The pace of what the hardware gives: bytes, and bytes a cycle as UQ8.24.
    pub fn golden_pace(&self, window_bytes: u32, rate_uq8_24: u32) -> Pace {
        let bytes_per_s = f64::from(rate_uq8_24) / RATE_ONE * self.config.clock_hz as f64;
        Pace { window_bytes: window_bytes.into(), ps_per_byte: 1e12 / bytes_per_s }
    }

    /// The sender takes an ACK.
    #[inline]
    pub fn acked(&self, state: &mut HpccState, news: &News) -> Option<Pace> {
        match state {
            HpccState::Golden(state) => {
                let ack = golden_ack(news.psn, news.next_psn, &news.records);
                // What no honest network says is ignored, by the hardware too.
                let decision = state.new_ack(&self.cfg, &ack).ok()??;
                Some(self.golden_pace(decision.window_bytes, decision.rate))
            }
            HpccState::Model(flow) => {
                let tel = model_telemetry(&news.records);
                let psn = news.psn & PSN_MASK;
                let outcome = flow.new_ack(&self.params, psn, news.next_psn, &tel);
                outcome.ignored.is_none().then(|| Pace {
                    window_bytes: (flow.w as u64).max(1),
                    ps_per_byte: 8e12 / flow.rate_bps(&self.params),
                })
            }
        }
    }

    /// The receiver takes the telemetry of a data packet. The hardware's unit goes by the time then: the
    /// PSN of a packet is when it came, in ns, and `snd_nxt` is T later.
    pub fn received(&self, state: &mut HpccState, now_ps: u64, records: &Records) -> Found {
        let now_ns = now_ps / 1000;
        match state {
            HpccState::Golden(state) => {
                let cfg = CcCfg { by_time: true, ..self.cfg };
                let psn = now_ns as u32;
                let ack = golden_ack(psn, psn.wrapping_add(self.config.t_ns), records);
                let decision = state.new_ack(&cfg, &ack).ok().flatten();
                Found {
                    window_bytes: decision.filter(|d| d.full).map(|d| d.window_bytes),
                    worst_hop: decision.map(|d| d.worst_hop).filter(|hop| *hop != NO_HOP),
                }
            }
            HpccState::Model(flow) => {
                let (old, tel) = (flow.records, model_telemetry(records));
                let outcome = flow.new_int(&self.params, now_ns, &tel);
                let u = |hop: usize| {
                    let old = old.as_ref()?.hops[hop];
                    Some((hpcc::hop_utilisation(&self.params, old, records.hops[hop])?.0, hop))
                };
                let worst = (0..usize::from(records.count)).filter_map(u);
                let worst = worst.reduce(|most, next| if next.0 > most.0 { next } else { most });
                Found {
                    window_bytes: outcome.full.then_some((flow.w as u32).max(1)),
                    worst_hop: worst.map(|(_, hop)| hop as u8),
                }
            }
        }
    }

    /// The pace of a window that the receiver has sent: R = W/T.
    pub fn pace_of_window(&self, window_bytes: u32) -> Pace {
        let rate_bps = f64::from(window_bytes) * 8e9 / f64::from(self.config.t_ns);
        let rate_bps = rate_bps.clamp(self.config.rate_min_bps, self.config.line_rate_bps);
        Pace { window_bytes: window_bytes.into(), ps_per_byte: 8e12 / rate_bps }
    }
}

/// An ACK in the hardware's form.
#[inline]
pub fn golden_ack(psn: u32, snd_nxt: u32, records: &Records) -> AckTelemetry {
    AckTelemetry {
        valid: true,
        flow: 0,
        psn: psn & PSN_MASK,
        snd_nxt: snd_nxt & PSN_MASK,
        tel: Telemetry { valid: true, hops: records.count, path: records.path, hop: records.hops },
    }
}

fn model_telemetry(records: &Records) -> hpcc::Telemetry {
    hpcc::Telemetry { hop_count: records.count.into(), path: records.path, hops: records.hops }
}
