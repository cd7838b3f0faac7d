//! A failed check of a bench, caught. Benches, golden models and environments check by `assert!`
//! and its like; the run of the bench makes a failure of it that says where and when.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

/// A check that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCheck {
    /// File and line of the check.
    pub place: String,
    /// What it says, as one line.
    pub text: String,
}

impl core::fmt::Display for FailedCheck {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} ({})", self.text, self.place)
    }
}

thread_local! {
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    static FAILED: RefCell<Option<FailedCheck>> = const { RefCell::new(None) };
}

/// Runs `body`. A check that fails in it prints nothing and becomes the error.
pub fn catch<T>(body: impl FnOnce() -> T) -> Result<T, FailedCheck> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let other_threads = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_WATCHED.get() {
                FAILED.set(Some(failed_check(info)));
            } else {
                other_threads(info);
            }
        }));
    });
    let was_watched = IS_WATCHED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(body));
    IS_WATCHED.set(was_watched);
    result.map_err(|_| FAILED.take().expect("a panic goes through the hook"))
}

fn failed_check(info: &PanicHookInfo<'_>) -> FailedCheck {
    let place = info.location().map_or(String::new(), |at| format!("{}:{}", at.file(), at.line()));
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or(payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("a panic without text");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let text = lines.join(" ");
    let plain = text.strip_prefix("assertion `left == right` failed: ").unwrap_or(&text);
    FailedCheck { place, text: plain.into() }
}

#[cfg(test)]
mod tests {
    use super::catch;

    #[test]
    fn catch_says_what_failed_and_where() {
        assert_eq!(catch(|| 5), Ok(5));
        let (failed, line) = (catch(|| assert_eq!(1 + 1, 3, "a sum")).unwrap_err(), line!());
        assert_eq!(failed.text, "a sum left: 2 right: 3");
        assert!(failed.place.ends_with(&format!("src/caught.rs:{line}")), "{}", failed.place);
        let nested = catch(|| catch(|| panic!("{}", 7)).unwrap_err().text);
        assert_eq!(nested, Ok("7".into()));
    }
}
