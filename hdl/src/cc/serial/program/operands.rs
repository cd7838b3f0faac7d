//! What a row of the program can name: words and where they go, what is done, what is asked.

/// Where a word comes from: memory, parameters (`cc_serial_params`), the event (`cc_serial_event`), or
/// arithmetic (`cc_serial_math`).
#[derive(Clone, Copy, PartialEq)]
pub enum Origin {
    /// A word of the flow.
    Word(u32),
    /// A word of the hop.
    Hop(u32),
    Given(u32),
}
pub use Origin::{Given, Hop, Word};

pub const T: Origin = Given(0);
pub const INV_T: Origin = Given(1);
pub const QUEUE_GAIN_HIGH: Origin = Given(2);
pub const QUEUE_GAIN_LOW: Origin = Given(3);
pub const UTIL_GAIN: Origin = Given(4);
pub const TARGET: Origin = Given(5);
pub const U_ONE: Origin = Given(6);
pub const MAX_STAGE: Origin = Given(7);
pub const W_AI_HIGH: Origin = Given(8);
pub const W_AI_LOW: Origin = Given(9);
pub const W_INIT: Origin = Given(10);
pub const W_MIN_HIGH: Origin = Given(11);
pub const W_MIN_LOW: Origin = Given(12);
pub const RATE_GAIN: Origin = Given(13);
pub const RATE_MIN: Origin = Given(14);
pub const RATE_MAX: Origin = Given(15);
pub const LINE: Origin = Given(16);
pub const NEW_TIME: Origin = Given(17);
pub const NEW_SENT: Origin = Given(18);
pub const NEW_QUEUE: Origin = Given(19);
pub const NEW_KEY: Origin = Given(20);
pub const ACK_PSN: Origin = Given(21);
pub const SND_NXT: Origin = Given(22);
pub const COMMAND_WINDOW: Origin = Given(23);
pub const COMMAND_RATE: Origin = Given(24);
pub const COMMAND_ADAPTS: Origin = Given(25);
pub const QUEUE_MAX: Origin = Given(26);
pub const SUM_HIGH: Origin = Given(32);
pub const SUM_LOW: Origin = Given(33);
pub const LOW: Origin = Given(34);
pub const START: Origin = Given(35);
pub const FALL: Origin = Given(36);
pub const ALL_ONES: Origin = Given(37);
pub const HIGH_ONES: Origin = Given(38);
pub const SLACK_UNITS: Origin = Given(39);
pub const ONE_STAGE: Origin = Given(40);
pub const ZERO: Origin = Given(48);

/// Words of a hop: its record, and one that the arithmetic uses (`HALF` of five hops).
pub const TIME: u32 = 0;
pub const SENT: u32 = 1;
pub const QUEUE: u32 = 2;
pub const HALF_HIGH: u32 = 3;
pub const HALF_LOW: u32 = 7;
pub const WORST_HIGH: u32 = 11;
pub const WORST_LOW: u32 = 15;
pub const WORST_TAU: u32 = 19;
/// Words of a flow.
pub const KEY: u32 = 20;
/// The word that says whether the flow exists and adapts; cleared after reset.
pub const ADAPTS: u64 = 21;
pub const LAST_PSN: u32 = 22;
pub const INC_STAGE: u32 = 23;
pub const W_HIGH: u32 = 24;
pub const W_LOW: u32 = 25;
pub const WC_HIGH: u32 = 26;
pub const WC_LOW: u32 = 27;
pub const U_HIGH: u32 = 28;
pub const U_LOW: u32 = 29;
pub const TAU: u32 = 30;
pub const UNITS: u32 = 31;
/// Behind the hops its place is that of the rate.
pub const RATE: u32 = TAU;

/// Where a word goes.
#[derive(Clone, Copy, PartialEq)]
pub enum To {
    /// Halves of the addend; `Alone` clears the other half.
    AddendHigh,
    AddendLow,
    AddendHighAlone,
    AddendLowAlone,
    SumHigh,
    SumLow,
    SumHighAlone,
    SumLowAlone,
    Factor,
    Word(u32),
    Hop(u32),
    /// Field of the result.
    Result(u32),
}

impl To {
    pub fn is_math(self) -> bool {
        !matches!(self, Self::Word(_) | Self::Hop(_) | Self::Result(_))
    }

    /// [5:3] 1 addend, 2 sum, 3 factor, 4 memory, 5 result; of addend and sum [0] high half, [1] low
    /// half, [2] the other half is cleared.
    pub fn code(self) -> u32 {
        match self {
            Self::AddendHigh => 1 << 3 | 1,
            Self::AddendLow => 1 << 3 | 2,
            Self::AddendHighAlone => 1 << 3 | 5,
            Self::AddendLowAlone => 1 << 3 | 6,
            Self::SumHigh => 2 << 3 | 1,
            Self::SumLow => 2 << 3 | 2,
            Self::SumHighAlone => 2 << 3 | 5,
            Self::SumLowAlone => 2 << 3 | 6,
            Self::Factor => 3 << 3,
            Self::Word(word) => 4 << 3 | word << 6,
            Self::Hop(word) => 4 << 3 | word << 6 | 1 << 11,
            Self::Result(field) => 5 << 3 | field,
        }
    }
}

/// What the arithmetic does in a cycle (`cc_serial_math`).
#[derive(Clone, Copy)]
pub enum Act {
    Multiply = 1,
    Shift = 2,
    ShiftByte = 3,
    Normalise = 4,
    ShiftExponent = 5,
    Add = 6,
    /// Addend less sum.
    Subtract = 7,
    Clear = 8,
    Segment = 9,
}

/// What a jump depends on.
#[derive(Clone, Copy, PartialEq)]
pub enum If {
    Always = 0,
    IsNegative = 1,
    IsZero = 2,
    /// The addend was less than the sum, or an addition had a carry.
    IsLess = 3,
    IsWide = 4,
    CommandAdapts = 5,
    HasTelemetry = 6,
    IsUsable = 7,
    ChecksPsn = 8,
    ChecksTime = 9,
    ChecksBytes = 10,
    HasRate = 11,
    ByUse = 12,
    BySojourn = 13,
    Is40Gbps = 14,
    IsLastHop = 15,
    IsCommand = 16,
    IsOffered = 17,
    ResultWaits = 18,
    IsTime = 19,
    IsBad = 20,
    ByTime = 21,
    Full = 24,
    First = 25,
    Some = 26,
    Scales = 30,
    Falls = 31,
}

pub const FULL: u32 = 0;
pub const FIRST: u32 = 1;
pub const SOME: u32 = 2;
pub const BAD_TIME: u32 = 3;
pub const BAD_BYTES: u32 = 4;
pub const BAD_QUEUE: u32 = 5;
pub const SCALES: u32 = 6;
pub const FALLS: u32 = 7;

/// What happens to the exponent.
#[derive(Clone, Copy)]
pub enum Exponent {
    Zero = 1,
    Multi = 2,
    Code = 3,
    OfUse = 4,
    AddCode = 5,
    LessCode = 6,
}

pub const NEXT_HOP: u32 = 1 << 3;
pub const CLEAR: u32 = 1 << 4;
pub const TIMER: u32 = 1 << 9;
pub const DONE: u32 = 1 << 23;
pub const SHOW: u32 = 1 << 24;
pub const NEVER_SENT: u32 = 1 << 25;
pub const BAD: u32 = 1 << 26;
pub const IS_WORST: u32 = 1 << 27;
