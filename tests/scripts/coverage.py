"""Prints how much of engine/ the tests ran, and the files with branches that they did not take.

usage: coverage.py ROOT BUILD   (a build by clang with coverage.sh's flags; its tests left BUILD/profiles)
Fails below LEAST % of the branches.
A branch is one outcome, true or false, of a condition as it stands in the source: copies of a function that
is inlined, compiled for several instruction sets or expanded from a header are one. A condition in a macro
counts once for each place that uses the macro. BUILD/uncovered.txt lists every outcome that no test takes,
with the reason behind it, or that a test is missing.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

LLVM = '19'
EXPANSION = 1  # kind of a region that a macro's text replaces
LEAST = 95
NO_REASON = 'a test is missing'
WIDE = 'kernels of 16 lanes, which this build has not'

# Why tests do not take what is left of a file. A file without a reason has outcomes that a test may yet take.
REASONS = {
    'engine/networks/validate.c': 'invariants that never break',
    'engine/strands/validate.c': 'invariants that never break',
    'engine/particles/validate.c': 'invariants that never break',
    'engine/base/isa.c': 'one processor has avx512 or has it not',
    'engine/base/arena.h': 'more memory than there is',
    'engine/formats/hair.c': 'more memory than there is',
    'engine/formats/hair_file.c': 'more memory than there is',
    'engine/strands/followers.c': 'more memory than there is',
    'engine/networks/edit.c': '2^31 springs or 2^28 packets',
    'engine/networks/network.c': '2^28 packets',
    'engine/networks/chain_stage.h': WIDE,
    'engine/base/peers.c': 'arrays longer than a stage; a transport without an error function',
    'engine/system/clock.c': 'the last of 2^64 ticks',
    'engine/forces/kernels.c': 'default of a switch over all enumerators',
    'engine/forces/region.h': 'default of a switch over all enumerators',
    'engine/stage/stage.h': 'default of a switch over all enumerators',
    'engine/networks/kernels.c': 'default of a switch over all enumerators',
    'engine/networks/dual.h': 'default of a switch over all enumerators',
    'engine/networks/primal.h': 'default of a switch over all enumerators',
    'engine/math/trigonometry.h': 'limit of a loop that ends before',
    'engine/math/propagator.c': 'limit of a loop that ends before',
    'engine/math/noise.h': '4e9 periods of noise',
    'engine/particles/state.c': 'no column follows the torques',
    'engine/particles/particles.h': 'no column follows the torques',
}


# The same for lines of any file, by what they contain.
OF_LINES = {
    r'MOTE_ERROR_OVERFLOW|SIZE_MAX|UINT32_MAX': 'more than a machine can hold',
    r'default:|switch \(': 'default of a switch over all enumerators',
    r'MOTE_ASSERT\(|MOTE_CLAIM\(': 'invariants that never break',
    r'__atomic_(compare_)?exchange': 'a race that no test can make',
    r'MOTE_WIDTH == 16|NETWORK_STRIDE|packet\[i\]|i < b->block->packet_count|job->kick \|\| b->pins': WIDE,
    r'madvise': 'memory of this machine',
}


def reason(name, line):
    of_line = next((why for pattern, why in OF_LINES.items() if re.search(pattern, line)), None)
    return of_line or REASONS.get(name, NO_REASON)


def export(directory, *options):
    """Output of llvm-cov about the library, from the merged counts of all tests."""
    merged = directory / 'all.profdata'
    run = subprocess.run([f'llvm-cov-{LLVM}', 'export', f'-instr-profile={merged}', *options,
                          directory / 'engine/libmote.so'], capture_output=True, text=True, check=True)
    return run.stdout


def line_counts(directory):
    """Pairs of path and {line: count}."""
    lines, path = collections.defaultdict(dict), None
    for row in export(directory, '-format=lcov').splitlines():
        tag, _, text = row.partition(':')
        if tag == 'SF':
            path = text
        elif tag == 'DA':
            line, count = map(int, text.split(',')[:2])
            lines[path][line] = max(lines[path].get(line, 0), count)
    return lines


def branch_counts(directory):
    """{path: {(line, column, place in macros, outcome): count}}."""
    branches = collections.defaultdict(dict)
    for function in json.loads(export(directory))['data'][0]['functions']:
        paths = function['filenames']
        used_at = {region[6]: (region[5], region[0], region[1]) for region in function['regions']
                   if region[7] == EXPANSION}
        for line, column, _, _, true, false, file, *_ in function['branches']:
            within = ()
            while file in used_at:
                within += (paths[file], line, column),
                file, line, column = used_at[file]
            for outcome, count in ('true', true), ('false', false):
                key = line, column, within, outcome
                branches[paths[file]][key] = max(branches[paths[file]].get(key, 0), count)
    return branches


def taken(counts):
    return sum(count > 0 for count in counts.values())


def of_engine(counts, root):
    return {str(pathlib.Path(path).relative_to(root)): counts[path] for path in counts
            if pathlib.Path(path).is_relative_to(root / 'engine')}


def main():
    root, directory = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    profiles = sorted((directory / 'profiles').glob('*.profraw'))
    merge = [f'llvm-profdata-{LLVM}', 'merge', '-o', directory / 'all.profdata', *profiles]
    subprocess.run(merge, check=True)
    lines, branches = of_engine(line_counts(directory), root), of_engine(branch_counts(directory), root)
    if not branches:
        return 'llvm-cov found nothing: is this a build by coverage.sh?'
    print(f'{"file":36} {"lines":>9} {"branches":>9}')
    unreasoned = outcomes = 0
    with open(directory / 'uncovered.txt', 'w', encoding='utf-8') as listed:
        for name in sorted(branches, key=lambda n: taken(branches[n]) - len(branches[n])):
            source = (root / name).read_text(encoding='utf-8').splitlines()
            missed = sorted(key for key, count in branches[name].items() if count == 0)
            outcomes += len(missed)
            for line, column, _, outcome in missed:
                why = reason(name, source[line - 1])
                unreasoned += why == NO_REASON
                print(f'{name}:{line}:{column}: never {outcome}: {source[line - 1].strip()}', why,
                      sep='  # ', file=listed)
            if missed:
                ran, went = (f'{taken(of[name])}/{len(of[name])}' for of in (lines, branches))
                print(f'{name:36} {ran:>9} {went:>9}  {REASONS.get(name, "")}'.rstrip())
    for name, of in ('lines', lines), ('branches', branches):
        all_of = sum(map(len, of.values()))
        share = 100 * sum(map(taken, of.values())) / all_of
        print(f'{name} of engine/: {share:.1f} % of {all_of}')
    print(f'{outcomes} outcomes are not taken, {unreasoned} for want of a test: {directory}/uncovered.txt')
    return 0 if share >= LEAST else f'less than {LEAST} % of the branches'


sys.exit(main())
