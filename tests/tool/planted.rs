//! Mistakes that show late or seldom, planted in the emitted Verilog: at the defaults of `nic verify`
//! the block's own bench finds each of them, and so does the whole NIC's. Without `NIC_PLANTED_ALL`
//! the NIC's bench looks for the first of them alone; `NIC_PLANTED_ONLY` runs those whose name and
//! block contain it.

use nic_harness::bench::Options;
use nic_harness::mutate::{Change, Mistake, Mistaken};
use nic_harness::parallel::side_by_side;
use nic_sim::bench;
use nic_sim::cli::{Table, DEFAULT_CYCLES, DEFAULT_SEEDS};
use rdma_nic::gbe;
use std::collections::BTreeSet;

/// A mistake.
struct Planted {
    what: &'static str,
    /// Blocks whose benches find it.
    blocks: &'static [&'static str],
    /// The module that it is made in.
    module: &'static str,
    /// Text of the module that stands there once, and what stands there instead.
    changes: &'static [(&'static str, &'static str)],
}

const PLANTED: &[Planted] = &[
    Planted {
        what: "event counters wrap at 2^20",
        blocks: &["event_counters", "nic"],
        module: "event_counters",
        changes: &[("write_next = sum[31:0];", "write_next = {12'd0, sum[19:0]};")],
    },
    Planted {
        what: "the timer's tick loses its carry at 2^16",
        blocks: &["requester", "nic"],
        module: "requester_timer",
        changes: &[("tick_next = tick + 33'd1;", "tick_next = {tick[32:16], tick[15:0] + 16'd1};")],
    },
    Planted {
        what: "the completion ring's producer wraps at 2^12",
        blocks: &["cq_ring", "nic"],
        module: "cq_index",
        changes: &[(
            "producer_next = producer + {15'd0, advance};",
            "producer_next = {4'd0, producer[11:0] + {11'd0, advance}};",
        )],
    },
    Planted {
        what: "MSNs lose their carry at 2^16",
        blocks: &["responder", "nic"],
        module: "resp_sequence",
        changes: &[(
            "msn_after <= msn + ends;",
            "msn_after <= {msn[23:16], msn[15:0] + ends[15:0]};",
        )],
    },
    Planted {
        what: "the scheduler's time wraps at 2^19",
        blocks: &["scheduler", "nic"],
        module: "scheduler",
        changes: &[("now <= now + 20'd1;", "now <= {1'd0, now[18:0] + 19'd1};")],
    },
    Planted {
        what: "RNR retries are kept over a new queue pair",
        blocks: &["requester", "nic"],
        module: "requester_retry",
        changes: &[("r_rnr_retry_next = 3'd0;", "")],
    },
    Planted {
        what: "the window saturates by all excess bits but the lowest",
        blocks: &["cc_wind", "cc_unit", "nic"],
        module: "cc_wind",
        changes: &[("(|excess)", "(|excess[31:1])")],
    },
    Planted {
        what: "an ACK is compared with a message's end as a plain number",
        blocks: &["requester", "nic"],
        module: "requester_ack",
        changes: &[(
            "beyond_end <= reached - wr_end_psn;",
            "beyond_end <= {reached < wr_end_psn, 23'd0};",
        )],
    },
    Planted {
        what: "no AckReq at an interval of 2^15",
        blocks: &["requester", "nic"],
        module: "requester_packet",
        changes: &[("on_interval <= &lifted;", "on_interval <= (&lifted) & (interval != 4'd15);")],
    },
    Planted {
        what: "RNR timers end a tick early",
        blocks: &["requester", "nic"],
        module: "requester_timer",
        changes: &[("rnr_ticks <= rnr_half + two;", "rnr_ticks <= rnr_half + one;")],
    },
    Planted {
        what: "a flow whose window is just full may send",
        blocks: &["scheduler", "nic"],
        module: "ledger",
        changes: &[("row_3[73:42] < row_3[105:74]", "row_3[73:42] <= row_3[105:74]")],
    },
    Planted {
        what: "a READ of whole packets counts one too many",
        blocks: &["responder", "nic"],
        module: "resp_intake",
        changes: &[("len_less <= dma_len - 32'd1;", "len_less <= dma_len;")],
    },
    Planted {
        what: "a doorbell's index is compared as a plain number",
        blocks: &["sq_fetch", "nic"],
        module: "sq_book",
        changes: &[(
            "distance <= doorbell_index - fetched;",
            "distance <= (doorbell_index < fetched) ? 16'hffff : doorbell_index - fetched;",
        )],
    },
    Planted {
        what: "the IP identification wraps at 2^14",
        blocks: &["tx_pipe", "nic"],
        module: "tx_choice",
        changes: &[("id_next = id + 16'd1;", "id_next = {2'd0, id[13:0] + 14'd1};")],
    },
    Planted {
        what: "tkeep towards tx has a byte too few at a payload of 1021 bytes alone",
        blocks: &["tx_pipe", "nic"],
        module: "tx_pipe",
        changes: &[
            (
                " more;",
                " more;
                 reg [8:0] at_beat;
                 always @(posedge clock) if (s_data_tvalid & s_data_tready)
                     at_beat <= s_data_tlast ? 9'd0 : at_beat + 9'd1;
                 wire is_1021 = (at_beat == 9'd127) & (s_data_tkeep == 8'h1f);",
            ),
            (".s_data_tkeep(s_data_tkeep)", ".s_data_tkeep(s_data_tkeep & ~{3'd0, is_1021, 4'd0})"),
        ],
    },
    Planted {
        what: "tkeep of bytes read has a byte too few at 1021 bytes alone",
        blocks: &["dma_read", "nic"],
        module: "dma_read",
        changes: &[(
            "assign m_axis_tkeep = aligner_m_axis_tkeep;",
            "reg [8:0] at_beat;
             always @(posedge clock) if (m_axis_tvalid & m_axis_tready)
                 at_beat <= m_axis_tlast ? 9'd0 : at_beat + 9'd1;
             wire is_1021 = (at_beat == 9'd127) & (aligner_m_axis_tkeep == 8'h1f);
             assign m_axis_tkeep = aligner_m_axis_tkeep & ~{3'd0, is_1021, 4'd0};",
        )],
    },
];

