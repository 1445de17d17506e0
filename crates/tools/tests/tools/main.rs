//! The tools over small repositories: each test is a fixture, a call and what its answer must hold.

// Every file beside this one, so that the tests of a new tool need no line here.
automod::dir!("tests/tools");

#[path = "../../../history/tests/it/repository.rs"]
#[allow(dead_code, reason = "shared with the tests of the history itself")]
mod repository;
