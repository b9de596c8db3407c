#!/usr/bin/env bash
# Embeds the library as hosts do that are built outside of this build.
# usage: consumers.sh BUILD_DIRECTORY CONSUMERS_DIRECTORY WAY   with CC and CXX in the environment
# and, for cmake-source, AS_BUILT: the options that make CMake's build the same as this one.
# WAY: pkg-config, cglm, glm, unload, cmake-package, fast-math, cmake-source, meson-source, mpi
# (exit 77: a program or package that the way needs is missing)
set -euo pipefail
build=$1 consumers=$2 way=$3
# shellcheck source=tests/scripts/stage.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/stage.sh"
root=$(dirname -- "$(dirname -- "$consumers")")
export LD_LIBRARY_PATH=$libraries OMP_WAIT_POLICY=passive
warnings=(-Wall -Wextra -Werror)

needs() { # PROGRAM: ends as skipped if it is missing
    command -v "$1" >/dev/null || { echo "$1 is missing"; exit 77; }
}

embed() { # KIND PACKAGES COMPILER...: builds and runs a program; KIND is shared or static
    local kind=$1 options=() packages flags
    read -ra packages <<<"$2"
    shift 2
    if [[ $kind == static ]]; then options=(--static); fi
    flags=$(pkg-config "${options[@]}" --cflags --libs "${packages[@]}")
    read -ra flags <<<"${flags//-I/-isystem }"
    "$@" "${warnings[@]}" -o "$stage/$kind" "${flags[@]}"
    "$stage/$kind"
    echo "$kind: $* "
}

by_pkg_config() {
    [[ -e $libraries/libmote.so && -e $libraries/libmote.a ]] ||
        { echo 'a library is not installed'; exit 1; }
    [[ -z $(pkg-config --print-requires mote)$(pkg-config --print-requires-private mote) ]] ||
        { echo 'mote.pc requires another package'; exit 1; }
    embed shared mote "${cc[@]}" -std=c99 "$consumers/consumer.c"
    embed shared mote "${cc[@]}" -std=c99 "$consumers/jobs.c" -pthread
    readelf -d "$stage/shared" | grep -q 'NEEDED.*libmote\.so\.0' ||
        { echo 'the soname is not libmote.so.0'; exit 1; }
    embed shared mote "${cxx[@]}" -std=c++11 "$consumers/consumer.cpp"
    rm "$libraries"/libmote.so*
    embed static mote "${cc[@]}" -std=c99 "$consumers/consumer.c"
    embed static mote "${cxx[@]}" -std=c++11 "$consumers/consumer.cpp"
}

with_cglm() {
    pkg-config --exists cglm || { echo 'cglm is missing'; exit 77; }
    [[ $(pkg-config --print-requires mote-cglm | paste -sd ' ') == 'mote cglm' ]] ||
        { echo 'mote-cglm.pc requires something else'; exit 1; }
    embed shared mote-cglm "${cc[@]}" -std=c99 "$consumers/cglm.c"
    embed shared mote-cglm "${cc[@]}" -std=c11 -DSTRUCTS "$consumers/cglm.c"
}

with_glm() {
    printf '#include <glm/glm.hpp>\n' | "${cxx[@]}" -std=c++11 -fsyntax-only -x c++ - 2>/dev/null ||
        { echo 'glm is missing'; exit 77; }
    embed shared mote "${cxx[@]}" -std=c++11 "$consumers/glm.cpp"
    embed shared mote "${cxx[@]}" -std=c++11 -DUSING_BEFORE "$consumers/glm.cpp"
}

# The library is named by its file: nothing else keeps it or the OpenMP runtime loaded. Then a plugin in which
# the static library is.
unloaded() {
    local flags
    read -ra flags <<<"$(pkg-config --cflags mote)"
    "${cc[@]}" -D_GNU_SOURCE "${warnings[@]}" "${flags[@]}" "$consumers/unload.c" -o "$stage/unload" -ldl
    "$stage/unload" "$libraries/libmote.so.0"
    rm "$libraries"/libmote.so*
    read -ra flags <<<"$(pkg-config --static --libs mote)"
    "${cc[@]}" -shared -o "$stage/plugin.so" -Wl,--whole-archive "$libraries/libmote.a" \
        -Wl,--no-whole-archive "${flags[@]}"
    "$stage/unload" "$stage/plugin.so"
}

