//! What is run: network, flows, congestion control, sizes on the wire, switches. A TOML file has the
//! same fields; what it leaves out is as the HPCC paper's simulations have it.

use super::cc::{Algorithm, Feedback};
use super::wire::{Acks, Headers, Pacing, Profile, Telemetry};
use crate::engine::EngineKind;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Arithmetic of the congestion control of the hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// The integers of this hardware (golden model)
    Golden,
    /// f64, as the draft writes it
    Model,
}

/// A whole scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Of flows, ways and chance.
    #[serde(default = "one")]
    pub seed: u64,
    /// An event for each departure, instead of one for each packet and hop: slower, the same result.
    #[serde(default)]
    pub plain: bool,
    /// Nodes and links.
    pub topology: TopologySpec,
    /// Flows that come at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<Poisson>,
    /// Flows of many to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incast: Option<Incast>,
    /// Flows one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flow: Vec<FlowSpec>,
    /// Congestion control.
    #[serde(default)]
    pub cc: CcSpec,
    /// Sizes and manners on the wire.
    #[serde(default)]
    pub wire: WireSpec,
    /// Switches.
    #[serde(default)]
    pub switches: SwitchSpec,
    /// Hosts.
    #[serde(default, skip_serializing_if = "HostSpec::is_default")]
    pub hosts: HostSpec,
}

/// Kinds of network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// All hosts at one switch.
    Star,
    /// Half of the hosts at each of two switches, one link between them.
    Dumbbell,
    /// Hosts at leaves, each leaf linked with each spine.
    TwoTiers,
    /// Pods of top-of-rack and aggregation switches, cores above them.
    FatTree,
    /// Links as `[[topology.link]]` lists them.
    Custom,
}

/// Nodes and links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologySpec {
    /// Which network.
    pub kind: Kind,
    /// Hosts.
    pub hosts: u32,
    /// Rate of the hosts' links, Gb/s.
    #[serde(default = "host_gbps")]
    pub host_gbps: u32,
    /// Rate of the links between switches, Gb/s.
    #[serde(default = "fabric_gbps")]
    pub fabric_gbps: u32,
    /// Delay of each link, ns.
    #[serde(default = "delay_ns")]
    pub delay_ns: u32,
    /// Of two tiers: leaves, or of a custom network: switches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<u32>,
    /// Of two tiers: spines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spines: Option<u32>,
    /// Of a fat tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pods: Option<u32>,
    /// Of a fat tree: top-of-rack switches of a pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tors_per_pod: Option<u32>,
    /// Of a fat tree: aggregation switches of a pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggs_per_pod: Option<u32>,
    /// Of a fat tree: cores that an aggregation switch is linked with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores_per_agg: Option<u32>,
    /// Of a custom network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link: Vec<LinkSpec>,
    /// Next hops that are not those of the shortest ways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub route: Vec<RouteSpec>,
}

/// A link, both directions. Nodes are called `h0`, `h1`, .. and `s0`, `s1`, ..
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// One end.
    pub a: String,
    /// The other end.
    pub b: String,
    /// Rate, Gb/s.
    pub gbps: u32,
    /// Delay, ns.
    pub delay_ns: u32,
}

/// At switch `at`, what goes to host `to` leaves towards node `via`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteSpec {
    /// A switch.
    pub at: String,
    /// A host.
    pub to: String,
    /// A neighbour of `at`.
    pub via: String,
}

/// Flows between random hosts, with exponential gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Poisson {
    /// File with the distribution of the flows' sizes: lines of bytes and per cent.
    pub cdf: PathBuf,
    /// Payload as a share of the hosts' links.
    pub load: f64,
    /// Time in which flows start that the results are about, ms.
    pub ms: f64,
    /// Flows also start for so long before and after, without being counted, ms: so that those which
    /// count meet a network that is neither filling nor emptying.
    #[serde(default)]
    pub margin_ms: f64,
}

impl Poisson {
    /// Time in which flows start, counted or not, ms.
    pub fn total_ms(&self) -> f64 {
        2.0 * self.margin_ms + self.ms
    }
}

/// Many to one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Incast {
    /// Hosts that send at once.
    pub senders: u32,
    /// Bytes of each.
    pub bytes: u64,
    /// With it bursts come at random, to random hosts, and are this share of the hosts' links; without,
    /// there is one burst to host 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// When the one burst is.
    #[serde(default)]
    pub start_ns: u64,
}

impl Incast {
    /// The bursts of the HPCC paper: one, or a load of them.
    pub fn of_the_paper(load: Option<f64>) -> Self {
        Self { senders: 60, bytes: 500_000, load, start_ns: 0 }
    }
}

/// One flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Host that sends.
    pub src: u32,
    /// Host that receives.
    pub dst: u32,
    /// Payload.
    pub bytes: u64,
    /// When it starts.
    #[serde(default)]
    pub start_ns: u64,
}

