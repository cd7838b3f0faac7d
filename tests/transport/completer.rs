//! completer: Verilog against golden model, and what it promises.

use nic_harness::lockstep::{LockStep, Stepper};
use nic_models::golden::transport::completer::{Completer, CompleterIn};
use nic_models::golden::transport::requester::order;
use nic_models::ports::Data;
use nic_models::streams::{Axis, Order, ReadyPort, TreadyPort, WriteDone};
use rdma_nic::{
    assert_catches, assert_matches_golden, bench_and_verilog, gbe, hundred, lock_step, Runs,
};
use std::collections::VecDeque;

#[test]
fn completer_matches_golden() {
    let fixed = ["m_cqe_kind", "m_cqe_imm"];
    assert_matches_golden("completer", 0..4, 100_000, &fixed);
    Runs::of_block("completer", &hundred(), 0..4, 100_000).assert_match_golden(&fixed);
}

/// The block with an engine that refuses the commands to `bad_addr`.
struct Rig {
    engine: LockStep<Completer>,
    open: VecDeque<(u128, bool)>,
    bad_addr: u64,
    /// Cycle of the first report, and of the row.
    report_cycle: usize,
    row_cycle: usize,
    statuses: Vec<(u16, u8)>,
    fails: Vec<u16>,
}

impl Rig {
    fn new() -> Self {
        let (_, source) = bench_and_verilog("completer");
        let engine = lock_step(Completer::new(&gbe()), &source, 1);
        let (open, statuses, fails) = (VecDeque::new(), vec![], vec![]);
        Self { engine, open, bad_addr: 0xbad, report_cycle: 0, row_cycle: 0, statuses, fails }
    }

    fn run(&mut self, orders: &[Order], row: Option<u16>, cycles: usize) {
        let mut orders: VecDeque<_> = orders.iter().copied().collect();
        let mut row = row;
        for cycle in 0..cycles {
            let out = *self.engine.last_out();
            let done = self.open.front().copied().filter(|_| cycle >= self.report_cycle);
            let pins = CompleterIn {
                s_order: orders.front().copied().unwrap_or_default(),
                s_response: Axis { tvalid: true, tdata: Data::from(1), tkeep: 1, tlast: true },
                s_done: WriteDone {
                    valid: done.is_some(),
                    tag: done.map_or(0, |d| d.0),
                    error: done.is_some_and(|d| d.1),
                },
                s_cfg_valid: row.is_some() && cycle >= self.row_cycle,
                cfg_index: row.unwrap_or(0),
                m_cmd: ReadyPort { ready: true },
                m_data: TreadyPort { tready: true },
                m_cqe_ready: true,
                m_fail: ReadyPort { ready: true },
                ..CompleterIn::default()
            };
            if out.s_order.ready {
                orders.pop_front();
            }
            if out.s_done.ready {
                self.open.pop_front();
            }
            if out.s_cfg_ready {
                row = None;
            }
            if out.m_cmd.valid {
                let is_bad = out.m_cmd.bytes > 0 && out.m_cmd.addr == self.bad_addr;
                self.open.push_back((out.m_cmd.tag, is_bad));
            }
            if out.m_cqe.valid {
                self.statuses.push((out.m_cqe.flow, out.m_cqe.status));
            }
            if out.m_fail.valid {
                self.fails.push(out.m_fail.flow);
            }
            self.engine.step(&pins).expect("equal");
        }
        assert!(orders.is_empty() && row.is_none(), "everything was taken");
    }
}

fn land(flow: u16, addr: u64) -> Order {
    Order { valid: true, op: order::LAND, flow, addr, bytes: 1, ..Order::default() }
}

fn completion(flow: u16) -> Order {
    Order { valid: true, op: order::COMPLETION, flow, signalled: true, ..Order::default() }
}

#[test]
fn completer_fails_a_flow_until_its_row_is_written() {
    let mut rig = Rig::new();
    let orders = [
        land(3, 0x1000),
        completion(3),
        land(3, 0xbad),
        land(3, 0xbad),
        land(4, 0x1000),
        completion(3),
        completion(4),
        completion(3),
    ];
    rig.run(&orders, None, 300);
    assert_eq!(rig.statuses, [(3, 0), (3, 5), (4, 0), (3, 6)]);
    assert_eq!(rig.fails, [3], "told once");
    rig.run(&[], Some(3), 50);
    rig.run(&[land(3, 0x1000), completion(3)], None, 100);
    assert_eq!(rig.statuses.last(), Some(&(3, 0)));
}

/// With nothing before it a completion needs no memory: it stands as soon as the header says.
#[test]
fn completer_ends_a_completion_at_once_unless_something_lands_before_it() {
    let (_, source) = bench_and_verilog("completer");
    let mut engine = lock_step(Completer::new(&gbe()), &source, 1);
    let m_cmd = ReadyPort { ready: true };
    let idle = CompleterIn { m_cqe_ready: true, m_cmd, ..CompleterIn::default() };
    // Errors of flows are cleared first.
    for _ in 0..gbe().flow_count + 2 {
        engine.step(&idle).expect("equal");
    }
    let mut step = |s_order| engine.step(&CompleterIn { s_order, ..idle }).expect("equal");
    let out = [1, 2, 3, 4, 5].map(|cycle| {
        let offered = if cycle <= 2 { completion(3) } else { Order::default() };
        step(offered)
    });
    assert!(out.iter().all(|o| !o.m_cmd.valid));
    assert_eq!(out.map(|o| o.m_cqe.valid), [false, false, false, false, true]);
    for order in [land(3, 0x1000), completion(4)] {
        assert!((0..4).any(|_| step(order).s_order.ready));
        step(order);
    }
    assert!((0..1000).all(|_| !step(Order::default()).m_cqe.valid), "memory has not reported");
}

/// Host memory refuses bytes of a queue pair while its new row is written.
#[test]
fn completer_tells_nothing_of_a_queue_pair_that_is_replaced() {
    for (row, fails) in [(3, vec![4]), (4, vec![3]), (5, vec![3, 4])] {
        let mut rig = Rig::new();
        (rig.row_cycle, rig.report_cycle) = (120, 160);
        rig.run(&[land(3, 0xbad), land(4, 0xbad)], Some(row), 300);
        assert_eq!(rig.fails, fails, "row of flow {row}");
        (rig.row_cycle, rig.report_cycle) = (0, 0);
        rig.run(&[land(row, 0xbad), completion(row)], None, 200);
        assert_eq!((rig.fails.last(), rig.statuses.last()), (Some(&row), Some(&(row, 5))));
    }
}

#[test]
fn completer_breaks_are_caught() {
    let breaks = [
        ("fails_s_valid = !is_replaced", "fails_s_valid = 1'b1"),
        ("bytes_next = s_order_bytes", "bytes_next = 13'd8"),
        // An order without a place for its end.
        ("& pending_s_ready", ""),
        // A completion does not wait for what lands before it, or waits for a report of its own.
        ("(s_done_valid | !pending_m_data[89])", "1'b1"),
        ("(s_done_valid | !pending_m_data[89])", "s_done_valid"),
        // A completion takes the report of what lands behind it.
        ("s_done_ready = ender_s_ready & pending_m_data[89]", "s_done_ready = ender_s_ready"),
        // A row does not wait for orders without end.
        ("!take & (!(|pending_count))", "!take"),
        ("status_next = host_error", "status_next = flushed"),
        ("& !s_cfg_valid", ""),
        ("errors_read_address = s_data[5:0]", "errors_read_address = flow"),
        ("after = STATE_TAKE", "after = STATE_ACT"),
    ];
    assert_catches("completer", 1_000_000, &breaks);
}