# stays_loaded PLUGIN: fails if what contains the static library may be unloaded, if that uses OpenMP
stays_loaded() {
    grep -q 'fopenmp' <<<"$(pkg-config --static --libs mote)" || return 0
    readelf -d "$1" | grep -q 'NODELETE' || { echo "$1 can be unloaded under its threads"; exit 1; }
}

logged() { # FILE COMMAND...: shows what the command prints only if it fails
    "${@:2}" >"$1" 2>&1 || { cat "$1"; exit 1; }
}

# cmake_host DIRECTORY ARGUMENTS...: configures, builds and runs the programs of consumers/CMakeLists.txt
cmake_host() {
    local directory=$stage/$1
    logged "$directory.log" cmake -S "$consumers" -B "$directory" -G Ninja "${@:2}"
    logged "$directory.log" cmake --build "$directory"
    (cd "$directory" && logged "$directory.log" ctest --output-on-failure)
    echo "cmake: ${*:2}"
}

by_cmake_package() {
    needs cmake
    local prefix=${libraries%/lib*}
    cmake_host shared "-DCMAKE_PREFIX_PATH=$prefix"
    readelf -d "$stage/shared/consumer_c" | grep -q 'NEEDED.*libmote\.so\.0' || { echo 'not shared'; exit 1; }
    cmake_host static "-DCMAKE_PREFIX_PATH=$prefix" '-DMOTE_COMPONENTS=COMPONENTS;static'
    if readelf -d "$stage/static/consumer_c" | grep 'NEEDED.*libmote'; then echo 'not static'; exit 1; fi
    stays_loaded "$stage/static/libplugin.so"
    mkdir "$stage/merged" # where /lib leads to /usr/lib
    ln -s "$prefix" "$stage/merged/usr"
    ln -s usr/lib "$stage/merged/lib"
    logged "$stage/log" cmake -S "$consumers" -B "$stage/linked" "-DCMAKE_PREFIX_PATH=$stage/merged"
    if cmake -S "$consumers" -B "$stage/none" "-DCMAKE_PREFIX_PATH=$prefix" \
        '-DMOTE_COMPONENTS=COMPONENTS;framework' >"$stage/log" 2>&1; then
        echo 'a component that does not exist is found'
        exit 1
    fi
}

exports() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort; } # LIBRARY

# optimised BUILD_DIRECTORY: fails if a file of the engine is compiled without optimisation, as the host's are
optimised() {
    python3 - "$1/compile_commands.json" <<'EOF'
import json, sys
lines = [e['command'] for e in json.load(open(sys.argv[1], encoding='utf-8')) if '/engine/' in e['file']]
levels = [[word for word in line.split() if word.startswith('-O')][-1:] for line in lines]
slow = [line for line, level in zip(lines, levels) if level not in (['-O2'], ['-O3'], ['-Os'])]
sys.exit('\n'.join(slow) or not lines)
EOF
}

configures() { # FLAGS...: whether CMake configures the engine in a release build
    rm -rf "$stage/flags"
    cmake -S "$root/engine" -B "$stage/flags" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMOTE_ISA=scalar "$@" \
        >"$stage/log" 2>&1
}

# Flags that would change bits are refused when a build is configured, and in a build that was configured
# before they came, by the first file that is compiled.
without_fast_math() {
    needs cmake
    local flags options file=$root/engine/base/requirements.c
    for flags in C_FLAGS_RELEASE=-Ofast 'C_FLAGS_RELEASE=-O3 -ffast-math' C_FLAGS=-ffast-math; do
        if configures "-DCMAKE_$flags" || ! grep -q 'mote needs IEEE arithmetic' "$stage/log"; then
            cat "$stage/log"
            echo "$flags is not refused"
            exit 1
        fi
        read -ra options <<<"${flags#*=}"
        if "${cc[@]}" "${options[@]}" -DMOTE_REQUIRES_MATH "-I$root/engine" -fsyntax-only "$file" \
            2>"$stage/log"; then
            echo "the source compiles with ${flags#*=}"
            exit 1
        fi
    done
    configures '-DCMAKE_C_FLAGS_RELEASE=-O3 -ffp-contract=fast' || { cat "$stage/log"; exit 1; }
}

