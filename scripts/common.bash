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

# Starts a stage beside those that follow, up to `collect`. What it prints is kept until then.
# usage: beside NAME COMMAND [ARGUMENT...]
beside() {
    beside_name=$1
    shift
    beside_log=$(mktemp)
    beside_start=$SECONDS
    (
        "$@"
        printf '== %s: %d s, beside others\n' "$beside_name" $((SECONDS - beside_start))
    ) >"$beside_log" 2>&1 &
    beside_process=$!
}

# Waits for the stage that `beside` started, prints what it printed, and ends the script if it failed.
collect() {
    local code=0
    wait "$beside_process" || code=$?
    beside_process=
    stage_name=$beside_name
    printf '\n== %s\n' "$stage_name"
    cat "$beside_log"
    rm "$beside_log"
    [ "$code" -eq 0 ] || exit "$code"
    stage_name=
}

# The process at the end of a chain of parents and only children: what a wrapper such as `scripts/chroot run` runs in the end.
# usage: innermost PROCESS
innermost() {
    local process=$1 child
    while child=$(pgrep --parent "$process" | head -n 1) && [ -n "$child" ]; do process=$child; done
    echo "$process"
}

# For `trap report_failure EXIT` in a script that has stages.
report_failure() {
    local code=$?
    [ "$code" -ne 0 ] || return 0
    # What runs beside a stage that failed ends by itself: it may have servers to stop.
    if [ -n "${beside_process:-}" ]; then wait "$beside_process" || true; fi
    printf '\n== %s FAILED (exit %d) after %d s in all\n' "${stage_name:-$0}" "$code" "$SECONDS" >&2
}
