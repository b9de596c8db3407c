"""Finds circles of calls between files from the symbols of their object files: no file may reach itself by
way of others.

usage: circles.py NM LIBRARY-OR-FOLDER... | circles.py --self-test
"""
import pathlib
import re
import subprocess
import sys

SYMBOL = re.compile(r'^(?:.*[:/])?(?P<file>[^:/]+?)(?:\.c)?\.o:(?:\s*[0-9a-f]+)?\s+'
                    r'(?P<kind>\w) (?P<name>\S+)$')


def parse(lines):
    """Returns the symbols that each file defines and uses. Objects of one file for several instruction sets
    are one file."""
    defined, used = {}, {}
    for match in filter(None, map(SYMBOL.match, lines)):
        if match['kind'] == 'U':
            used.setdefault(match['file'], set()).add(match['name'])
        elif match['kind'].isupper():
            defined[match['name']] = match['file']
    return defined, used


def calls(lines):
    """For each file, the other files that it uses symbols of."""
    defined, used = parse(lines)
    return {file: {defined[name] for name in names if name in defined} - {file}
            for file, names in used.items()}


def reached(graph, start):
    """The files that can be reached from one, with the step by which each was reached first."""
    before, waiting = {}, [start]
    while waiting:
        file = waiting.pop()
        for target in graph.get(file, ()):
            if target not in before:
                before[target] = file
                waiting.append(target)
    return before


def circles(lines):
    """One circle for each file that lies on one and on none found before."""
    graph, seen = calls(lines), set()
    for file in sorted(graph):
        before = reached(graph, file)
        if file in seen or file not in before:
            continue
        path = [file]
        while before[path[-1]] != file:
            path.append(before[path[-1]])
        seen |= {other for other in before if file in reached(graph, other)}
        yield ' <- '.join([*path, file])


def objects(path):
    return sorted(path.rglob('*.o')) if path.is_dir() else [path]


def self_test():
    line = '{}.c.o:{} {} {}'.format
    chain = [line('a', '', 'U', 'f'), line('b', '0000', 'T', 'f'), line('b', '', 'U', 'g'),
             line('lib.a:c', '0', 'R', 'g'), line('c', '', 'U', 'malloc'),
             line('b', '0', 't', 'local'), line('c', '', 'U', 'local')]
    if list(circles(chain)):
        return f'a chain is refused: {list(circles(chain))}'
    closed = [*chain, line('c', '', 'U', 'h'), line('a', '0', 'D', 'h')]
    return 0 if len(list(circles(closed))) == 1 else 'a circle is not found'


def main():
    if sys.argv[1] == '--self-test':
        return self_test()
    files = [file for path in sys.argv[2:] for file in objects(pathlib.Path(path))]
    output = subprocess.run([sys.argv[1], '-A', *files], capture_output=True, text=True, check=True).stdout
    if not parse(output.splitlines())[0]:
        return 'no symbols were found'
    found = list(circles(output.splitlines()))
    print('\n'.join(found))
    return 1 if found else 0


sys.exit(main())
