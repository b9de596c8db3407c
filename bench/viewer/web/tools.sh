# How wasm32 is built: shared by the page and by the hash test under node. Sourced.
# shellcheck shell=bash disable=SC2034 # names cross files

export EM_LLVM_ADD_VERSION=19 EM_CLANG_ADD_VERSION=19
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs} # of Debian's acorn, where node is not Debian's
wasm_flags=(-std=c17 -D_GNU_SOURCE -ffp-contract=off -msimd128)

font_file() {
    local file
    for file in /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf /usr/share/fonts/TTF/DejaVuSans.ttf; do
        if [[ -e $file ]]; then echo "$file" && return; fi
    done
    return 1
}

# wasm_library ROOT DIRECTORY [OPTIONS...]: the static library, the headers of others that are headers alone,
# and the object that calls a program's main, which clang 19 names as emscripten 3.1.6 does not expect.
wasm_library() {
    local root=$1 directory=$2
    mkdir -p "$directory/include"
    ln -sfn "$(pkg-config --variable=includedir cglm)/cglm" "$directory/include/cglm"
    ln -sfn /usr/include/stb "$directory/include/stb"
    emcmake cmake -S "$root/engine" -B "$directory/library" -G Ninja -DMOTE_ISA=simd128 -DMOTE_OPENMP=OFF \
        -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-O2 -Wno-pass-failed" \
        -DMOTE_CGLM_INCLUDE_DIR="$directory/include" "${@:3}" >"$directory/cmake.log" 2>&1
    ninja -C "$directory/library" --quiet
    cat >"$directory/start.c" <<'C'
int program(int argc, char **argv);
int main(void) {
    static char name[] = "mote", *arguments[] = {name, 0};
    return program(1, arguments);
}
C
    emcc "${wasm_flags[@]}" -c "$directory/start.c" -o "$directory/start.o"
}
