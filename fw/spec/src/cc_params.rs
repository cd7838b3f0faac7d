//! Parameters of the congestion control unit: from physical units to its registers.
//!
//! The hardware divides by reciprocals that software has worked out. It keeps U in units of
//! [`U_ONE`]: a hop that sends at the rate of a 25 Gb/s link moves 25/1024 telemetry units (of
//! 128 bytes) per ns, so U = 1 is 25/1024, and neither eta nor the units need a multiplier.

/// Fraction bits of U in the hardware.
pub const U_FRACTION_BITS: u32 = 36;
/// U = 1 with telemetry units of 128 and 80 bytes: 25/1024.
pub const U_ONE: u64 = 25 << (U_FRACTION_BITS - 10);
/// Fraction bits of W and Wc in the hardware.
pub const W_FRACTION_BITS: u32 = 16;
/// Fraction bits of `inv_t` and `queue_gain`.
pub const INV_T_FRACTION_BITS: u32 = 40;
/// Fraction bits of `w_ai` and `w_min`.
pub const W_AI_FRACTION_BITS: u32 = 10;
/// Fraction bits of `rate_gain`.
pub const RATE_GAIN_FRACTION_BITS: u32 = 38;
/// Bit of `util_gain`: the queue's field of the hops is a time.
pub const SOJOURN: u32 = 1 << 27;
/// Bit of `check`: the PSN of an ACK was sent.
pub const CHECK_PSN: u32 = 1;
/// Bit of `check`: the time of a hop does not go back, by less than 2^23 of its units.
pub const CHECK_TIME: u32 = 2;
/// Bit of `check`: a hop sends no more than its link carries.
pub const CHECK_BYTES: u32 = 4;
/// Value of the queue's field of `check` without a limit.
pub const QUEUE_NO_LIMIT: u32 = 0x1_ffff;
/// Cycles in a unit of `active`.
pub const ACTIVE_UNIT_CYCLES: u32 = 64;
/// Fraction bits of rates.
pub const RATE_FRACTION_BITS: u32 = 24;

/// HPCC++ parameters in physical units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CcConfig {
    /// Base round-trip time in ns: 257..=1048575.
    pub t_ns: u32,
    /// Target utilisation: 0.05..=2.
    pub eta: f64,
    /// Additive steps before a multiplicative one: 0..=255.
    pub max_stage: u8,
    /// Additive increase in bytes: 0..4194304.
    pub w_ai_bytes: f64,
    /// Initial and largest window in bytes.
    pub w_init_bytes: u32,
    /// Rate of the port in bit/s.
    pub line_rate_bps: f64,
    /// Smallest pacing rate in bit/s; the smallest window is this rate times T, at least 1 byte.
    pub rate_min_bps: f64,
    /// Telemetry counts bytes in units of `128 * multi` and queues in units of `80 * multi`: 1..=16.
    pub multi: u32,
    /// Hops tell their utilisation instead of the bytes that they have sent: how much of its unit
    /// is the whole link, 1..=1048575.
    pub utilisation_full: Option<u32>,
    /// Bytes that a unit of the queues is, `multi` aside: 80 in the native forms, else a cell of the
    /// switches, or 64 where they count bytes.
    pub queue_unit_bytes: f64,
    /// Hops tell how long a packet waited instead of the queue's length: nanoseconds that a unit of
    /// that is, 1/1024..=1024.
    pub sojourn_unit_ns: Option<f64>,
    /// Telemetry that no honest network gives is ignored: of a PSN that was never sent, of a time
    /// that goes back, of more bytes than the link carries.
    pub checks: bool,
    /// So are queues above this, in bytes; of sojourn times none is.
    pub queue_max_bytes: f64,
    /// Nanoseconds that a unit of the hops' times is: 1, or 10^9/2^30 where the fractions of a second
    /// are binary.
    pub time_unit_ns: f64,
    /// Active flows are counted, in windows of so many ns, and `w_ai_bytes`, then that of a flow which is
    /// alone, is divided by their number.
    pub active_window_ns: Option<f64>,
    /// Core clock in Hz.
    pub clock_hz: u64,
}

