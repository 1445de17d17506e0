#!/bin/bash
# Tools.
source ./lib.sh
. "$DIR/other.sh"
MAX=10
readonly MIN=2
export PATH_X="/x"
declare -r FOO=1

# Makes it.
build() {
    local name="$1" dir
    local x=$(compute "$name")
    for f in *.c; do
        compile "$f" "$MAX"
    done
    if [[ -n $name ]]; then log "${name}"; fi
    helper | grep x && other
    echo "$x" $FOO
}
function clean { rm -rf out; build; }
main() { build "$@"; }
main "$@"
trap cleanup EXIT
alias ll='ls -l'
