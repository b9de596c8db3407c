# Lines and branches of engine/ that the tests run. Sourced by tests/run, after setup.sh.
# shellcheck shell=bash disable=SC2154 # names cross files

# By gcc -O1: without optimisation kernels take minutes.
run_coverage() {
    local directory=$root/build-coverage
    export CC=gcc CXX=g++
    { configure "$directory" -Db_coverage=true -Doptimization=1 "$two_isas" -Dtests=enabled \
        -Dbench=disabled && ninja -C "$directory" --quiet; } || { failed=1 && return; }
    find "$directory" -name '*.gcda' -delete
    run_tests "$directory" -t 4 --suite unit --suite hashes --no-suite longest ||
        [[ -s $directory/meson-logs/testlog.json ]] || failed=$((failed + 1))
    python3 "$root/tests/scripts/coverage.py" "$root" "$directory" || failed=$((failed + 1))
}
