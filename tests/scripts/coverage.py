"""Prints how much of engine/ the tests ran, and the files with the most branches that they did not take.

usage: coverage.py ROOT BUILD   (a build with -Db_coverage=true in which the tests have run)
Reads gcov's own JSON: gcovr 5.2 of Debian 12 ends with an error where two files have a static function of
one name. A line or a branch counts for whichever file and instruction set it was compiled for. Branches of
one line are merged by their number. validate.c runs in builds with assertions alone.
"""
import collections
import json
import pathlib
import subprocess
import sys

LISTED = 25


def reports(directory):
    """Reports of gcov on the objects of the library."""
    for data in sorted((directory / 'engine').rglob('*.gcno')):
        run = subprocess.run(['gcov', '--json-format', '--stdout', '--branch-probabilities', data],
                             cwd=directory, capture_output=True, check=False)
        for line in run.stdout.splitlines():
            yield json.loads(line)


def merge(directory, root):
    """Counts by file, of lines and of (line, number of the branch)."""
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    for report in reports(directory):
        for file in report['files']:
            path = (directory / file['file']).resolve()
            if not path.is_relative_to(root / 'engine'):
                continue
            name = str(path.relative_to(root))
            for line in file['lines']:
                number = line['line_number']
                lines[name][number] = max(lines[name].get(number, 0), line['count'])
                for i, branch in enumerate(line['branches']):
                    key = number, i
                    branches[name][key] = max(branches[name].get(key, 0), branch['count'])
    return lines, branches


def taken(counts):
    return sum(count > 0 for count in counts.values())


def main():
    root, directory = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    lines, branches = merge(directory, root)
    if not lines:
        return 'gcov found nothing: is this a build with -Db_coverage=true?'
    print(f'{"file":44} {"lines":>13} {"branches":>13}')
    for name in sorted(lines, key=lambda n: taken(branches[n]) - len(branches[n]))[:LISTED]:
        print(f'{name:44} {f"{taken(lines[name])}/{len(lines[name])}":>13} '
              f'{f"{taken(branches[name])}/{len(branches[name])}":>13}')
    for name, of in ('lines', lines), ('branches', branches):
        all_of = sum(map(len, of.values()))
        print(f'{name} of engine/: {100 * sum(map(taken, of.values())) / all_of:.1f} % of {all_of}')
    return 0


sys.exit(main())