impl CcConfig {
    /// The defaults for a port: T 5 us, eta 95 %, maxStage 5, W_init = line rate x T,
    /// W_ai = W_init (1 - eta) / `flow_count`, R_min = line rate / 1000.
    pub fn for_line(line_rate_bps: f64, flow_count: u32, clock_hz: u64) -> Self {
        let (t_ns, eta) = (5000, 0.95);
        let w_init = line_rate_bps * f64::from(t_ns) / 8e9;
        Self {
            t_ns,
            eta,
            max_stage: 5,
            w_ai_bytes: w_init * (1.0 - eta) / f64::from(flow_count),
            w_init_bytes: w_init as u32,
            line_rate_bps,
            rate_min_bps: line_rate_bps / 1000.0,
            multi: 1,
            utilisation_full: None,
            queue_unit_bytes: 80.0,
            sojourn_unit_ns: None,
            checks: true,
            queue_max_bytes: f64::INFINITY,
            time_unit_ns: 1.0,
            active_window_ns: None,
            clock_hz,
        }
    }

    /// Smallest window in bytes.
    pub fn w_min_bytes(&self) -> f64 {
        let bytes = self.rate_min_bps * f64::from(self.t_ns) / 8e9;
        bytes.max(1.0).min(f64::from(self.w_init_bytes))
    }
}

/// Why a parameter is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CcParamError {
    /// Field of [`CcConfig`].
    pub field: &'static str,
    /// Its range.
    pub range: &'static str,
}

impl core::fmt::Display for CcParamError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} must be {}", self.field, self.range)
    }
}

impl core::error::Error for CcParamError {}

/// Values of the unit's `cfg_*` ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CcParams {
    /// T in units of the hops' times, ns, 20 bits.
    pub t_ns: u32,
    /// 1/T per ns, UQ0.40 in 32 bits.
    pub inv_t: u32,
    /// 0.625/T per ns (a queue unit is 0.625 of a byte unit), UQ0.40 in 32 bits; of sojourn times 1 in
    /// the units of U over T.
    pub queue_gain: u32,
    /// What one unit of utilisation is in the units of U: mantissa [21:0], at least 2^21, and
    /// exponent [26:22]; mantissa x 2^(14 - exponent), UQ0.36. 0: hops count bytes. [`SOJOURN`]: hops
    /// tell sojourn times.
    pub util_gain: u32,
    /// eta in the units of U, UQ0.36 in 32 bits.
    pub target: u32,
    /// 1 in the units of U, UQ0.36 in 32 bits.
    pub u_one: u32,
    /// Additive steps before a multiplicative one.
    pub max_stage: u8,
    /// Additive increase in bytes, UQ22.10.
    pub w_ai: u32,
    /// Largest window in bytes.
    pub w_init: u32,
    /// Smallest window in bytes, UQ22.10.
    pub w_min: u32,
    /// Cycle time over T: bytes of window to bytes a cycle, UQ0.38 in 32 bits.
    pub rate_gain: u32,
    /// Smallest rate in bytes a cycle, UQ8.24.
    pub rate_min: u32,
    /// Largest rate in bytes a cycle, UQ8.24.
    pub rate_max: u32,
    /// What is checked: [`CHECK_PSN`], [`CHECK_TIME`], [`CHECK_BYTES`], log2 of `multi` \[5:3\],
    /// largest queue in its units \[22:6\].
    pub check: u32,
    /// Window in which active flows are counted, in 64 cycles, rounded up, 20 bits; 0: they are not.
    pub active: u32,
    /// T in cycles, rounded up, 20 bits: telemetry responses of a queue pair are as far apart.
    pub feedback_cycles: u32,
}

/// `value * 2^fraction_bits` to the nearest integer; `None` if it needs more than 32 bits.
fn fixed(value: f64, fraction_bits: u32) -> Option<u32> {
    let scaled = value * (1_u64 << fraction_bits) as f64 + 0.5;
    (0.0..4_294_967_296.0).contains(&scaled).then_some(scaled as u32)
}

/// `value`, in units of 2^-36, as mantissa [21:0] of at least 2^21 and exponent [26:22]; for values
/// in 2^-30..=2^-5.
fn float(value: f64) -> u32 {
    let (mut scaled, mut exponent) = (value * (1_u64 << 57) as f64, 35);
    while scaled >= 4_194_303.5 {
        (scaled, exponent) = (scaled / 2.0, exponent - 1);
    }
    (scaled + 0.5) as u32 | exponent << 22
}

