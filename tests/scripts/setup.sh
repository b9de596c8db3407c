# Set-up that bench/run and tests/run share: what they need, how to get it, and how a build directory is
# configured. Sourced, by a script that has set `root` to the repository.
# shellcheck shell=bash disable=SC2034,SC2154 # names cross files

build_packages=(gcc libc6-dev ninja-build meson pkg-config python3 libcglm-dev)
bench_packages=(libcjson-dev)
viewer_packages=(libglfw3-dev libgles-dev libegl-dev libstb-dev fonts-dejavu-core)
window_packages=(xvfb xdotool)
plot_packages=(gnuplot-nox)
peer_packages=(libboost-dev libgsl-dev libbullet-dev)
test_packages=(libcmocka-dev g++ binutils)
clang_packages=(clang-19 libclang-rt-19-dev libomp-19-dev)
format_packages=(clang-format-19)
consumer_packages=(cmake libglm-dev libtbb-dev)
document_packages=(doxygen)
mpi_packages=(libopenmpi-dev openmpi-bin)
wasm_packages=(emscripten cmake ninja-build clang-19 lld-19 llvm-19 nodejs libcmocka-dev libstb-dev
    fonts-dejavu-core)
page_packages=(chromium npm)
windows_packages=(gcc-mingw-w64-x86-64 wine64)
aarch64_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
s390x_packages=(gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user)

# Builds whose kernels compile for minutes: scalar kernels and one other instruction set.
case $(uname -m) in
    x86_64) two_isas=-Disa=avx2 ;;
    aarch64) two_isas=-Disa=neon ;;
    *) two_isas=-Disa=scalar ;;
esac

export DEBIAN_FRONTEND=noninteractive
export CC=${CC:-gcc}
if [[ -z ${CXX:-} ]]; then # clang for C++ where CC is clang, so that both link the same OpenMP runtime
    CXX=g++
    [[ $CC == *clang* ]] && CXX=${CC/clang/clang++}
fi
export CXX
if [[ $CC != gcc ]] && ! command -v "${CC%% *}" >/dev/null; then
    echo "CC is $CC, which is not there" >&2
    exit 2
fi

# compiles COMPILER FLAGS...: whether it makes a program that includes a header of the C library
compiles() {
    local words
    read -ra words <<<"$1" # CC may hold arguments
    printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' |
        "${words[@]}" -o /dev/null "${@:2}" -x c -
}

wine_path() { # prints where wine is: Debian's wine64 has no command of its own
    local path
    for path in "$(command -v wine64)" /usr/lib/wine/wine64; do
        if [[ -x $path ]]; then echo "$path" && return; fi
    done
}

