# The golden hashes for wasm32: shared by wasm.sh and tests/portability. Sourced, after tools.sh.
# shellcheck shell=bash disable=SC2154 # names cross files

# wasm_hashes ROOT DIRECTORY: builds tests/hashes with the library that wasm_library made in DIRECTORY, and
# runs it under node.
wasm_hashes() {
    local root=$1 directory=$2
    emcc "${wasm_flags[@]}" -O2 -Dmain=program -D_UINTPTR_T -D_UINTPTR_T_DEFINED -I"$root/engine/include" \
        -I"$root/engine" -I"$root/tests" -I"$root/tests/stand_in" -I"$directory/include" \
        "$root/tests/hashes.c" "$root"/tests/hash_*.c "$root/tests/support.c" "$root"/tests/reference*.c \
        "$directory/start.o" "$directory/library/libmote.a" -sALLOW_MEMORY_GROWTH=1 -sENVIRONMENT=node \
        -sEXIT_RUNTIME=1 -o "$directory/hashes.js" &&
        # This emscripten takes node's own fetch for that of a browser.
        node --stack-size=4000 -e 'delete globalThis.fetch; require(process.argv[1])' "$directory/hashes.js"
}
