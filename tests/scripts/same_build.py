"""Checks that meson and CMake compile the library alike: the same files, for each instruction set, with the
same flags on which code depends.

usage: same_build.py MESON_BUILD CMAKE_BUILD   (both hold compile_commands.json)
"""
import json
import pathlib
import shlex
import sys

OF_THE_HOST = ('-fopenmp=', '-fdiagnostics', '-fcolor-diagnostics', '-fPIE', '-fsanitize', '-fno-sanitize',
               '-fno-var-tracking')


def compiled(build):
    """The files of the engine with their instruction set, and the flags of each."""
    found = {}
    for entry in json.loads((pathlib.Path(build) / 'compile_commands.json').read_text(encoding='utf-8')):
        words = shlex.split(entry['command'])
        path = (pathlib.Path(entry['directory']) / entry['file']).resolve()
        if 'engine' not in path.parts:
            continue
        isa = next((word for word in words if word.startswith('-DMOTE_ISA=')), '')
        found['/'.join(path.parts[-2:]), isa] = {
            word for word in words if word.startswith(('-f', '-m', '-DMOTE', '-std'))
            and word != '-fopenmp' and not word.startswith((*OF_THE_HOST, '-DMOTE_ASSERTIONS'))}
    return found


def differences(meson, cmake):
    for key in sorted(meson.keys() ^ cmake.keys()):
        yield f'{" ".join(key)}: only {"meson" if key in meson else "CMake"} compiles it'
    for key in sorted(meson.keys() & cmake.keys()):
        if meson[key] != cmake[key]:
            yield f'{" ".join(key)}: {" ".join(sorted(meson[key] ^ cmake[key]))}'


def main():
    meson, cmake = compiled(sys.argv[1]), compiled(sys.argv[2])
    found = [*differences(meson, cmake)]
    print('\n'.join(found) or f'{len(meson)} compilations are the same')
    return 1 if found or not meson else 0


sys.exit(main())
