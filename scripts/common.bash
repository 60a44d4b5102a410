# Sourced by the other scripts: goes to the root of the repository and times stages.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# Runs a command as a named stage. A failing stage ends the script with the command's exit code, after naming itself.
# usage: stage NAME COMMAND [ARGUMENT...]
stage() {
    stage_name=$1
    shift
    local start=$SECONDS
    printf '\n== %s\n' "$stage_name"
    # Not in a condition: `set -e` has to hold inside the command too, when that is a function.
    "$@"
    printf '== %s: %d s\n' "$stage_name" $((SECONDS - start))
    stage_name=
}

# For `trap report_failure EXIT` in a script that has stages.
report_failure() {
    local code=$?
    [ "$code" -eq 0 ] || printf '\n== %s FAILED (exit %d) after %d s in all\n' "${stage_name:-$0}" "$code" "$SECONDS" >&2
}
