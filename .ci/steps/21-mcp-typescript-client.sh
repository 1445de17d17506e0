#!/usr/bin/env bash
# Tests the built program with the official TypeScript MCP client. Skipped without Node.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v npm >/dev/null; then
  echo "skipped: Node is not installed"
  exit 0
fi
folder=target/mcp-typescript-client
mkdir -p "$folder"
cp tests/clients/typescript_smoke/* "$folder/"
[ -d "$folder/node_modules/@modelcontextprotocol/sdk" ] || npm install --prefix "$folder" --no-audit --no-fund --silent
cargo build --quiet --workspace --bins
timeout 300 node "$folder/smoke.mjs" target/debug/m1nd
