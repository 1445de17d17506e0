//! The program `m1nd-fleet`: what `m1nd` does beyond one machine. `m1nd share` and `m1nd team` run it.

fn main() {}
