#!/usr/bin/env bash
# Runs the official MCP conformance suite against the built program. Skipped without Node.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v npm >/dev/null; then
  echo "skipped: Node is not installed"
  exit 0
fi
folder=target/mcp-conformance
mkdir -p "$folder"
cp tests/clients/conformance/* "$folder/"
[ -d "$folder/node_modules/@modelcontextprotocol/conformance" ] || npm install --prefix "$folder" --no-audit --no-fund --silent
cargo build --quiet --workspace --bins
timeout 300 node "$folder/conformance.mjs" target/debug/m1nd
