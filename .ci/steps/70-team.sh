#!/usr/bin/env bash
# Tests the memories of a team against a PostgreSQL server that the tests start. Installs it where it may; otherwise it is
# skipped. Without a server `cargo test` ignores these tests and says so; here none may be ignored for that reason.
set -euo pipefail
cd "$(dirname "$0")/../.."
find_server() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }
if [ -z "${M1ND_TEST_POSTGRES:-$(find_server)}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get -qq update >/dev/null && apt-get -qq install -y --no-install-recommends postgresql >/dev/null || true
fi
export M1ND_TEST_POSTGRES=${M1ND_TEST_POSTGRES:-$(find_server)}
if ! [ -x "$M1ND_TEST_POSTGRES/initdb" ]; then
  echo "skipped: PostgreSQL is not installed, and M1ND_TEST_POSTGRES does not name the folder of initdb"
  exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
timeout 1200 cargo test --quiet --workspace --test postgres -- --format=pretty | tee "$log"
if grep -q 'PostgreSQL is not installed' "$log"; then
  echo "tests were ignored although there is a server" >&2
  exit 1
fi
