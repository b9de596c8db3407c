#!/usr/bin/env bash
# Embeds the installed library: a C and a C++ program, built outside meson against the shared and the static
# library.
# usage: consumers.sh BUILD_DIRECTORY CONSUMERS_DIRECTORY   with CC and CXX in the environment
set -euo pipefail
build=$1 consumers=$2
# shellcheck source=tests/scripts/stage.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/stage.sh"

embed() { # KIND COMPILER...: KIND is shared or static
    local kind=$1 options=() flags
    shift
    if [[ $kind == static ]]; then options=(--static); fi
    read -ra flags <<<"$(pkg-config "${options[@]}" --cflags --libs mote)"
    "$@" -Wall -Wextra -Werror -o "$stage/$kind" "${flags[@]}"
    "$stage/$kind"
    echo "$1: $kind"
}

[[ -e $libraries/libmote.so && -e $libraries/libmote.a ]] || { echo 'a library is not installed'; exit 1; }
export LD_LIBRARY_PATH=$libraries
embed shared "${cc[@]}" -std=c99 "$consumers/consumer.c"
embed shared "${cc[@]}" -std=c99 "$consumers/jobs.c" -pthread
readelf -d "$stage/shared" | grep -q 'NEEDED.*libmote\.so\.0' ||
    { echo 'the soname is not libmote.so.0'; exit 1; }
embed shared "${cxx[@]}" -std=c++11 "$consumers/consumer.cpp"
rm "$libraries"/libmote.so*
embed static "${cc[@]}" -std=c99 "$consumers/consumer.c"
embed static "${cxx[@]}" -std=c++11 "$consumers/consumer.cpp"