impl Planted {
    /// Its places in the Verilog of a block.
    fn mistake(&self, text: &str) -> Mistake {
        let head = text.find(&format!("module {} ", self.module));
        let head = head.unwrap_or_else(|| panic!("{}: no module {}", self.what, self.module));
        let module = text[head..].split("endmodule").next().expect("a first part");
        let place = |(from, to): &(&str, &str)| {
            assert_eq!(module.matches(from).count(), 1, "{}: {from}", self.module);
            let change = Change::first(module, from, to).expect("it is there");
            let range = head + change.range.start..head + change.range.end;
            Change { range, ..change }
        };
        self.changes.iter().map(place).collect()
    }
}

/// The first failure of `block`'s bench with each of the mistakes at the defaults of `nic verify`.
fn found(block: &str, planted: &[&Planted]) -> Vec<Option<String>> {
    let bench = bench::by_name(block, &gbe()).expect("a bench");
    let source = bench::verilog(&bench).expect("the block is emitted");
    let mistakes: Vec<Mistake> = planted.iter().map(|p| p.mistake(&source.text)).collect();
    let mistaken = Mistaken::new(&source, &mistakes);
    side_by_side(planted, |at, _| {
        (1..=DEFAULT_SEEDS).find_map(|seed| {
            let options = Options { failure_dir: None, ..Options::new(seed, DEFAULT_CYCLES) };
            let failure = mistaken.run(&bench, at, &options).err()?;
            let cycle = failure.cycle.unwrap_or_else(|| panic!("it cannot be run: {failure}"));
            Some(format!("seed {seed}, cycle {cycle}"))
        })
    })
}

#[test]
fn planted_are_found_at_the_defaults() {
    let all = std::env::var_os("NIC_PLANTED_ALL").is_some();
    let only = std::env::var("NIC_PLANTED_ONLY").unwrap_or_default();
    let blocks: BTreeSet<&str> = PLANTED.iter().flat_map(|p| p.blocks).copied().collect();
    let mut table = Table::new(["planted", "bench", "found"]);
    let mut all_found = true;
    for block in blocks {
        let is_tried = |p: &Planted| p.blocks.contains(&block) && name(p, block).contains(&only);
        let mut planted: Vec<&Planted> = PLANTED.iter().filter(|p| is_tried(p)).collect();
        if block == "nic" && !all {
            planted.truncate(1);
        }
        for (planted, found) in planted.iter().zip(found(block, &planted)) {
            all_found &= found.is_some();
            table.row([planted.what.into(), block.into(), found.unwrap_or("NOT FOUND".into())]);
        }
    }
    println!("{table}");
    assert!(all_found, "not all were found\n{table}");
}

/// What `NIC_PLANTED_ONLY` is looked for in.
fn name(planted: &Planted, block: &str) -> String {
    format!("{} {block}", planted.what)
}
