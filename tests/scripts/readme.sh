#!/usr/bin/env bash
# Compiles the C programs of README.md as printed, against the installed library, and runs them.
# usage: readme.sh BUILD_DIRECTORY README   with CC and CXX in the environment (exit 77: there is no README)
set -euo pipefail
build=$1 readme=$2
[[ -f $readme ]] || exit 77
# shellcheck source=tests/scripts/stage.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/stage.sh"

awk -v stage="$stage" '/^```c$/ { inside = 1; count++; next } /^```/ { inside = 0 }
    inside { print > (stage "/program" count ".c") }' "$readme"
# The pool of threads that README quotes is the one of the consumers.
quoted=$(dirname -- "$readme")/tests/consumers/jobs.c
for program in "$stage"/program*.c; do cmp -s "$quoted" "$program" && quoted=; done
[[ -z $quoted ]] || { echo "$readme does not quote $quoted"; exit 1; }
[[ -f $stage/program1.c ]] || { echo "$readme has no C program"; exit 1; }
for program in "$stage"/program*.c; do
    grep -q 'int main' "$program" || { echo "a C block of $readme is not a program"; exit 1; }
    # shellcheck disable=SC2046 # pkg-config prints words
    "${cc[@]}" -Wall -Wextra -Werror "$program" -o "${program%.c}" $(pkg-config --cflags --libs mote)
    LD_LIBRARY_PATH=$libraries "${program%.c}"
done
