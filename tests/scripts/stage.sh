# Installs a build into a temporary directory and points pkg-config at it. Sourced, with `build` set to the
# build directory; sets `stage` and `libraries`, and CC and CXX as the arrays `cc` and `cxx`.
# shellcheck shell=bash disable=SC2034,SC2154 # names cross files
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
read -ra cc <<<"$CC"
read -ra cxx <<<"$CXX"
DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet
package=$(find "$stage" -name mote.pc)
[[ -f $package ]] || { echo 'no mote.pc is installed'; exit 1; }
# As it would read had this directory been the prefix.
sed -i "s|^prefix=|prefix=$stage|" "$package"
PKG_CONFIG_PATH=$(dirname "$package")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
libraries=$(pkg-config --variable=libdir mote)
