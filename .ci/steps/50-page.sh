#!/usr/bin/env bash
# Rebuilds the page, compares it with what is checked in, and tests it in Chromium against the built program. Skipped
# without Node; Chromium is installed where that is possible, else the tests are skipped and say so.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v npm >/dev/null; then
  echo "skipped: Node is not installed"
  exit 0
fi
folder=target/page
mkdir -p "$folder"
# Everything but what was installed is replaced.
find "$folder" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
tar --directory crates/http/page --exclude ./node_modules --create . | tar --directory "$folder" --extract
"$folder/build.sh" --check

if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get -qq update >/dev/null && apt-get -qq install -y --no-install-recommends chromium >/dev/null || true
fi
if ! command -v chromium >/dev/null && [ -z "${CHROMIUM:-}" ]; then
  echo "skipped the tests of the page: Chromium is not installed, and CHROMIUM does not name it"
  exit 0
fi
cargo build --quiet --package m1nd-cli
# Of an error after the end of a test, only this reporter gives the text.
M1ND=$PWD/target/debug/m1nd timeout 600 node --test --test-reporter=spec "$folder/tests/page.test.mjs"
