#!/usr/bin/env bash
# Compiles each public header alone, as C99 and as C++11, with warnings as errors.
# usage: headers.sh INCLUDE_DIRECTORY   with CC and CXX in the environment
set -euo pipefail
include=$1
read -ra cc <<<"$CC"
read -ra cxx <<<"$CXX"
read -ra cglm <<<"$(pkg-config --cflags cglm | sed 's/-I/-isystem /g')"
warnings=(-Wall -Wextra -pedantic -Werror -fsyntax-only)
checked=0 wrong=0

alone() { # COMPILER...: an empty program with nothing but the header in it
    printf '#include <mote/%s>\nint main(void) { return 0; }\n' "$name" |
        "$@" "${warnings[@]}" -I"$include" "${cglm[@]}" - ||
        { echo "$name does not stand alone: $1 $2"; wrong=1; }
}

for header in "$include"/mote/*.h; do
    name=$(basename "$header")
    alone "${cc[@]}" -std=c99 -x c
    alone "${cxx[@]}" -std=c++11 -x c++
    checked=$((checked + 1))
done
echo "$checked headers"
((checked > 0 && wrong == 0))