# Whether what a package is needed for is there, wherever it came from.
present() {
    case $1 in
        gcc) command -v "${CC%% *}" ;;
        libc6-dev) compiles "$CC" ;;
        ninja-build) command -v ninja ;;
        meson)
            command -v meson &&
                [[ $(printf '%s\n' 1.0 "$(meson --version)" | sort -V | head -n 1) == 1.0 ]] ;;
        pkg-config) command -v pkg-config ;;
        python3) command -v python3 ;;
        libcglm-dev) pkg-config --exists cglm ;;
        libcjson-dev) pkg-config --exists libcjson ;;
        emscripten) command -v emcc ;;
        lld-19) command -v wasm-ld-19 ;;
        llvm-19) command -v llvm-ar-19 ;;
        nodejs) command -v node ;;
        npm) command -v npm ;;
        chromium) command -v chromium ;;
        libglfw3-dev) pkg-config --exists glfw3 ;;
        libgles-dev) pkg-config --exists glesv2 ;;
        libegl-dev) pkg-config --exists egl ;;
        libstb-dev) [[ -e /usr/include/stb/stb_truetype.h ]] ;;
        fonts-dejavu-core)
            [[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ||
                -e /usr/share/fonts/TTF/DejaVuSans.ttf ]] ;;
        xvfb) command -v Xvfb ;;
        xdotool) command -v xdotool ;;
        libboost-dev) printf '#include <boost/numeric/odeint.hpp>\n' | "${CXX%% *}" -fsyntax-only -x c++ - ;;
        libgsl-dev) pkg-config --exists gsl ;;
        libbullet-dev) pkg-config --exists bullet ;;
        gnuplot-nox) command -v gnuplot ;;
        libcmocka-dev) pkg-config --exists cmocka ;;
        g++) command -v "${CXX%% *}" ;;
        binutils) command -v nm && command -v objdump ;;
        clang-19) command -v clang-19 && command -v clang++-19 ;;
        libclang-rt-19-dev) compiles clang-19 -fsanitize=thread ;;
        libomp-19-dev) compiles clang-19 -fopenmp ;;
        clang-format-19) command -v clang-format-19 ;;
        cmake) command -v cmake ;;
        libglm-dev) printf '#include <glm/glm.hpp>\n' | "${CXX%% *}" -fsyntax-only -x c++ - ;;
        libtbb-dev) printf '#include <tbb/task_arena.h>\n' | "${CXX%% *}" -fsyntax-only -x c++ - ;;
        doxygen) command -v doxygen ;;
        libopenmpi-dev) pkg-config --exists ompi-c ;;
        openmpi-bin) command -v mpirun ;;
        gcc-mingw-w64-x86-64) command -v x86_64-w64-mingw32-gcc ;;
        wine64) [[ -n $(wine_path) ]] ;;
        gcc-aarch64-linux-gnu) command -v aarch64-linux-gnu-gcc ;;
        libc6-dev-arm64-cross) compiles aarch64-linux-gnu-gcc ;;
        gcc-s390x-linux-gnu) command -v s390x-linux-gnu-gcc ;;
        libc6-dev-s390x-cross) compiles s390x-linux-gnu-gcc ;;
        qemu-user) command -v qemu-aarch64 ;;
    esac >/dev/null 2>&1
}

# Contents of a package, by which to find it where it has another name.
describe() {
    case $1 in
        gcc) echo "$CC, the C compiler" ;;
        libc6-dev) echo "headers of the C library for $CC" ;;
        ninja-build) echo 'ninja' ;;
        meson) echo 'meson, 1.0 or newer' ;;
        pkg-config) echo 'pkg-config or pkgconf' ;;
        python3) echo 'python 3' ;;
        libcglm-dev) echo 'cglm: headers and cglm.pc' ;;
        libcjson-dev) echo 'cJSON: headers and libcjson.pc' ;;
        emscripten) echo 'emcc of emscripten 3.1.6' ;;
        lld-19) echo 'wasm-ld-19' ;;
        llvm-19) echo 'llvm-ar-19' ;;
        nodejs) echo 'node 18 or newer' ;;
        npm) echo 'npm' ;;
        chromium) echo 'Chromium' ;;
        libglfw3-dev) echo 'GLFW 3: headers and glfw3.pc' ;;
        libgles-dev) echo 'OpenGL ES 3: headers and glesv2.pc' ;;
        libegl-dev) echo 'EGL: headers and egl.pc' ;;
        libstb-dev) echo 'stb: headers in stb/' ;;
        fonts-dejavu-core) echo 'the font DejaVu Sans' ;;
        xvfb) echo 'Xvfb, a display without a screen' ;;
        xdotool) echo 'xdotool, which presses keys and moves the pointer' ;;
        libboost-dev) echo 'Boost: headers' ;;
        libgsl-dev) echo 'GSL, the GNU Scientific Library: headers and gsl.pc' ;;
        libbullet-dev) echo 'Bullet: headers and bullet.pc' ;;
        gnuplot-nox) echo 'gnuplot, with pngcairo' ;;
        libcmocka-dev) echo 'cmocka: headers and cmocka.pc' ;;
        g++) echo "$CXX, the C++ compiler" ;;
        binutils) echo 'nm and objdump' ;;
        clang-19) echo 'clang-19 and clang++-19' ;;
        libclang-rt-19-dev) echo 'sanitizer runtimes of clang-19' ;;
        libomp-19-dev) echo 'OpenMP runtime and headers of clang-19' ;;
        clang-format-19) echo 'clang-format-19' ;;
        cmake) echo 'cmake, 3.16 or newer' ;;
        libglm-dev) echo 'glm: headers' ;;
        libtbb-dev) echo 'oneTBB: headers and library' ;;
        doxygen) echo 'doxygen' ;;
        libopenmpi-dev) echo 'Open MPI: headers and ompi-c.pc' ;;
        openmpi-bin) echo 'mpirun' ;;
        gcc-mingw-w64-x86-64) echo 'x86_64-w64-mingw32-gcc, a cross compiler for Windows' ;;
        wine64) echo 'wine64, which runs programs of Windows' ;;
        gcc-aarch64-linux-gnu) echo 'aarch64-linux-gnu-gcc, a cross compiler (conflicts with gcc-multilib)' ;;
        libc6-dev-arm64-cross) echo 'headers of the C library for aarch64-linux-gnu-gcc' ;;
        gcc-s390x-linux-gnu) echo 's390x-linux-gnu-gcc, a cross compiler (conflicts with gcc-multilib)' ;;
        libc6-dev-s390x-cross) echo 'headers of the C library for s390x-linux-gnu-gcc' ;;
        qemu-user) echo 'qemu-aarch64, the user mode of qemu' ;;
    esac
}

