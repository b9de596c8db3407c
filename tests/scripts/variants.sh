# The variants of `tests/run --all`: each is a build in a directory of its own and the tests that run in it.
# Sourced by tests/run, after setup.sh.
# shellcheck shell=bash disable=SC2154 # names cross files

# shellcheck source=tests/scripts/cross.sh
source "$root/tests/scripts/cross.sh"

table=()

row() { table+=("$(printf '%-12s %s' "$1" "$2")"); }

# build NAME OPTIONS... [-- TARGETS...]: configures build-NAME with warnings as errors and builds it.
build() {
    local directory=$root/build-$1 options=()
    shift
    while (($#)) && [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    configure "$directory" -Dwerror=true "${options[@]}" && ninja -C "$directory" --quiet "${@:2}"
}

# libraries DIRECTORY: builds what is installed
libraries() {
    ninja -C "$1" -t targets all | sed -n 's|^\(engine[^:]*/libmote[^/:]*\): .*LINKER$|\1|p' |
        xargs ninja -C "$1" --quiet
}

# variant NAME COMMAND...: runs the command, which builds and tests, and notes how it ended.
variant() {
    local name=$1 start=$SECONDS before=$failed
    shift
    echo "== $name"
    if "$@"; then
        row "$name" run
    else
        ((failed > before)) || failed=$((failed + 1)) # it did not come as far as a test
        row "$name" failed
    fi
    echo "== $name: $((SECONDS - start)) s"
}

not_run() { # NAME WHY
    echo "== $1: not run ($2)"
    row "$1" "not run ($2)"
}

# together COMMAND...: at once, each in a shell of its own: variants that emulate another processor leave some
# of this one's idle. What each printed follows, in order.
together() {
    local command directory counts
    directory=$(mktemp -d)
    for command; do
        (
            passed=0 failed=0 skipped=0 table=()
            "$command"
            echo "$passed $failed $skipped" >"$directory/$command.counts"
            printf '%s\n' "${table[@]}" >"$directory/$command.table"
        ) >"$directory/$command.log" 2>&1 &
    done
    wait
    for command; do
        cat "$directory/$command.log"
        counts=(0 1 0) # it ended before it had counts
        [[ ! -e $directory/$command.counts ]] || read -ra counts <"$directory/$command.counts"
        passed=$((passed + counts[0])) failed=$((failed + counts[1])) skipped=$((skipped + counts[2]))
        [[ ! -e $directory/$command.table ]] ||
            mapfile -t -O "${#table[@]}" table <"$directory/$command.table"
    done
    rm -rf "$directory"
}

# optional NAME COMMAND PACKAGES...: a variant that runs where its packages are.
optional() {
    local missing
    missing=$(missing_of "${@:3}" | paste -sd ' ')
    if [[ -n $missing ]]; then
        not_run "$1" "missing: $missing"
    else
        variant "$1" "$2"
    fi
}

plain() { # NAME OPTIONS...: everything, with all tests
    build "$@" -Dtests=enabled && run_tests "$root/build-$1"
}

# serial NAME: without OpenMP and without vector kernels, the tests that step on threads, or that count and
# refuse them. The kernels of each instruction set are those that `gcc` compares.
serial() {
    build "$1" -Disa=scalar -Dopenmp=disabled -Dtests=enabled -Dbench=disabled -- tests/hashes tests/files \
        tests/every_step tests/jobs tests/memory tests/misuse tests/network_determinism tests/hook &&
        libraries "$root/build-$1" &&
        run_tests "$root/build-$1" hashes files every-step jobs memory misuse network_determinism hook symbols
}

# compiled NAME OPTIONS...: everything, with the short tests that a compiler may change, then bits
compiled() {
    build "$@" -Dtests=enabled &&
        run_tests "$root/build-$1" --no-suite long --no-suite longest --no-suite hashes \
            --no-suite unsanitized --no-suite house --no-suite installed --no-suite viewer &&
        run_tests "$root/build-$1" --suite hashes --suite unsanitized --no-suite longest
}

# hashes_only NAME OPTIONS...: the golden hashes, on every instruction set of the build and on threads
hashes_only() {
    build "$@" -Dtests=enabled -Dbench=disabled -- tests/hashes tests/files tests/every_step &&
        run_tests "$root/build-$1" --suite hashes --no-suite longest
}

with_clang() { CC=clang-19 CXX=clang++-19 "$@"; }

# Sanitized kernels compile for a minute each and more: -O1, scalar and one other instruction set, no tracking
# of variables, and no programs but those of the tests that run keep that bearable; gold links them in half of
# the time.
sanitized() {
    local linker=()
    ! compiles "$CC" -fuse-ld=gold 2>/dev/null || linker=(-Dc_link_args=-fuse-ld=gold)
    configure "$root/build-asan-ubsan" -Dwerror=true -Doptimization=1 -Ddebug=true "$two_isas" \
        -Db_sanitize=address,undefined "${linker[@]}" \
        '-Dc_args=-fno-sanitize-recover=all -fno-var-tracking' -Dtests=enabled -Dbench=disabled &&
        ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
            run_tests "$root/build-asan-ubsan" -t 4 --no-suite longest --no-suite unsanitized \
            --no-suite house --no-suite installed
}

thread_sanitizer_starts() {
    local program status=0
    program=$(mktemp)
    { compiles clang-19 -fsanitize=thread -o "$program" && "$program"; } >/dev/null 2>&1 || status=1
    rm -f "$program"
    return "$status"
}

threaded() { # ARCHER: the library that tells the thread sanitizer what OpenMP orders
    with_clang build tsan -Doptimization=1 -Ddebug=true "$two_isas" -Db_sanitize=thread -Db_lundef=false \
        -Dtests=enabled -Dbench=disabled -- tests/jobs tests/hashes &&
        OMP_TOOL_LIBRARIES=$1 TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1 \
            run_tests "$root/build-tsan" -t 4 jobs hashes hashes-threads-3
}

run_clang_variants() {
    local missing archer
    missing=$(missing_of "${clang_packages[@]}" | paste -sd ' ')
    if [[ -n $missing ]]; then
        for variant in clang tsan; do not_run "$variant" "missing: $missing"; done
        return
    fi
    variant clang with_clang compiled clang
    archer=$(clang-19 -print-file-name=libarcher.so)
    if [[ ! -e $archer ]]; then
        not_run tsan 'libarcher.so of libomp-19-dev is missing'
    elif ! thread_sanitizer_starts; then
        not_run tsan 'this kernel places memory where the thread sanitizer cannot have it'
    else
        variant tsan threaded "$archer"
    fi
}

windows() { # cross-compiled, under wine
    local directory=$root/build-windows
    write_windows_cross_file "$directory-files"
    build windows --cross-file "$directory-files/cross.ini" -Disa=avx2 -Dbench=disabled &&
        with_wine "$directory-files" run_tests "$directory" -t 4 hashes-avx2
}

# The library for wasm32 under node, and the page of the viewer in Chromium.
wasm() {
    local out=$root/build-wasm log
    mkdir -p "$out"
    log=$("$root/tests/scripts/wasm.sh" "$root" "$out" "$root/build-gcc/bench/viewer/mote-viewer" 2>&1) ||
        true
    echo "$log" | grep -v '^configure: ' | tail -n 30
    passed=$((passed + $(grep -c '^ok ' <<<"$log" || true)))
    failed=$((failed + $(grep -c '^not ok ' <<<"$log" || true)))
    skipped=$((skipped + $(grep -c '^skip ' <<<"$log" || true)))
    grep -q '^ok wasm-hashes' <<<"$log" && ! grep -q '^not ok ' <<<"$log"
}

# The ranks of MPI, and libmote-mpi where hosts find it.
ranked() {
    build mpi -Dmpi=enabled "$two_isas" -Dtests=enabled -Dbench=disabled -- \
        tests/mpi/misuse_ranks tests/mpi/ranks tests/mpi/ranks_hashes tests/mpi/ranks_every_step &&
        libraries "$root/build-mpi" &&
        run_tests "$root/build-mpi" --suite mpi && run_tests "$root/build-mpi" consumers-mpi
}

# emulated TARGET SECONDS: one of tests/portability. Its unit tests, with 200 steps of each scene, and the
# hashes that its instruction sets print within so many seconds each, at least ten in all.
emulated() {
    local log good bad status=0
    log=$(LIMIT=$2 WERROR=true "$root/tests/portability" "$1" 2>&1) || status=1
    echo "$log"
    grep -qE "^== $1: [0-9]{2,} of " <<<"$log" || status=1
    good=$(sed -n 's/^\([0-9]*\) passed, .*/\1/p' <<<"$log" | tail -n 1)
    bad=$(sed -n 's/.* passed, \([0-9]*\) failed$/\1/p' <<<"$log" | tail -n 1)
    passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-0}))
    return "$status"
}