/// The register `cc_check`.
fn check(c: &CcConfig) -> u32 {
    // A hop that tells its utilisation says no bytes; a unit of time above 1 ns would be too short.
    let counts = c.utilisation_full.is_none() && c.time_unit_ns <= 1.0;
    let checks = match (c.checks, counts) {
        (false, _) => 0,
        (true, false) => CHECK_PSN | CHECK_TIME,
        (true, true) => CHECK_PSN | CHECK_TIME | CHECK_BYTES,
    };
    // The cast saturates.
    let queue = match c.sojourn_unit_ns {
        None => (c.queue_max_bytes / c.queue_unit_bytes / f64::from(c.multi)) as u32,
        Some(_) => QUEUE_NO_LIMIT,
    };
    checks | c.multi.ilog2() << 3 | queue.min(QUEUE_NO_LIMIT) << 6
}

fn need(ok: bool, field: &'static str, range: &'static str) -> Result<(), CcParamError> {
    ok.then_some(()).ok_or(CcParamError { field, range })
}

/// What can be said of each field by itself.
fn check_ranges(c: &CcConfig) -> Result<(), CcParamError> {
    need((257..1 << 20).contains(&c.t_ns), "t_ns", "in 257..=1048575")?;
    need((0.05..=2.0).contains(&c.eta), "eta", "in 0.05..=2")?;
    need((1..=16).contains(&c.multi), "multi", "in 1..=16")?;
    let full = c.utilisation_full.unwrap_or(1);
    need((1..1 << 20).contains(&full), "utilisation_full", "in 1..=1048575")?;
    need(c.w_init_bytes > 0, "w_init_bytes", "at least 1")?;
    need(c.clock_hz > 0, "clock_hz", "at least 1")?;
    need(c.rate_min_bps > 0.0, "rate_min_bps", "above 0")?;
    need(c.rate_min_bps <= c.line_rate_bps, "rate_min_bps", "at most line_rate_bps")?;
    need((0.5..=2.0).contains(&c.time_unit_ns), "time_unit_ns", "in 0.5..=2")?;
    need((1.0..=4096.0).contains(&c.queue_unit_bytes), "queue_unit_bytes", "in 1..=4096")?;
    need(c.queue_max_bytes >= 0.0, "queue_max_bytes", "at least 0")
}

