//! Jobs on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs each job, which gets its index too, on all processors; the results in the order of the jobs.
///
/// # Panics
/// As `run` does.
pub fn side_by_side<T: Sync, R: Send>(jobs: &[T], run: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return done };
            done.push((at, run(at, job)));
        }
    };
    let worker_count = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..worker_count).map(|_| scope.spawn(worker)).collect();
        let join = |w: std::thread::ScopedJoinHandle<'_, _>| {
            w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().flat_map(join).collect()
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::side_by_side;

    #[test]
    fn results_stand_in_the_order_of_the_jobs() {
        let jobs: Vec<usize> = (0..100).map(|n| 3 * n).collect();
        assert_eq!(side_by_side(&jobs, |at, job| job - 2 * at), (0..100).collect::<Vec<_>>());
        assert_eq!(side_by_side(&[(); 0], |at, ()| at), []);
    }
}
