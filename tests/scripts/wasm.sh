#!/usr/bin/env bash
# Builds the page and the library for wasm32 with simd128, compares the golden hashes under node, and runs the
# page in Chromium where that is found. Prints `ok NAME` or `not ok NAME` a test. (Without simd128:
# tests/portability wasm-scalar.)
# usage: wasm.sh ROOT DIRECTORY VIEWER
set -euo pipefail
root=$1 directory=$2 viewer=$3
# shellcheck source=bench/viewer/web/tools.sh
source "$root/bench/viewer/web/tools.sh"
# shellcheck source=tests/scripts/wasm_hashes.sh
source "$root/tests/scripts/wasm_hashes.sh"
failed=0

report() { # STATUS NAME
    if (($1 == 0)); then echo "ok $2"; else
        echo "not ok $2"
        failed=1
    fi
}

# Fetches the library that drives the browser.
fetch_driver() {
    [[ -d $directory/node_modules/playwright-core ]] ||
        npm install --silent --no-audit --no-fund --prefix "$directory" playwright-core@1.48.2 >/dev/null
}

"$root/bench/viewer/web/build" "$directory"
status=0
wasm_hashes "$root" "$directory" | diff - "$root/tests/hashes.golden" || status=$?
report "$status" wasm-hashes
if command -v chromium >/dev/null && command -v npm >/dev/null && [[ -x $viewer ]]; then
    if fetch_driver; then
        status=0
        NODE_PATH=$directory/node_modules node "$root/tests/scripts/page.js" "$directory/page" "$viewer" ||
            status=$?
        report "$status" page
    else
        echo 'skip page (npm cannot fetch playwright-core)'
    fi
else
    echo 'skip page (Chromium, npm or the native viewer is missing)'
fi
exit "$failed"
