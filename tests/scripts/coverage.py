"""Prints how much of engine/ the tests ran, and the files with the most branches that they did not take.

usage: coverage.py SUMMARY   (gcovr --json-summary)
"""
import json
import sys

LISTED = 25


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        summary = json.load(file)
    missed = sorted(summary['files'], key=lambda f: f['branch_covered'] - f['branch_total'])
    print(f'{"file":44} {"lines":>13} {"branches":>13}')
    for f in missed[:LISTED]:
        lines = f'{f["line_covered"]}/{f["line_total"]}'
        branches = f'{f["branch_covered"]}/{f["branch_total"]}'
        print(f'{f["filename"]:44} {lines:>13} {branches:>13}')
    lines = 100 * summary['line_covered'] / summary['line_total']
    branches = 100 * summary['branch_covered'] / summary['branch_total']
    print(f'engine/: {lines:.1f} % of {summary["line_total"]} lines, '
          f'{branches:.1f} % of {summary["branch_total"]} branches')


main()
