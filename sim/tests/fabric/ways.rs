//! The two ways to run a network give the same: every flow to the picosecond, every counter but that
//! of events, every queue.

use super::{run, scenario};
use nic_sim::fabric::Scenario;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

/// A random network of a few hosts and switches, with all that can go wrong in it.
fn random(seed: u64) -> Scenario {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pick = |of: &[&str]| of.choose(&mut rng).expect("a choice").to_string();
    let mut text = format!("seed = {seed}\n[cc]\n");
    let algorithm = pick(&["hpcc", "hpcc", "hpcc", "dcqcn", "timely", "dctcp"]);
    let _ = writeln!(text, "algorithm = '{algorithm}'\nengine = '{}'", pick(&["golden", "model"]));
    if algorithm == "hpcc" {
        let feedback = pick(&["sender", "sender", "receiver", "worst_hop"]);
        let _ = writeln!(text, "feedback = '{feedback}'");
    }
    let _ = writeln!(text, "window = {}", pick(&["true", "false"]));
    let telemetry = pick(&["native", "int_md", "ioam", "ifa"]);
    let profile = pick(&["ns3", "nic"]);
    let _ = writeln!(text, "[wire]\nprofile = '{profile}'\ntelemetry = '{telemetry}'");
    let buffer = pick(&["100000", "200000", "1000000"]);
    let _ = writeln!(text, "[hosts]\npfc = {}", !seed.is_multiple_of(3));
    let _ = writeln!(text, "[switches]\nbuffer_bytes = {buffer}");
    let _ =
        writeln!(text, "pfc = {}\nloss_ppm = {}", pick(&["true", "false"]), pick(&["0", "2000"]));
    let (hosts, switches) = (rng.gen_range(3..8), rng.gen_range(1..4));
    let _ = writeln!(text, "[topology]\nkind = 'custom'\nhosts = {hosts}\nswitches = {switches}");
    let mut link = |a: String, b: String, gbps: u32, rng: &mut ChaCha8Rng| {
        let delay_ns = rng.gen_range(1..2000);
        let _ = writeln!(
            text,
            "[[topology.link]]\na = '{a}'\nb = '{b}'\ngbps = {gbps}\ndelay_ns = {delay_ns}"
        );
    };
    for host in 0..hosts {
        let switch = rng.gen_range(0..switches);
        link(format!("h{host}"), format!("s{switch}"), 100, &mut rng);
    }
    // A ring, of which two have two links.
    for switch in 0..if switches > 1 { switches } else { 0 } {
        let gbps = *[25, 50, 100, 200, 400].choose(&mut rng).expect("a rate");
        let next = (switch + 1) % switches;
        link(format!("s{switch}"), format!("s{next}"), gbps, &mut rng);
    }
    for _ in 0..rng.gen_range(5..40) {
        let src = rng.gen_range(0..hosts);
        // Most go to one host, so that queues are long.
        let dst = if rng.gen_bool(0.6) { 0 } else { rng.gen_range(0..hosts) };
        let dst = if dst == src { (src + 1) % hosts } else { dst };
        let (bytes, start) = (rng.gen_range(1..200_000), rng.gen_range(0..100_000));
        let _ = writeln!(
            text,
            "[[flow]]\nsrc = {src}\ndst = {dst}\nbytes = {bytes}\nstart_ns = {start}"
        );
    }
    scenario(&text)
}

#[test]
fn fabric_ways_agree_on_random_networks() {
    let mut met = [0; 4];
    for seed in 0..60 {
        println!("seed {seed}");
        let fast = random(seed);
        let plain = Scenario { plain: true, ..fast.clone() };
        let [fast, plain] = [fast, plain].map(|scenario| run(&scenario, None).1);
        let but_events = |mut counters: nic_sim::fabric::results::Counters| {
            counters.events = 0;
            counters
        };
        assert_eq!(fast.took_ps, plain.took_ps, "completion times");
        assert_eq!(but_events(fast.counters), but_events(plain.counters));
        assert!(plain.counters.events > fast.counters.events);
        for (fast, plain) in fast.meters.classes.iter().zip(&plain.meters.classes) {
            assert_eq!(fast.peak_bytes, plain.peak_bytes, "longest queue");
            let busy = |class: &nic_sim::fabric::lines::ClassMeter| {
                class.histogram.buckets().filter(|(from, ..)| *from > 0).collect::<Vec<_>>()
            };
            assert_eq!(busy(fast), busy(plain), "queues");
        }
        let c = fast.counters;
        for (met, count) in met.iter_mut().zip([c.pauses, c.drops, c.lost, c.retransmitted]) {
            *met += u64::from(count > 0);
        }
    }
    println!("networks with pauses, drops, losses, packets sent again: {met:?}");
    assert!(met.iter().all(|networks| *networks >= 5), "too little has happened: {met:?}");
}
