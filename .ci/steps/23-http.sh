#!/usr/bin/env bash
# Tests the built program over HTTP: the official Python and TypeScript clients, two versions of the conformance suite, the
# MCP Inspector, and a validator of OpenAPI documents. What needs Node is skipped without it.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
venv=target/mcp-client-2.3.0
if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import mcp' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "mcp==2.3.0"
fi
"$venv/bin/python" -c 'import openapi_spec_validator' 2>/dev/null \
  || "$venv/bin/pip" install --quiet --disable-pip-version-check "openapi-spec-validator==0.9.0"
cargo build --quiet --workspace --bins

folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || { kill "$server" && wait "$server" || true; }; rm -rf "$folder"' EXIT
mkdir -p "$folder/project/shop"
printf 'def net(value):\n    return value * 2\n\n\ndef gross(value):\n    return net(value) + 1\n' >"$folder/project/shop/price.py"
printf 'from shop.price import gross\n\n\ndef total():\n    return gross(3)\n' >"$folder/project/shop/order.py"
export M1ND_HOME=$folder/home
target/debug/m1nd ingest --quiet "$folder/project" >/dev/null
target/debug/m1nd serve --http --root "$folder/project" 2>"$folder/log" &
server=$!
for _ in $(seq 200); do
  url=$(sed -n 's/^listening on //p' "$folder/log")
  [ -n "$url" ] && break
  sleep 0.1
done
[ -n "$url" ] || { cat "$folder/log"; exit 1; }
token=$(cat "$M1ND_HOME/http/token")

timeout 120 "$venv/bin/python" tests/clients/http/python_http.py "$url" "$token"
if ! command -v npm >/dev/null; then
  echo "skipped: Node is not installed"
  exit 0
fi
# The packages of steps 21 and 22.
clients=target/mcp-conformance
mkdir -p "$clients"
cp tests/clients/conformance/package.json tests/clients/http/*.mjs "$clients/"
[ -d "$clients/node_modules/@modelcontextprotocol/conformance" ] || npm install --prefix "$clients" --no-audit --no-fund --silent
timeout 120 node "$root/$clients/typescript_http.mjs" "$url" "$token"
timeout 300 node "$root/$clients/conformance_http.mjs" "$url" "$token"
# The newest suite and the Inspector need Node 22, which one of their packages brings.
newest=target/mcp-newest
mkdir -p "$newest"
cp tests/clients/newest/* tests/clients/http/proxy.mjs "$newest/"
if ! [ -x "$newest/node_modules/node/bin/node" ] || ! cmp --silent tests/clients/newest/package.json "$newest/node_modules/.from"; then
  # `npm ci` wants an optional package for Windows in the lockfile, which `npm install` leaves out.
  npm install --prefix "$newest" --no-audit --no-fund --silent
  cp tests/clients/newest/package.json "$newest/node_modules/.from"
fi
PATH=$root/$newest/node_modules/node/bin:$PATH
timeout 300 node "$root/$newest/conformance.mjs" "$url" "$token"
timeout 300 node "$root/$newest/inspector.mjs" "$url" "$token"
