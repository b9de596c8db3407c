#!/usr/bin/env bash
# Compiles the programs of README.md as printed, against the installed library, and runs them. That in C++
# needs oneTBB.
# usage: readme.sh BUILD_DIRECTORY README   with CC and CXX in the environment (exit 77: there is no README)
set -euo pipefail
build=$1 readme=$2
[[ -f $readme ]] || exit 77
# shellcheck source=tests/scripts/stage.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/stage.sh"

awk -v stage="$stage" '/^```c$/ { inside = 1; count++; next } /^```/ { inside = 0 }
    inside { print > (stage "/program" count ".c") }
    /^```cpp$/ { cpp = 1; next } /^```/ { cpp = 0 } cpp { print > (stage "/program.cpp") }' "$readme"
# The job systems that README quotes are those of the consumers.
consumers=$(dirname -- "$readme")/tests/consumers
for quoted in "$consumers/jobs.c" "$consumers/scheduler.cpp"; do
    found=
    for program in "$stage"/program*; do cmp -s "$quoted" "$program" && found=yes; done
    [[ $found ]] || { echo "$readme does not quote $quoted"; exit 1; }
done
[[ -f $stage/program1.c ]] || { echo "$readme has no C program"; exit 1; }
for program in "$stage"/program*.c; do
    grep -q 'int main' "$program" || { echo "a C block of $readme is not a program"; exit 1; }
    # shellcheck disable=SC2046 # pkg-config prints words
    "${cc[@]}" -Wall -Wextra -Werror "$program" -o "${program%.c}" $(pkg-config --cflags --libs mote)
    LD_LIBRARY_PATH=$libraries "${program%.c}"
done
if printf '#include <tbb/task_arena.h>\n' | "${cxx[@]}" -fsyntax-only -x c++ - 2>/dev/null; then
    # shellcheck disable=SC2046 # pkg-config prints words
    "${cxx[@]}" -Wall -Wextra -Werror "$stage/program.cpp" -o "$stage/scheduler" \
        $(pkg-config --cflags --libs mote) -ltbb
    LD_LIBRARY_PATH=$libraries "$stage/scheduler"
else
    echo 'the program on oneTBB is not compiled: libtbb-dev is missing'
fi
