#!/usr/bin/env bash
# Tests `m1nd share` against a real server of S3 (moto's, installed into target/ on the first run), a web server and a
# folder: what is pulled and brought up to date is what a cold ingest gives, and what is changed in the store is refused.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=5.2.5
venv=target/share-moto-$version
if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import moto.server' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "moto[s3,server]==$version"
fi
cargo build --quiet --workspace --bins
timeout 600 "$venv/bin/python" tests/share/share.py target/debug/m1nd
