#!/usr/bin/env bash
# Counts the instructions that indexing a fixed corpus takes, and compares them with benches/instructions.md. Needs
# valgrind, which it installs where it may; otherwise it is skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v valgrind >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get -qq update >/dev/null && apt-get -qq install -y --no-install-recommends valgrind >/dev/null || true
fi
if ! command -v valgrind >/dev/null; then
  echo "skipped: valgrind is not installed"
  exit 0
fi
cargo build --quiet --workspace --bins
target/debug/xtask bench instructions --check
