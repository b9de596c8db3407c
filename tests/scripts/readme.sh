#!/usr/bin/env bash
# Compiles the first C program of README.md as printed, against the installed library, and runs it.
# usage: readme.sh BUILD_DIRECTORY README   with CC and CXX in the environment (exit 77: there is no README yet)
set -euo pipefail
build=$1 readme=$2
[[ -f $readme ]] || exit 77
# shellcheck source=tests/scripts/stage.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/stage.sh"

awk '/^```c$/ { inside = 1; next } /^```/ && inside { exit } inside' "$readme" >"$stage/program.c"
grep -q 'int main' "$stage/program.c" || { echo "the first C block of $readme is not a program"; exit 1; }
# shellcheck disable=SC2046 # pkg-config prints words
"${cc[@]}" -Wall -Wextra -Werror "$stage/program.c" -o "$stage/program" $(pkg-config --cflags --libs mote)
LD_LIBRARY_PATH=$libraries "$stage/program"