missing_of() { # PACKAGES...: prints those that are missing
    local package
    for package; do present "$package" || echo "$package"; done
}

# Installs packages where that can be done without a question. Removes none to make space, unless
# MOTE_MAY_REPLACE is set.
apt_install() {
    local as_root=() keep=(--no-remove)
    [[ -z ${MOTE_MAY_REPLACE:-} ]] || keep=()
    command -v apt-get >/dev/null || return 1
    if ((EUID != 0)); then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
        as_root=(sudo -n env DEBIAN_FRONTEND=noninteractive)
    fi
    echo "installing $*"
    "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=120 update </dev/null || true # a stale index may do
    "${as_root[@]}" apt-get -q -y "${keep[@]}" --no-install-recommends -o DPkg::Lock::Timeout=120 \
        install "$@" </dev/null
}

# provide PACKAGES...: installs what is missing; where it cannot, says what to install and returns 2.
provide() {
    local missing package
    mapfile -t missing < <(missing_of "$@")
    ((${#missing[@]})) || return 0
    apt_install "${missing[@]}" >&2 || true
    mapfile -t missing < <(missing_of "${missing[@]}")
    ((${#missing[@]})) || return 0
    {
        echo 'missing, and cannot be installed from here:'
        for package in "${missing[@]}"; do printf '  %-24s %s\n' "$package" "$(describe "$package")"; done
        echo 'On Debian or Ubuntu, as root:'
        echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
        echo 'On another system install what the right-hand column names.'
    } >&2
    return 2
}

# configure DIRECTORY OPTIONS...: sets a build directory up, and again only where compiler or options ask
# for it.
configure() {
    local directory=$1 stamp=$1/.mote-options compiler="CC=$CC CXX=$CXX" option kept how log
    shift
    if [[ ! -f $directory/build.ninja ]]; then
        how=()
    elif [[ -f $stamp ]] && ! grep -qxF -e "$compiler" "$stamp"; then
        how=(--wipe)
    else
        for option; do grep -qxF -e "$option" "$stamp" 2>/dev/null || how=(--reconfigure); done
        [[ -v how ]] || return 0
    fi
    log=$(meson setup "${how[@]}" "$directory" "$root" "$@" 2>&1) || { echo "$log"; return 1; }
    kept=$(grep -vxF -e "$compiler" "$stamp" 2>/dev/null || true)
    printf '%s\n' "$compiler" "$@" "$kept" >"$stamp"
}
