#!/usr/bin/env bash
# Builds the library for wasm32 with simd128 and compares the golden hashes under node; then the page, and
# runs it in Chromium where that is found. Prints `ok NAME` or `not ok NAME` a test.
# usage: wasm.sh ROOT DIRECTORY VIEWER
set -euo pipefail
root=$1 directory=$2 viewer=$3
# shellcheck source=bench/viewer/web/tools.sh
source "$root/bench/viewer/web/tools.sh"
failed=0

report() { # STATUS NAME
    if (($1 == 0)); then echo "ok $2"; else
        echo "not ok $2"
        failed=1
    fi
}

hashes() {
    local name sources=()
    for name in hashes hash_emitters hash_links hash_networks hash_strands hash_twins support; do
        sources+=("$root/tests/$name.c")
    done
    ln -sf "$(echo '#include <cmocka.h>' | gcc -M -x c -include stdarg.h -include stddef.h -include setjmp.h \
        -include stdint.h - | grep -o '/[^ ]*/cmocka\.h')" "$directory/include/"
    emcc "${wasm_flags[@]}" -O2 -Dmain=program -D_UINTPTR_T -D_UINTPTR_T_DEFINED -I"$root/engine/include" \
        -I"$root/engine" -I"$root/tests" -I"$directory/include" "${sources[@]}" "$root"/tests/reference*.c \
        "$directory/start.o" "$directory/library/libmote.a" -sALLOW_MEMORY_GROWTH=1 -sENVIRONMENT=node \
        -sEXIT_RUNTIME=1 -o "$directory/hashes.js"
    # This emscripten takes node's own fetch for that of a browser.
    node --stack-size=4000 -e 'delete globalThis.fetch; require(process.argv[1])' "$directory/hashes.js" |
        diff - "$root/tests/hashes.golden"
}

page() {
    [[ -d $directory/node_modules/playwright-core ]] ||
        npm install --silent --no-audit --no-fund --prefix "$directory" playwright-core@1.48.2
    NODE_PATH=$directory/node_modules node "$root/tests/scripts/page.js" "$directory/page" "$viewer"
}

"$root/bench/viewer/web/build" "$directory"
status=0
hashes || status=$?
report "$status" wasm-hashes
if command -v chromium >/dev/null && command -v npm >/dev/null && [[ -x $viewer ]]; then
    status=0
    page || status=$?
    report "$status" page
else
    echo 'skip page (Chromium, npm or the native viewer is missing)'
fi
exit "$failed"
