#!/usr/bin/env bash
# Rebuilds dist/ from src/ and the lockfile, and THIRD-PARTY.txt from what is bundled, the same byte for byte on every
# machine. With `--check`, only tells whether they are what the sources build.
set -euo pipefail
cd "$(dirname "$0")"
if ! [ -x node_modules/.bin/vite ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund --silent
fi
node_modules/.bin/tsc --project .
if [ "${1:-}" = --check ]; then
  built=$(mktemp -d)
  trap 'rm -rf "$built"' EXIT
  node_modules/.bin/vite build --logLevel warn --outDir "$built" --emptyOutDir
  diff --recursive --brief dist "$built"
  node dev/licences.mjs --check
else
  node_modules/.bin/vite build --logLevel warn
  node dev/licences.mjs
fi
node dev/size.mjs
