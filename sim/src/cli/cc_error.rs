//! `nic cc-error`: random ACKs through the arithmetic of the congestion control unit, and how far
//! it is from f64.

use super::error::CliError;
use super::progress::Progress;
use super::table::Table;
use crate::replay::cc_random::{chunk, Error, Statistics, CHUNK_ACKS, ETA_MARGIN};
use clap::Args;
use std::sync::atomic::{AtomicU64, Ordering};

/// Arguments of `nic cc-error`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// ACKs
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    acks: u64,
    /// Seed of parameters, states and telemetry
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    let progress = Progress::new("ACKs", arguments.acks);
    let statistics = statistics(arguments, &progress.counter());
    drop(progress);
    print(arguments, &statistics);
    let beyond = [("U", &statistics.u), ("W", &statistics.w), ("R", &statistics.rate)];
    if let Some((name, _)) = beyond.iter().find(|(_, e)| e.of_bound_max > 1.0) {
        return Err(CliError::Failed(format!("{name} is further from f64 than its bound")));
    }
    if statistics.w_far > 0 {
        let far = statistics.w_far;
        return Err(CliError::Failed(format!("W is 0.1 % and 16 bytes away {far} times")));
    }
    let wrong = statistics.decisions_wrong + statistics.other_outcome;
    if wrong > 0 {
        return Err(CliError::Failed(format!("{wrong} ACKs end in another state than in f64")));
    }
    Ok(())
}

/// All chunks, on all cores, merged in their order: the same numbers on any machine.
fn statistics(arguments: &Arguments, done: &AtomicU64) -> Statistics {
    let chunks = arguments.acks.div_ceil(CHUNK_ACKS);
    let next = AtomicU64::new(0);
    let work = || {
        let mut found = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= chunks {
                return found;
            }
            let acks = CHUNK_ACKS.min(arguments.acks - index * CHUNK_ACKS);
            found.push((index, chunk(arguments.seed, index, acks)));
            done.fetch_add(acks, Ordering::Relaxed);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut found: Vec<(u64, Statistics)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|r| r.join().expect("a chunk never panics")).collect()
    });
    found.sort_by_key(|(index, _)| *index);
    let mut all = Statistics::default();
    found.iter().for_each(|(_, one)| all.merge(one));
    all
}

fn print(arguments: &Arguments, s: &Statistics) {
    println!("{} random ACKs, seed {}, {} full updates", s.acks, arguments.seed, s.full);
    let mut table =
        Table::new(["against f64", "ACKs", "largest rel.", "mean rel.", "largest", "of its bound"]);
    let mut add = |label: &str, e: &Error, unit: &str| {
        let relative = format!("{:.2e}", e.relative_max);
        let mean = format!("{:.2e}", e.relative_mean());
        let largest = format!("{:.2e}{unit}", e.absolute_max);
        let of_bound = format!("{:.3}", e.of_bound_max);
        table.row([label.into(), e.count.to_string(), relative, mean, largest, of_bound]);
    };
    add("U", &s.u, "");
    add("W", &s.w, " B");
    add("R", &s.rate, " bit/s");
    print!("{table}");
    println!("W further than 0.1 % and 16 bytes from f64: {}", s.w_far);
    println!(
        "two hops too near for f64 and fixed point to choose the same: {} ACKs left out",
        s.ties
    );
    println!("additive here, multiplicative there (or the reverse):");
    println!("  {} with U within 2^{} of eta", s.decisions_near, ETA_MARGIN.log2());
    println!("  {} elsewhere", s.decisions_wrong);
    println!("other incStage, lastUpdateSeq or kind of update: {}", s.other_outcome);
    let e = &s.extremes;
    println!(
        "met: dt 0 {}, dt 1 ns {}, time wraps {}, byte wraps {}, full queues {}, empty queues {}, \
         0 hops {}, 5 hops {}, too many hops {}, U below 2^-12 {}, U above 1000 {}",
        e.time_still,
        e.time_one,
        e.time_wrap,
        e.sent_wrap,
        e.queue_full,
        e.queue_empty,
        e.hops_0,
        e.hops_5,
        e.hops_6,
        e.u_small,
        e.u_large
    );
}