# From source both builds compile the same files with the same flags. The programs are built, from a
# repository that CMake fetches, with loose particles only, which takes a fraction of the time, and have the
# same functions as the installed library.
by_cmake_source() {
    needs cmake
    needs git
    unset LD_LIBRARY_PATH PKG_CONFIG_PATH # nothing of the installed library is to be found
    local as_built
    read -ra as_built <<<"${AS_BUILT:?}"
    logged "$stage/log" cmake -S "$consumers" -B "$stage/same" -G Ninja "-DMOTE_SOURCE=$root/engine" \
        "${as_built[@]}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
    python3 "$root/tests/scripts/same_build.py" "$build" "$stage/same"
    if [[ $AS_BUILT == *MOTE_OPENMP=true* ]] &&
        ! ninja -C "$stage/same" -t commands libplugin.so | grep -q -e '-z,nodelete.*libplugin\.so'; then
        echo 'a plugin with the static library in it can be unloaded under its threads'
        exit 1
    fi
    mkdir "$stage/repository"
    cp -r "$root/engine" "$stage/repository"
    git init --quiet --initial-branch=main "$stage/repository"
    git -C "$stage/repository" add engine
    git -C "$stage/repository" -c user.name=host -c user.email=host@localhost commit --quiet --message=engine
    cmake_host source "-DMOTE_REPOSITORY=file://$stage/repository" -DMOTE_STRANDS=OFF -DMOTE_NETWORKS=OFF \
        -DHOST_ISA=scalar -DCMAKE_BUILD_TYPE=Debug -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DBUILD_SHARED_LIBS=ON \
        -DCMAKE_UNITY_BUILD=ON -DMORE_SOURCES=features.c "-DCMAKE_C_FLAGS=${warnings[*]}"
    optimised "$stage/source"
    if grep -q 'MOTE_ISA=[^s]' "$stage/source/compile_commands.json"; then
        echo 'MOTE_ISA as a variable of the host is ignored'
        exit 1
    fi
    diff <(exports "$libraries/libmote.so") <(exports "$stage/source/_deps/mote-build/libmote.so") ||
        { echo 'a build without features exports other functions'; exit 1; }
}

by_meson_source() {
    needs meson
    unset LD_LIBRARY_PATH PKG_CONFIG_PATH # nothing of the installed library is to be found
    mkdir -p "$stage/host/subprojects"
    cp "$consumers"/* "$stage/host"
    ln -s "$root" "$stage/host/subprojects/mote"
    logged "$stage/log" meson setup "$stage/host/build" "$stage/host" --wrap-mode=forcefallback \
        --optimization=0 --unity=on -Dmote:isa=scalar -Dmote:strands=false -Dmote:networks=false
    optimised "$stage/host/build"
    # The library alone: its objects, its files, the three programs.
    if ninja -C "$stage/host/build" -t targets all | grep -E 'subprojects/mote/(bench|tests)/'; then
        echo 'a subproject builds more than the library'
        exit 1
    fi
    meson test -C "$stage/host/build" --print-errorlogs
}

# libmote-mpi by its pkg-config file, by its CMake target, and from source, on two ranks.
by_mpi() {
    needs mpirun
    local flags ranks prefix=${libraries%/lib*}
    ranks=$root/tests/scripts/ranks.sh
    sed -i "s|^prefix=|prefix=$stage|" "$(dirname "$(find "$stage" -name mote.pc)")/mote-mpi.pc"
    read -ra flags <<<"$(pkg-config --cflags --libs mote-mpi | sed 's/-I/-isystem /g')"
    "${cc[@]}" "${warnings[@]}" -o "$stage/ranks" "$consumers/ranks.c" "${flags[@]}"
    "$ranks" 2 "$stage/ranks"
    if readelf -d "$libraries/libmote.so" | grep 'NEEDED.*mpi'; then echo 'libmote needs MPI'; exit 1; fi
    needs cmake
    cmake_host shared "-DCMAKE_PREFIX_PATH=$prefix" '-DMOTE_COMPONENTS=COMPONENTS;mpi'
    "$ranks" 2 "$stage/shared/ranks"
    unset LD_LIBRARY_PATH PKG_CONFIG_PATH
    cmake_host source "-DMOTE_SOURCE=$root/engine" -DMOTE_MPI=ON -DMOTE_STRANDS=OFF -DMOTE_NETWORKS=OFF \
        -DMOTE_ISA=scalar -DCMAKE_BUILD_TYPE=Debug
    "$ranks" 2 "$stage/source/ranks"
}

case $way in
    mpi) by_mpi ;;
    pkg-config) by_pkg_config ;;
    cglm) with_cglm ;;
    glm) with_glm ;;
    unload) unloaded ;;
    cmake-package) by_cmake_package ;;
    fast-math) without_fast_math ;;
    cmake-source) by_cmake_source ;;
    meson-source) by_meson_source ;;
    *) exit 2 ;;
esac