aarch64() { emulated aarch64 40; }
s390x() { emulated s390x 40; } # a big-endian machine
emulated_aarch64() { optional aarch64 aarch64 "${aarch64_packages[@]}"; }
emulated_s390x() { optional s390x s390x "${s390x_packages[@]}"; }

# Packages of the variants are installed group by group, so that one that a system lacks does not cost the
# others; under CI a lack is an error.
run_all() {
    provide "${build_packages[@]}" "${bench_packages[@]}" "${test_packages[@]}" || exit
    provide "${format_packages[@]}" || [[ ${CI:-} != true ]] || exit 2
    provide "${clang_packages[@]}" || [[ ${CI:-} != true ]] || exit 2
    provide "${aarch64_packages[@]}" || [[ ${CI:-} != true ]] || exit 2
    provide "${s390x_packages[@]}" || [[ ${CI:-} != true ]] || exit 2
    provide "${consumer_packages[@]}" || [[ ${CI:-} != true ]] || exit 2
    provide "${viewer_packages[@]}" || [[ ${CI:-} != true ]] || exit 2
    provide "${window_packages[@]}" || [[ ${CI:-} != true ]] || exit 2
    provide "${wasm_packages[@]}" "${page_packages[@]}" || [[ ${CI:-} != true ]] || exit 2
    provide "${document_packages[@]}" || true
    provide "${mpi_packages[@]}" || [[ ${CI:-} != true ]] || exit 2
    provide "${windows_packages[@]}" || true
    export CC=gcc CXX=g++
    variant gcc plain gcc -Dbench=enabled
    # Flags that a host may have in CFLAGS: no bit changes.
    variant user-flags hashes_only user-flags "$two_isas" '-Dc_args=-ffp-contract=fast -march=native'
    variant no-openmp serial no-openmp
    variant asan-ubsan sanitized
    optional mpi ranked "${mpi_packages[@]}"
    run_clang_variants
    together emulated_aarch64 emulated_s390x
    if [[ $(uname -m) == x86_64 ]]; then
        optional windows windows "${windows_packages[@]}"
    else
        not_run windows 'this processor is of another family'
    fi
    optional wasm wasm "${wasm_packages[@]}"
    printf '\n%s\n' 'variant      result'
    printf '%s\n' "${table[@]}" ''
}
