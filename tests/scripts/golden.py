"""Runs the hashes program and compares what it prints with the committed file.

usage: golden.py GOLDEN PROGRAM ARGUMENTS...   (exit 77: the program cannot run the instruction set asked for)
After a change that is meant to change bits: build/tests/hashes > tests/hashes.golden, and say why in
CHANGELOG.md.
"""
import difflib
import os
import pathlib
import shlex
import subprocess
import sys

SKIP = 77


def main():
    golden, command = sys.argv[1], sys.argv[2:]
    wrapper = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))
    run = subprocess.run(wrapper + command, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        return SKIP if run.returncode == SKIP else f'{command[0]} ended with {run.returncode}'
    path = pathlib.Path(golden)
    expected = path.read_text(encoding='ascii') if path.is_file() else ''
    if not expected.strip():
        return f'{golden} is missing or empty'
    if run.stdout != expected:
        lines = difflib.unified_diff(expected.splitlines(), run.stdout.splitlines(), golden, 'this build',
                                     lineterm='')
        return '\n'.join(lines)
    print(f'{len(expected.splitlines())} hashes are as committed')
    return 0


sys.exit(main())