/// Congestion control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CcSpec {
    /// Which one.
    pub algorithm: Algorithm,
    /// Arithmetic of HPCC; the others are in f64.
    pub engine: Engine,
    /// Target utilisation of HPCC.
    pub eta: f64,
    /// Additive steps of HPCC before a multiplicative one. The authors simulate with 0.
    pub max_stage: u8,
    /// Additive increase of HPCC as a rate, Mb/s; W_ai is that times T.
    pub w_ai_mbps: f64,
    /// Least rate of a flow, Mb/s.
    pub rate_min_mbps: f64,
    /// Base round-trip time, ns; if absent, the longest of the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_ns: Option<u32>,
    /// Whether DCQCN, TIMELY and line rate have a window (line rate x T); HPCC and DCTCP always have.
    pub window: bool,
    /// Who computes the windows of HPCC, and from what.
    pub feedback: Feedback,
    /// W_ai is divided by the number of flows of a host that were active in so many ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_window_ns: Option<f64>,
}

impl Default for CcSpec {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::Hpcc,
            engine: Engine::Golden,
            eta: 0.95,
            max_stage: 0,
            w_ai_mbps: 50.0,
            rate_min_mbps: 100.0,
            t_ns: None,
            window: true,
            feedback: Feedback::Sender,
            active_window_ns: None,
        }
    }
}

/// Sizes and manners on the wire: those of a profile, and what differs from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WireSpec {
    /// What is not said otherwise.
    pub profile: Profile,
    /// Payload of a packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_bytes: Option<u32>,
    /// Headers of data and ACKs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Headers>,
    /// Format of the telemetry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<Telemetry>,
    /// Which ACKs are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acks: Option<Acks>,
    /// How a host chooses what it sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<Pacing>,
    /// Without an answer for so long, a flow sends again what is not acknowledged, us.
    pub timeout_us: f64,
}

impl Default for WireSpec {
    fn default() -> Self {
        Self {
            profile: Profile::Ns3,
            payload_bytes: None,
            headers: None,
            telemetry: None,
            acks: None,
            pacing: None,
            timeout_us: 1000.0,
        }
    }
}

/// Switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SwitchSpec {
    /// Buffer that the ports of a switch share, bytes.
    pub buffer_bytes: u64,
    /// Whether a switch pauses its neighbours (PFC).
    pub pfc: bool,
    /// A neighbour on a host's link is paused at this share of the buffer that is left; on faster links
    /// at more, in proportion to the rate, up to one half.
    pub pfc_alpha: f64,
    /// ECN: no packet is marked at queues up to this, of a 25 Gb/s link; in proportion on others. If
    /// absent: as the algorithm's authors have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_min_bytes: Option<u64>,
    /// All are marked at queues above this, the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_max_bytes: Option<u64>,
    /// Share that is marked just below that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_share_max: Option<f64>,
    /// Packets lost on each link, parts per million.
    pub loss_ppm: u32,
}

impl Default for SwitchSpec {
    fn default() -> Self {
        Self {
            buffer_bytes: 32_000_000,
            pfc: true,
            pfc_alpha: 0.125,
            ecn_min_bytes: None,
            ecn_max_bytes: None,
            ecn_share_max: None,
            loss_ppm: 0,
        }
    }
}

/// What hosts do, and those that are not at event level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HostSpec {
    /// Whether a host stops for a pause of its switch (PFC). What one sends that does not, a switch
    /// drops beyond the room that it keeps for what comes until a pause is obeyed.
    pub pfc: bool,
    /// Those that are whole NICs, cycle by cycle.
    pub cycle: Vec<u32>,
    /// What runs these NICs.
    pub cycle_engine: EngineKind,
}

impl Default for HostSpec {
    fn default() -> Self {
        Self { pfc: true, cycle: vec![], cycle_engine: EngineKind::Golden }
    }
}

impl HostSpec {
    fn is_default(&self) -> bool {
        self.pfc && self.cycle.is_empty()
    }
}

fn one() -> u64 {
    1
}

fn host_gbps() -> u32 {
    100
}

fn fabric_gbps() -> u32 {
    400
}

fn delay_ns() -> u32 {
    1000
}

impl TopologySpec {
    /// Of `kind`, at the default rates and delays.
    pub fn new(kind: Kind, hosts: u32) -> Self {
        Self {
            kind,
            hosts,
            host_gbps: host_gbps(),
            fabric_gbps: fabric_gbps(),
            delay_ns: delay_ns(),
            switches: None,
            spines: None,
            pods: None,
            tors_per_pod: None,
            aggs_per_pod: None,
            cores_per_agg: None,
            link: vec![],
            route: vec![],
        }
    }
}

