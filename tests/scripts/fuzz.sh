# The fuzzers of tests/fuzz. Sourced by tests/run, after setup.sh.
# shellcheck shell=bash disable=SC2154 # names cross files

fuzzers=(api hair snapshot events kernels strands values)

# build_fuzzers: in build-fuzz. Assertions are on, as in every sanitizer build.
build_fuzzers() {
    local flags='-fsanitize=fuzzer-no-link,float-cast-overflow -fno-sanitize-recover=all'
    export CC=clang-19 CXX=clang++-19
    configure "$root/build-fuzz" -Doptimization=1 -Ddebug=true "$two_isas" -Db_sanitize=address,undefined \
        -Db_lundef=false "-Dc_args=$flags" -Dfuzz=true -Dtests=enabled -Dbench=disabled &&
        ninja -C "$root/build-fuzz" --quiet "${fuzzers[@]/#/tests/fuzz/fuzz-}"
}

# fuzz NAME SECONDS: runs a fuzzer on what it found before and on the committed corpus; prints its rate.
fuzz() {
    local name=$1 directory=$root/build-fuzz/corpus/$1 log=$root/build-fuzz/$1.log executions rate status=0
    mkdir -p "$directory"
    "$root/build-fuzz/tests/fuzz/fuzz-$name" -max_total_time="$2" -max_len=2048 -timeout=60 \
        -print_final_stats=1 -artifact_prefix="$root/build-fuzz/$name-" "$directory" \
        "$root/tests/fuzz/corpus/$name" >"$log" 2>&1 || status=$?
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    printf '%-9s %10s inputs %8s a second  %s\n' "$name" "${executions:-?}" "${rate:-?}" \
        "$( ((status)) && echo "a finding: build-fuzz/$name-*, $log" || echo 'no finding')"
    return "$status"
}

run_fuzzers() { # MINUTES
    local name
    build_fuzzers || { failed=1 && return; }
    for name in "${fuzzers[@]}"; do
        if fuzz "$name" $(($1 * 60 / ${#fuzzers[@]})); then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    done
}
