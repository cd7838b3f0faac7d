//! Helpers shared by the tests of the root package.
