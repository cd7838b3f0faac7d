//! A progress bar that other threads push by a counter; silent when stderr is no terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

const REDRAW: Duration = Duration::from_millis(100);

/// Draws until it is dropped.
#[derive(Debug)]
pub struct Progress {
    done: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    drawer: Option<JoinHandle<()>>,
}

impl Progress {
    /// A bar of `total` units, called `label`.
    pub fn new(label: &str, total: u64) -> Self {
        let bar = ProgressBar::new(total);
        let template = "{msg} [{wide_bar}] {human_pos}/{human_len} {elapsed} (about {eta} left)";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(label.to_string());
        let (done, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (seen, stop) = (done.clone(), is_over.clone());
        let draw = move || {
            while !stop.load(Ordering::Relaxed) {
                bar.set_position(seen.load(Ordering::Relaxed));
                std::thread::park_timeout(REDRAW);
            }
            bar.finish_and_clear();
        };
        Self { done, is_over, drawer: Some(std::thread::spawn(draw)) }
    }

    /// The counter to push.
    pub fn counter(&self) -> Arc<AtomicU64> {
        self.done.clone()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(drawer) = self.drawer.take() {
            drawer.thread().unpark();
            let _ = drawer.join();
        }
    }
}
