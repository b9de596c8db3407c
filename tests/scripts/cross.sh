# Builds for other processors and systems: shared by tests/run --all and tests/portability. Sourced, after
# setup.sh.
# shellcheck shell=bash disable=SC2154 # names cross files

# write_cross_file DIRECTORY COMPILER TOOLS SYSTEM FAMILY ENDIAN [WRAPPER...]: writes DIRECTORY/cross.ini for
# meson. TOOLS: the prefix of the binary utilities' names. WRAPPER: the command that runs the programs.
write_cross_file() {
    local directory=$1 compiler=$2 tools=$3 system=$4 family=$5 endian=$6 wrapper
    shift 6
    mkdir -p "$directory/include"
    # Headers of this machine: of cglm, which is headers alone. Everything else belongs to the other machine.
    ln -sfn "$(pkg-config --variable=includedir cglm)/cglm" "$directory/include/cglm"
    wrapper=$(printf "'%s', " "$@")
    cat >"$directory/cross.ini" <<EOF
[binaries]
c = '$compiler'
ar = '${tools}ar'
nm = '${tools}nm'
objdump = '${tools}objdump'
strip = '${tools}strip'
$( (($#)) && echo "exe_wrapper = [${wrapper%, }]")
[built-in options]
c_args = ['-I$directory/include', '-I$root/tests/stand_in']
[host_machine]
system = '$system'
cpu_family = '$family'
cpu = '$family'
endian = '$endian'
[properties]
needs_exe_wrapper = $( (($#)) && echo true || echo false)
EOF
}

windows_triplet=x86_64-w64-mingw32
write_windows_cross_file() { # DIRECTORY
    write_cross_file "$1" "$windows_triplet-gcc" "$windows_triplet-" windows x86_64 little "$(wine_path)"
}

# with_wine DIRECTORY COMMAND...: runs it with what wine needs; DIRECTORY receives the files of wine.
with_wine() {
    local directory=$1 name path=
    shift
    for name in libgomp-1.dll libwinpthread-1.dll; do
        path+="Z:$(dirname -- "$("$windows_triplet-gcc" -print-file-name=$name)");"
    done
    local -x WINEPREFIX=$directory/wine WINEDEBUG=-all WINEPATH=${path//\//\\}
    "$(wine_path)" cmd /c exit >/dev/null 2>&1 || true # two programs at once must not both set it up
    "$@"
}