impl Scenario {
    /// A network without flows, all else at its defaults.
    pub fn new(topology: TopologySpec) -> Self {
        Self {
            seed: one(),
            plain: false,
            topology,
            poisson: None,
            incast: None,
            flow: vec![],
            cc: CcSpec::default(),
            wire: WireSpec::default(),
            switches: SwitchSpec::default(),
            hosts: HostSpec::default(),
        }
    }

    /// Looks at every number by itself.
    ///
    /// # Errors
    /// A sentence that names the first field that is out of its range.
    pub fn check(&self) -> Result<(), String> {
        let (cc, wire, switches) = (&self.cc, &self.wire, &self.switches);
        let line_mbps = f64::from(self.topology.host_gbps) * 1e3;
        let mut ranges: Vec<(&str, f64, RangeInclusive<f64>)> = vec![
            ("topology.hosts", self.topology.hosts.into(), 2.0..=4096.0),
            ("topology.delay_ns", self.topology.delay_ns.into(), 1.0..=1e6),
            ("cc.eta", cc.eta, 0.05..=2.0),
            ("cc.w_ai_mbps", cc.w_ai_mbps, 0.0..=line_mbps),
            ("cc.rate_min_mbps", cc.rate_min_mbps, 1.0..=line_mbps),
            ("cc.t_ns", cc.t_ns.unwrap_or(257).into(), 257.0..=1_048_575.0),
            ("cc.active_window_ns", cc.active_window_ns.unwrap_or(1.0), 1.0..=1e9),
            ("wire.payload_bytes", wire.payload_bytes.unwrap_or(256).into(), 256.0..=4096.0),
            ("wire.timeout_us", wire.timeout_us, 10.0..=1e6),
            ("switches.buffer_bytes", switches.buffer_bytes as f64, 1e5..=4e9),
            ("switches.pfc_alpha", switches.pfc_alpha, 0.001..=1.0),
            ("switches.ecn_share_max", switches.ecn_share_max.unwrap_or(0.0), 0.0..=1.0),
            ("switches.loss_ppm", switches.loss_ppm.into(), 0.0..=1e6),
        ];
        if let Some(poisson) = &self.poisson {
            ranges.push(("poisson.load", poisson.load, 0.001..=1.0));
            ranges.push(("poisson.ms", poisson.ms, 0.001..=10_000.0));
            ranges.push(("poisson.margin_ms", poisson.margin_ms, 0.0..=1_000.0));
        }
        if let Some(incast) = &self.incast {
            let senders_max = f64::from(self.topology.hosts) - 1.0;
            ranges.push(("incast.senders", incast.senders.into(), 1.0..=senders_max));
            ranges.push(("incast.bytes", incast.bytes as f64, 1.0..=4e9));
            ranges.push(("incast.load", incast.load.unwrap_or(0.001), 0.001..=1.0));
        }
        for (field, value, range) in ranges {
            if !range.contains(&value) {
                let (start, end) = range.into_inner();
                return Err(format!("{field} is {value}; it must be in {start}..={end}"));
            }
        }
        self.check_flows()?;
        self.check_switches()
    }

    fn check_flows(&self) -> Result<(), String> {
        let hosts = self.topology.hosts;
        for (at, flow) in self.flow.iter().enumerate() {
            for (field, host) in [("src", flow.src), ("dst", flow.dst)] {
                if host >= hosts {
                    return Err(format!(
                        "flow {at}: {field} is host {host}, which isn't there; hosts are 0..{hosts}"
                    ));
                }
            }
            if flow.src == flow.dst {
                return Err(format!("flow {at} goes from host {} to itself", flow.src));
            }
            if !(1..=4_000_000_000).contains(&flow.bytes) {
                return Err(format!("flow {at}: bytes must be in 1..=4000000000"));
            }
        }
        if self.incast.as_ref().is_some_and(|i| i.load.is_some()) && self.poisson.is_none() {
            return Err("incast.load needs [poisson], whose ms is its time, too".into());
        }
        let loads = [
            self.poisson.as_ref().map_or(0.0, |p| p.load),
            self.incast.as_ref().and_then(|i| i.load).unwrap_or(0.0),
        ];
        if loads[0] + loads[1] > 1.0 {
            return Err(format!(
                "poisson.load and incast.load are {} + {}, above 1",
                loads[0], loads[1]
            ));
        }
        match self.flow.is_empty() && self.poisson.is_none() && self.incast.is_none() {
            true => Err("there are no flows: give [poisson], [incast] or [[flow]]".into()),
            false => Ok(()),
        }
    }

    fn check_switches(&self) -> Result<(), String> {
        let ecn = (self.switches.ecn_min_bytes, self.switches.ecn_max_bytes);
        match ecn {
            (Some(min), Some(max)) if min > max => {
                Err(format!("switches.ecn_min_bytes is {min}, above ecn_max_bytes {max}"))
            }
            (Some(_), None) | (None, Some(_)) => {
                Err("switches.ecn_min_bytes and ecn_max_bytes go together".into())
            }
            _ => Ok(()),
        }
    }
}
