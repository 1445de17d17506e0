#!/usr/bin/env bash
# Makes all packages of the built program twice, compares the bytes, validates the manifests against their schemas, and
# installs each package into an empty place, where it has to index a repository and answer. M1ND_BINARY names another
# program than target/debug/m1nd; m1nd-fleet is expected beside it.
set -euo pipefail
cd "$(dirname "$0")/../.."
uv=0.13.9
cyclonedx=11.12.0
skillsaw=0.22.0
twine=7.0.0
mcpb=2.1.2
out=target/packages-check
rm -rf "$out" && mkdir -p "$out"

# Tools, installed into target/ on the first run.
tools=target/packages-tools-$uv-$cyclonedx-$skillsaw-$twine
if ! [ -e "$tools/done" ]; then
  rm -rf "$tools" && python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check \
    "uv==$uv" "cyclonedx-python-lib[json-validation]==$cyclonedx" "skillsaw==$skillsaw" "twine==$twine"
  touch "$tools/done"
fi
if command -v npm >/dev/null && ! [ -d "target/packages-mcpb-$mcpb/node_modules/@anthropic-ai/mcpb" ]; then
  npm install --prefix "target/packages-mcpb-$mcpb" --no-audit --no-fund --silent "@anthropic-ai/mcpb@$mcpb"
fi

# The programs, without symbols, as they are packaged.
binary=${M1ND_BINARY:-target/debug/m1nd}
cargo build --quiet --workspace --bins
mkdir "$out/program"
pack() { strip -o "$out/program/$2" "$1" 2>/dev/null || cp "$1" "$out/program/$2"; }
pack "$binary" m1nd
pack "$(dirname "$binary")/m1nd-fleet" m1nd-fleet
target/debug/xtask dist --fast --binary "$out/program/m1nd" --out "$out/first"
target/debug/xtask dist --fast --binary "$out/program/m1nd" --out "$out/second" >/dev/null
diff --recursive "$out/first" "$out/second"
rm -rf "$out/second"
(cd "$out/first" && sha256sum --quiet --check SHA256SUMS)

# Schemas: CycloneDX, PyPI, the MCP registry, MCP bundles.
"$tools/bin/python" - "$out"/first/*.cdx.json <<'END'
import pathlib, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for bill in sys.argv[1:]:
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(pathlib.Path(bill).read_text())
    if error:
        sys.exit(f"{bill}: {error}")
END
"$tools/bin/twine" check --strict "$out"/first/*.whl >/dev/null
mkdir "$out/server" && cp "$out/first/server.json" "$out/server/"
"$tools/bin/skillsaw" lint --strict "$out/server" >"$out/skillsaw.log" || { cat "$out/skillsaw.log"; exit 1; }
if command -v npm >/dev/null; then
  python3 -m zipfile -e "$out"/first/*.mcpb "$out/bundle"
  node "target/packages-mcpb-$mcpb/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js" validate "$out/bundle/manifest.json"
fi

UVX="$PWD/$tools/bin/uvx" timeout 600 python3 tests/packages/install.py "$out/first" crates/base of_ast
rm -rf "$out"
