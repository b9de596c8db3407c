#!/usr/bin/env bash
# Makes the documentation of the public headers, in a temporary directory: without a warning.
# usage: doxygen.sh ROOT   (exit 77: doxygen is missing)
set -euo pipefail
cd -- "$1"
command -v doxygen >/dev/null || { echo 'doxygen is missing'; exit 77; }
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
warnings=$({ cat engine/Doxyfile; echo "OUTPUT_DIRECTORY = $output"; } | doxygen - 2>&1)
echo "$warnings"
[[ -z $warnings && -f $output/html/system_8h.html ]]
