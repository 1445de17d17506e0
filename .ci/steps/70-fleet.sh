#!/usr/bin/env bash
# Builds the wheel of m1nd-fleet, installs it with Spark, Sail, DuckDB and DataFusion (some 600 MB from PyPI, into target/ on
# the first run), lints it, and runs its tests on small repositories: Spark in this process, on a local cluster, one
# of whose workers is killed, and the queries on all engines. Needs Java 17 or newer; skipped without. M1ND_BINARY names
# another program than target/debug/m1nd, M1ND_FLEET_SECONDS another limit of the tests than 480 s.
set -euo pipefail
cd "$(dirname "$0")/../.."
pyspark=4.3.0
# The newest client of Spark Connect that this Sail answers; it fails with 4.3 (`session … is not running`).
client=4.1.1
pysail=0.7.2
duckdb=2.0.1
datafusion=55.0.0
pandas=2.3.3
pyarrow=26.0.1
pytest=9.2.0
ruff=0.17.6
mypy=2.4.1
build=1.6.1
setuptools=80.9.0

if ! command -v java >/dev/null; then
  echo "skipped: Java is not installed, so Spark cannot run"
  exit 0
fi
tools=target/fleet-tools-$pyspark-$pysail-$duckdb-$datafusion-$pandas-$pyarrow
if ! [ -e "$tools/done" ]; then
  rm -rf "$tools" && python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check \
    "pyspark==$pyspark" "duckdb==$duckdb" "datafusion==$datafusion" "pandas==$pandas" \
    "pyarrow==$pyarrow" "pytest==$pytest" "ruff==$ruff" "mypy==$mypy" "build==$build" "setuptools==$setuptools"
  python3 -m venv "$tools/sail"
  "$tools/sail/bin/pip" install --quiet --disable-pip-version-check \
    "pyspark-client==$client" "pysail==$pysail" "pandas==$pandas" "pyarrow==$pyarrow" "duckdb==$duckdb"
  touch "$tools/done"
fi

# Build in a copy, since setuptools leaves files beside the sources.
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cp -r fleet "$out/fleet"
"$tools/bin/python" -m build --wheel --no-isolation --outdir "$out/dist" "$out/fleet" >"$out/build.log" 2>&1 ||
  { cat "$out/build.log"; exit 1; }
"$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$out"/dist/m1nd_fleet-*.whl
"$tools/bin/ruff" check --no-cache "$out/fleet"
"$tools/bin/ruff" format --no-cache --check "$out/fleet"
(cd "$out/fleet" && "$OLDPWD/$tools/bin/mypy" --cache-dir="$out/mypy")

[ -n "${M1ND_BINARY:-}" ] || cargo build --quiet --workspace --bins
binary=$(realpath "${M1ND_BINARY:-target/debug/m1nd}")
tools=$(realpath "$tools")
cd "$out/fleet"
M1ND_BINARY=$binary M1ND_FLEET_SAIL_PYTHON=$tools/sail/bin/python timeout "${M1ND_FLEET_SECONDS:-480}" "$tools/bin/python" -m pytest --quiet -p no:cacheprovider --basetemp="$out/tests" tests
