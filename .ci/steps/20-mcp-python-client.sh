#!/usr/bin/env bash
# Tests the built program with the official Python MCP client, installed into target/ on the first run.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=2.3.0
venv=target/mcp-client-$version
if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import mcp' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "mcp==$version"
fi
cargo build --quiet --workspace --bins
timeout 600 "$venv/bin/python" tests/clients/python_smoke.py target/debug/m1nd "$@"
