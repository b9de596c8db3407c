# Lines and branches of engine/ that the tests run. Sourced by tests/run, after setup.sh.
# shellcheck shell=bash disable=SC2034,SC2154 # names cross files
coverage_packages=(clang-19 libclang-rt-19-dev libomp-19-dev llvm-19)

# Clang counts in the source as it stands, before functions are inlined. By -O1: without optimisation kernels
# take minutes. With the assertions, which call validate.c.
run_coverage() {
    local directory=$root/build-coverage
    export CC=clang-19 CXX=clang++-19
    { configure "$directory" -Dc_args='-fprofile-instr-generate -fcoverage-mapping' \
        -Dc_link_args=-fprofile-instr-generate -Db_lundef=false -Doptimization=1 -Dassertions=enabled \
        "$two_isas" -Dtests=enabled -Dbench=disabled && ninja -C "$directory" --quiet; } ||
        { failed=1 && return; }
    rm -rf "$directory/profiles"
    LLVM_PROFILE_FILE=$directory/profiles/%m.profraw \
        run_tests "$directory" -t 4 --suite unit --suite hashes ||
        [[ -s $directory/meson-logs/testlog.json ]] || failed=$((failed + 1))
    python3 "$root/tests/scripts/coverage.py" "$root" "$directory" || failed=$((failed + 1))
}
