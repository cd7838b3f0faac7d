//! The proofs of `tests/formal/`: what is cut, and which registers the properties look at.

/// Properties of one block.
pub struct Proof {
    /// Its module, and the file of its properties.
    pub block: &'static str,
    /// Cells, as module/cell, whose outputs may be anything: what is proved holds whatever they do.
    pub cuts: &'static [&'static str],
    /// Wires of the property module, and the registers of the design that drive them.
    pub connects: &'static [(&'static str, &'static str)],
    /// Likewise the registers of pipeline stages and the words of memories: wire, bits of a stage,
    /// name with `#` for the number of the stage, first and last number.
    pub stages: &'static [(&'static str, usize, &'static str, usize, usize)],
    /// Options of yosys-smtbmc, one run each.
    pub runs: &'static [&'static [&'static str]],
}

/// A pipeline without state: eight cycles from any state are all that it can do.
pub const SETTLE: Proof = Proof {
    block: "settle",
    cuts: &["settle/product"],
    connects: &[],
    stages: &[],
    runs: &[&["-t", "9"]],
};

/// Of all inputs, in one cycle.
pub const EARLIEST: Proof =
    Proof { block: "earliest", cuts: &[], connects: &[], stages: &[], runs: &[&["-t", "1"]] };

/// By induction, and from reset.
pub const OCTAVE: Proof = Proof {
    block: "octave",
    cuts: &[],
    connects: &[
        ("valid", "dut.valid"),
        ("fetching", "dut.fetching"),
        ("head", "dut.head"),
        ("second_valid", "dut.second_valid"),
        ("second", "dut.second"),
        ("write", "dut.write"),
        ("read", "dut.read"),
        ("in_memory", "dut.stored"),
    ],
    stages: &[],
    runs: &[&["-i", "-t", "1"], &["-t", "1"]],
};

/// A pipeline of two cycles: three from any state are all that it can do.
pub const OCTAVES: Proof = Proof {
    block: "octaves",
    cuts: &["octaves/memory"],
    connects: &[("best", "dut.best")],
    stages: &[("valid", 1, "dut.queues_#.valid", 0, 7), ("heads", 22, "dut.queues_#.head", 0, 7)],
    runs: &[&["-t", "3"]],
};

/// By induction, and from reset; whatever queues, scan and sums do.
pub const SCHEDULER: Proof = Proof {
    block: "scheduler",
    cuts: &[
        "scheduler/octaves",
        "scheduler/scan",
        "ledger/settle",
        "ledger/due_time",
        "ledger/overhead",
    ],
    connects: &[
        ("is_clean", "dut.is_clean"),
        ("pops_open", "dut.pops"),
        ("grants_empty", "dut.grants.empty_spare"),
        ("grant_spare", "dut.grants.spare"),
        ("pop_taken", "dut.intake_m_pop_taken"),
        ("clear_index", "dut.clear_index"),
        ("slot", "dut.intake.slot"),
        ("pop_flow", "dut.octaves_m_flow"),
        ("pop_queue", "dut.octaves_m_queue"),
        ("head_valid", "dut.intake.waiting.head_valid"),
        ("empty_spare", "dut.intake.waiting.empty_spare"),
        ("head", "dut.intake.waiting.head"),
        ("spare", "dut.intake.waiting.spare"),
        ("operation_1", "dut.ledger.operation_1"),
        ("operation_2", "dut.ledger.operation_2"),
        ("start", "dut.intake_m_start"),
        ("start_1", "dut.ledger.start_1"),
        ("start_2", "dut.ledger.start_2"),
        ("grants", "dut.ledger_m_grant"),
        ("popped", "dut.ledger_m_popped"),
        ("pushes", "dut.ledger_m_push"),
        ("push_queue", "dut.ledger_m_push_queue"),
        ("read_row", "dut.ledger.rows.read_data"),
        ("row_2", "dut.ledger.row_2"),
        ("row_3", "dut.ledger.row_3"),
        ("changed_q", "dut.ledger.changed.q"),
        ("changed_index", "dut.ledger.changed.index"),
        ("write_flow_index", "dut.ledger.write_flows.index"),
        ("write_flow_q", "dut.ledger.write_flows.q"),
        ("write_flow", "dut.ledger_m_write_flow"),
        ("covers", "dut.ledger.settle_m_covers"),
        ("credit", "dut.ledger.settle_m_credit"),
        ("time_write", "dut.ledger_m_write"),
        ("clock_bytes", "dut.line.clock_bytes"),
        ("time_due", "dut.ledger_m_due"),
    ],
    stages: &[
        ("under_way", 1, "dut.intake.under_way_#", 0, 6),
        ("flows", 2, "dut.intake.flows_#", 0, 6),
        ("rows", 191, "dut.ledger.rows.mem[#]", 0, 3),
        ("changed_ring", 191, "dut.ledger.changed.ring[#]", 0, 2),
        ("write_flow_ring", 2, "dut.ledger.write_flows.ring[#]", 0, 2),
        ("writes", 1, "dut.ledger.writes_#", 0, 3),
        ("waits_stage", 1, "dut.ledger.waits_#", 0, 3),
    ],
    runs: &[&["-i", "-t", "1"], &["-t", "1"]],
};

/// By induction, and from reset.
pub const INTAKE: Proof = Proof {
    block: "intake",
    cuts: &[],
    connects: &[
        ("head_valid", "dut.waiting.head_valid"),
        ("empty_spare", "dut.waiting.empty_spare"),
        ("slot", "dut.slot"),
        ("due_waited", "dut.due_waited"),
        ("head_flow", "dut.flow"),
        ("start", "dut.start"),
        ("valid", "dut.valid"),
    ],
    stages: &[("under_way", 1, "dut.under_way_#", 0, 6), ("flows", 2, "dut.flows_#", 0, 6)],
    runs: &[&["-i", "-t", "1"], &["-t", "1"]],
};

/// By induction, and from reset.
pub const SCAN: Proof = Proof {
    block: "scan",
    cuts: &[],
    connects: &[
        ("index", "dut.index"),
        ("read_valid", "dut.read_valid"),
        ("read_row", "dut.read_row"),
        ("word_valid", "dut.word_valid"),
        ("word_row", "dut.word_row"),
        ("hits", "dut.hits"),
        ("hits_row", "dut.hits_row"),
    ],
    stages: &[
        ("read_data", 17, "dut.lanes_#.times.read_data", 0, 1),
        ("word", 17, "dut.lanes_#.word", 0, 1),
        ("fresh_1", 1, "dut.lanes_#.fresh_1", 0, 1),
        ("fresh_2", 1, "dut.lanes_#.fresh_2", 0, 1),
        ("times_0", 17, "dut.lanes_0.times.mem[#]", 0, 31),
        ("times_1", 17, "dut.lanes_1.times.mem[#]", 0, 31),
    ],
    runs: &[&["-i", "-t", "1"], &["-t", "1"]],
};