impl CcParams {
    /// Register values for `c`.
    ///
    /// # Errors
    /// The first field that is out of its range, or too large for the clock.
    pub fn derive(c: &CcConfig) -> Result<Self, CcParamError> {
        let fit = |v: f64, bits, field, range| fixed(v, bits).ok_or(CcParamError { field, range });
        check_ranges(c)?;
        let (t_ns, clock_hz) = (f64::from(c.t_ns), c.clock_hz as f64);
        let t = t_ns / c.time_unit_ns;
        need((257.0..=1_048_575.0).contains(&t), "t_ns", "in 257..=1048575 time units")?;
        let u_one = 25.0 / 1024.0 / f64::from(c.multi) * c.time_unit_ns;
        let sojourn = c.sojourn_unit_ns.unwrap_or(1.0);
        need((1.0 / 1024.0..=1024.0).contains(&sojourn), "sojourn_unit_ns", "in 1/1024..=1024")?;
        let queue_field = match c.sojourn_unit_ns {
            None => ("queue_unit_bytes", "below 128 T / 2^8"),
            Some(_) => ("sojourn_unit_ns", "below T/6.25"),
        };
        let queue_gain = match c.sojourn_unit_ns {
            None => c.queue_unit_bytes / 128.0 / t,
            Some(unit_ns) => u_one * unit_ns / t_ns,
        };
        let rate = |bps: f64, field| {
            let range = "below 256 bytes a cycle of the core clock";
            fit(bps / 8.0 / clock_hz, RATE_FRACTION_BITS, field, range)
        };
        let window = |bytes, field| fit(bytes, W_AI_FRACTION_BITS, field, "in 0..4194304");
        Ok(Self {
            t_ns: (t + 0.5) as u32,
            inv_t: fit(1.0 / t, INV_T_FRACTION_BITS, "t_ns", "in 257..=1048575")?,
            queue_gain: fit(queue_gain, INV_T_FRACTION_BITS, queue_field.0, queue_field.1)?,
            util_gain: c.utilisation_full.map_or(0, |full| float(u_one / f64::from(full)))
                | c.sojourn_unit_ns.map_or(0, |_| SOJOURN),
            target: fit(u_one * c.eta, U_FRACTION_BITS, "eta", "in 0.05..=2")?,
            u_one: fit(u_one, U_FRACTION_BITS, "multi", "in 1..=16")?,
            max_stage: c.max_stage,
            w_ai: window(c.w_ai_bytes, "w_ai_bytes")?,
            w_init: c.w_init_bytes,
            w_min: window(c.w_min_bytes(), "rate_min_bps x t_ns (the smallest window)")?,
            rate_gain: fit(
                1e9 / clock_hz / t_ns,
                RATE_GAIN_FRACTION_BITS,
                "t_ns",
                "more than 64 cycles of the core clock",
            )?,
            rate_min: rate(c.rate_min_bps, "rate_min_bps")?.max(1),
            rate_max: rate(c.line_rate_bps, "line_rate_bps")?.max(1),
            check: check(c),
            active: match c.active_window_ns {
                None => 0,
                Some(ns) => {
                    let units = ns * clock_hz / 1e9 / f64::from(ACTIVE_UNIT_CYCLES);
                    need(
                        units > 0.0 && units <= 1_048_575.0,
                        "active_window_ns",
                        "in 1..=1048575 x 64 cycles",
                    )?;
                    units as u32 + u32::from(units > f64::from(units as u32))
                }
            },
            feedback_cycles: {
                let cycles = (u64::from(c.t_ns) * c.clock_hz).div_ceil(1_000_000_000);
                cycles.min((1 << 20) - 1) as u32
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn testbed() -> CcConfig {
        CcConfig { t_ns: 4160, ..CcConfig::for_line(100e9, 100, 250_000_000) }
    }

    #[test]
    fn cc_params_of_the_papers_testbed() {
        let config = CcConfig { w_ai_bytes: 26.0, w_init_bytes: 52000, ..testbed() };
        let p = CcParams::derive(&CcConfig { rate_min_bps: 100e6, ..config }).unwrap();
        assert_eq!((p.u_one, p.target), (0x6400_0000, 0x5f00_0000));
        assert_eq!((p.w_ai, p.w_min), (26 << 10, 52 << 10));
        // 50 bytes a cycle at 250 MHz; 4 ns of 4160 ns.
        assert_eq!((p.rate_max, p.rate_gain), (50 << 24, 264_305_680));
    }

    #[test]
    fn cc_params_reset_values_are_the_defaults_at_8_gbps_and_125_mhz() {
        let p = CcParams::derive(&CcConfig::for_line(8e9, 64, 125_000_000)).unwrap();
        let reset = |name: &str| {
            let register = crate::regs::CONFIG_REGISTERS.iter().find(|r| r.name == name);
            register.expect("the register exists").reset
        };
        assert_eq!((p.t_ns, p.inv_t), (reset("cc_t_ns"), reset("cc_inv_t")));
        assert_eq!((p.queue_gain, p.target), (reset("cc_queue_gain"), reset("cc_target")));
        assert_eq!((p.u_one, p.max_stage.into()), (reset("cc_u_one"), reset("cc_max_stage")));
        assert_eq!((p.w_ai, p.w_init), (reset("cc_w_ai"), reset("cc_w_init")));
        assert_eq!((p.w_min, p.rate_gain), (reset("cc_w_min"), reset("cc_rate_gain")));
        assert_eq!((p.rate_min, p.rate_max), (reset("cc_rate_min"), reset("cc_rate_max")));
        assert_eq!((p.feedback_cycles, p.check), (reset("feedback_cycles"), reset("cc_check")));
    }

    #[test]
    fn cc_params_of_utilisation_are_a_mantissa_and_an_exponent() {
        let gain = |full| {
            let config = CcConfig { utilisation_full: Some(full), ..testbed() };
            CcParams::derive(&config).unwrap().util_gain
        };
        // 25/1024 in UQ0.36 is 25 x 2^26 = 3276800 x 2^9; over 10000: 2684355 x 2^-4.
        assert_eq!(gain(1), 5 << 22 | 3_276_800);
        assert_eq!(gain(10_000), 18 << 22 | 2_684_355);
        assert_eq!(gain((1 << 20) - 1), 25 << 22 | 3_276_803);
        assert_eq!(CcParams::derive(&testbed()).unwrap().util_gain, 0);
        let none = CcConfig { utilisation_full: Some(0), ..testbed() };
        assert_eq!(CcParams::derive(&none).unwrap_err().field, "utilisation_full");
    }

    #[test]
    fn cc_params_follow_the_units_of_the_network() {
        let derive = |queue_unit_bytes, time_unit_ns| {
            let config = CcConfig { queue_unit_bytes, time_unit_ns, ..testbed() };
            CcParams::derive(&config).unwrap()
        };
        let (native, cells) = (derive(80.0, 1.0), derive(160.0, 1.0));
        assert_eq!(cells.queue_gain, 2 * native.queue_gain);
        assert_eq!(CcParams { queue_gain: native.queue_gain, ..cells }, native);
        // 4160 ns are 4466.8 units of 2^-30 s; U = 1 is 25/1024 x 0.931.
        let binary = derive(80.0, 1e9 / (1_u64 << 30) as f64);
        assert_eq!((binary.t_ns, binary.rate_gain), (4467, native.rate_gain));
        assert_eq!((binary.u_one, binary.target), (1_562_500_000, 1_484_375_000));
        assert_eq!(binary.inv_t, 246_153_846);
    }

    #[test]
    fn cc_params_of_active_flows_are_a_window() {
        let derive = |ns| {
            let config = CcConfig { active_window_ns: ns, ..testbed() };
            CcParams::derive(&config).map(|p| p.active).map_err(|e| e.field)
        };
        assert_eq!(derive(None), Ok(0));
        // 250 MHz: 64 cycles are 256 ns.
        assert_eq!((derive(Some(1.0)), derive(Some(2560.0))), (Ok(1), Ok(10)));
        assert_eq!(
            (derive(Some(2561.0)), derive(Some(256.0 * 1_048_575.0))),
            (Ok(11), Ok(1_048_575))
        );
        assert_eq!(
            (derive(Some(0.0)), derive(Some(3e8))),
            (Err("active_window_ns"), Err("active_window_ns"))
        );
    }

    #[test]
    fn cc_params_of_sojourn_times() {
        let config = CcConfig { sojourn_unit_ns: Some(16.0), queue_max_bytes: 1.0, ..testbed() };
        let p = CcParams::derive(&config).unwrap();
        // 25/1024 x 16/4160 in UQ0.40.
        assert_eq!((p.util_gain, p.queue_gain), (1 << 27, 103_244_406));
        assert_eq!(p.check >> 6, 0x1_ffff);
        let native = CcParams::derive(&testbed()).unwrap();
        let rest = CcParams { util_gain: 0, queue_gain: native.queue_gain, ..p };
        assert_eq!(rest, native);
        let config = CcConfig { sojourn_unit_ns: Some(0.0), ..testbed() };
        assert_eq!(CcParams::derive(&config).unwrap_err().field, "sojourn_unit_ns");
    }

    #[test]
    fn cc_params_of_the_checks() {
        let check = |c: CcConfig| CcParams::derive(&c).unwrap().check;
        assert_eq!(check(testbed()), 7 | 0x1_ffff << 6);
        assert_eq!(check(CcConfig { checks: false, ..testbed() }), 0x1_ffff << 6);
        // 1000 units of 4 x 80 bytes.
        let config = CcConfig { multi: 5, queue_max_bytes: 400_399.0, ..testbed() };
        assert_eq!(check(config), 7 | 2 << 3 | 1000 << 6);
        let config = CcConfig { utilisation_full: Some(100), ..testbed() };
        assert_eq!(check(config), 3 | 0x1_ffff << 6);
        assert_eq!(check(CcConfig { time_unit_ns: 1.5, ..testbed() }), 3 | 0x1_ffff << 6);
        assert_eq!(check(CcConfig { time_unit_ns: 0.93, ..testbed() }), 7 | 0x1_ffff << 6);
        let config = CcConfig { queue_max_bytes: -1.0, ..testbed() };
        assert_eq!(CcParams::derive(&config).unwrap_err().field, "queue_max_bytes");
    }

    #[test]
    fn cc_params_out_of_range_are_named() {
        let field = |c: CcConfig| CcParams::derive(&c).unwrap_err().field;
        assert_eq!(field(CcConfig { t_ns: 256, ..testbed() }), "t_ns");
        assert_eq!(field(CcConfig { eta: f64::NAN, ..testbed() }), "eta");
        assert_eq!(field(CcConfig { w_ai_bytes: -1.0, ..testbed() }), "w_ai_bytes");
        assert_eq!(field(CcConfig { line_rate_bps: 600e9, ..testbed() }), "line_rate_bps");
        assert_eq!(
            field(CcConfig { clock_hz: 10_000_000, line_rate_bps: 1e9, ..testbed() }),
            "t_ns"
        );
    }
}
