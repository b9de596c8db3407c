#!/usr/bin/env bash
# Snapshots of clusters: ranks_die.sh PROGRAM. A run of 3 ranks loses rank 1 after its snapshot: the run ends
# with a sentence that names the rank, and 2 ranks continue. A snapshot of 8 ranks continues on 3 and on 1.
set -euo pipefail
ranks=$(dirname -- "${BASH_SOURCE[0]}")/ranks.sh
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT

if "$ranks" 3 "$1" die "$folder/died" >"$folder/said" 2>&1; then
    echo "a run went on without rank 1" && exit 1
fi
grep -E 'rank 1 .*signal 9' "$folder/said" || { cat "$folder/said" && exit 1; }
"$ranks" 8 "$1" save "$folder/saved"
hashes=$(for count in 1 2 3; do "$ranks" "$count" "$1" resume "$folder/saved"; done &&
    "$ranks" 2 "$1" resume "$folder/died")
echo "$hashes"
[[ $(grep -cE '^[0-9a-f]{16}$' <<<"$hashes") == 4 && $(sort -u <<<"$hashes" | wc -l) == 1 ]]
