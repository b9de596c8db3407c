"""Checks the house: what a file of engine/ may include, which folders there are, how long a file and a line
may be, and that no test is forgotten.

usage: floors.py ROOT | floors.py --self-test
"""
import pathlib
import re
import sys
import tempfile

FLOORS = {'base': 0, 'math': 1, 'forces': 2, 'integrators': 2, 'contacts': 2, 'stage': 3, 'particles': 4,
          'strands': 4, 'networks': 4, 'links': 5, 'system': 6, 'formats': 6, 'cluster': 7}
PUBLIC = 'include'
OUTSIDE = re.compile(r'(mote/\w+|cglm/[\w/-]+|omp|\w+|sys/\w+)\.h')
BUILD_FILES = {'meson.build', 'CMakeLists.txt', 'sources.txt', 'Doxyfile'}
# Compiled when the build is configured; libmote-mpi, a library of its own.
UNLISTED = {'base/requirements.c', 'cluster/mpi.c'}
LONGEST = 500
WIDEST = 110
SOURCES = {'.c', '.h', '.cpp', '.py', '.sh', '.build', '.txt', '.in'}
INCLUDE = re.compile(r'^\s*#\s*include\s*(.*?)\s*(?:/[/*].*)?$')


def wrong_include(engine, path, target):
    """Says what is wrong with `#include target` in the file, or None."""
    here = path.relative_to(engine).parts[0]
    match = re.fullmatch(r'<([^>]+)>|"([^"]+)"', target)
    if not match:
        return 'is not a file name'
    name = match[1] or match[2]
    folder = name.split('/')[0]
    if folder not in FLOORS and match[1]:
        return None if OUTSIDE.fullmatch(name) else 'is neither public nor of the C library, cglm or OpenMP'
    if here == PUBLIC:
        return 'a public header includes only public ones'
    if '/' not in name:
        folder, name = here, f'{here}/{name}'
    if folder not in FLOORS:
        return 'is in no folder of the engine'
    if not (engine / name).is_file():
        return 'does not exist'
    if folder != here and FLOORS[folder] >= FLOORS[here]:
        return f'{folder} (floor {FLOORS[folder]}) is not below {here} (floor {FLOORS[here]})'
    return None


def check_includes(engine):
    for path in sorted(engine.rglob('*')):
        if path.suffix not in {'.c', '.h'}:
            continue
        if path.relative_to(engine).parts[0] not in {*FLOORS, PUBLIC}:
            continue
        for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            found = INCLUDE.match(line)
            problem = found and wrong_include(engine, path, found[1])
            if problem:
                yield f'{path}:{number}: {found[1]}: {problem}'


def check_folders(engine):
    for path in sorted(engine.iterdir()):
        if path.is_dir() and path.name not in {*FLOORS, PUBLIC}:
            yield f'{path}: no such folder is planned'
        if path.is_file() and path.name not in BUILD_FILES and path.suffix != '.in':
            yield f'{path}: a file of the engine stands in one of its folders'
    for path in sorted((engine / PUBLIC).iterdir()):
        if path.name != 'mote':
            yield f'{path}: public headers stand in include/mote'


def check_sizes(root):
    for folder in ('engine', 'bench', 'tests'):
        for path in sorted((root / folder).rglob('*')):
            if not path.is_file() or (path.suffix not in SOURCES and path.name != 'run'):
                continue
            lines = path.read_text(encoding='utf-8').splitlines()
            if len(lines) > LONGEST:
                yield f'{path}: {len(lines)} lines, more than {LONGEST}'
            for number, line in enumerate(lines, 1):
                if len(line) > WIDEST:
                    yield f'{path}:{number}: {len(line)} columns, more than {WIDEST}'


def check_listed(root):
    """A test that the build does not know never runs, and a source is never compiled."""
    sources = set((root / 'engine/sources.txt').read_text(encoding='utf-8').split())
    for path in sorted((root / 'engine').rglob('*.c')):
        name = path.relative_to(root / 'engine').as_posix()
        if name not in sources | UNLISTED:
            yield f'{path}: is not in engine/sources.txt'
    listed = set(re.findall(r"'(\w+)(?:\.c)?'", (root / 'tests/meson.build').read_text(encoding='utf-8')))
    for path in sorted((root / 'tests').glob('*.c')):
        if path.stem not in listed:
            yield f'{path}: is not in tests/meson.build'


def check(root):
    engine = root / 'engine'
    return [*check_includes(engine), *check_folders(engine), *check_sizes(root), *check_listed(root)]


def self_test():
    """Builds a house with one fault of each kind and expects each to be found, and nothing else."""
    good = {'engine/include/mote/a.h': '#include <stdint.h>\n', 'engine/base/a.h': '#include <mote/a.h>\n',
            'engine/math/a.c': '#include "base/a.h"\n#include <cglm/types.h>\n#include "a.h" /* own */\n',
            'engine/math/a.h': 'x' * WIDEST + '\n', 'engine/forces/a.h': '', 'engine/networks/a.h': '',
            'engine/meson.build': '',
            'engine/sources.txt': 'math/a.c\nbase/up.c\ncontacts/beside.c\nstrands/beside.c\nmath/angle.c\n'
                                  'math/gone.c\nmath/macro.c\nmath/dots.c\ncellar/a.c\nstray.c\n',
            'tests/meson.build': "['one', 'long']", 'tests/one.c': ''}
    wide = 'x' * (WIDEST + 1) + '\n'
    faults = {'engine/base/up.c': '#include "math/a.h"\n',
              'engine/contacts/beside.c': '#include "forces/a.h"\n',
              'engine/strands/beside.c': '#include "networks/a.h"\n',
              'engine/include/mote/inward.h': '#include "base/a.h"\n',
              'engine/math/angle.c': '#include <forces/a.h>\n',
              'engine/math/gone.c': '#include "base/gone.h"\n', 'engine/math/macro.c': '# include NAME\n',
              'engine/math/dots.c': '#include "../base/a.h"\n', 'engine/cellar/a.c': '', 'engine/stray.c': '',
              'engine/system/unlisted.c': '',
              'engine/math/wide.h': wide, 'bench/wide.py': wide, 'tests/wide.sh': wide,
              'tests/long.c': '\n' * (LONGEST + 1), 'tests/forgotten.c': ''}
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for group in (good, faults):
            for path, text in group.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding='utf-8')
            if group is good and check(root):
                return f'a house in order is refused: {check(root)}'
        found = check(root)
        unseen = [path for path in faults if not any(path.removesuffix('/a.c') in line for line in found)]
        return f'not found: {unseen}' if unseen or len(found) != len(faults) else 0


def main():
    if sys.argv[1] == '--self-test':
        return self_test()
    found = check(pathlib.Path(sys.argv[1]))
    print('\n'.join(found))
    return 1 if found else 0


sys.exit(main())
