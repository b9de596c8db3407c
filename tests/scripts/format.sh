#!/usr/bin/env bash
# Checks that every C and C++ file is formatted as .clang-format says.
# usage: format.sh CLANG_FORMAT ROOT
set -euo pipefail
cd -- "$2"
mapfile -d '' files < <(find engine bench tests \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -print0)
((${#files[@]} > 0))
"$1" --dry-run -Werror "${files[@]}"
echo "${#files[@]} files"
