"""Mutation: changes the engine in one place at a time, and runs the tests of its subject, without hashes.

usage: mutants.py ROOT DIRECTORY MESON_OPTION COUNT [SEED]
Draws COUNT places with a fixed seed (1), in a copy of the sources. A mutant is killed where a test fails or
does not end; survivors are listed. One that does not compile is drawn again. LEFT_OUT lists the files without
mutants, with the reason. The last line is `N passed, N failed`: killed and survived. The run succeeds where
at least GOAL percent were killed: of some changes the result is the same by any test, such as `<=` for `<`
between numbers that are never equal.
"""
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

OPERATORS = [(r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '),
             (r' != ', ' == '), (r' && ', ' || '), (r' \|\| ', ' && '), (r' \+ ', ' - '), (r' - ', ' + '),
             (r' \* ', ' / '), (r' / ', ' * '), (r'(?<=\()!(?=\w)', ''),
             (r' \+= ', ' -= '), (r' -= ', ' += '),
             (r'\b0\b(?=[;,)\]])', '1'), (r'\b1\b(?=[;,)\]])', '0'), (r' & ', ' | '), (r' << ', ' >> '),
             (r'(?<=\breturn )true', 'false'), (r'(?<=\breturn )false', 'true'),
             (r'(?m)^    +[a-z_]\w*\([^;{}]*\);$', ';'),  # a call alone
             (r'(?m)^    +if \([^;{}]*\) return [^;]*;$', ';')]  # an early return
GOAL = 90  # percent
LEFT_OUT = {
    r'/validate\.c$': 'invariants, which builds with assertions check',
    r'^engine/cluster/': 'a library of its own, whose tests need the ranks of MPI',
    r'/without_': 'builds without a feature, which are builds of their own',
    r'^engine/include/': 'declarations; the header of cglm has the test of consumers',
    r'/base/work\.h$': 'estimates of time, which change when work is divided but no result',
    r'/base/assert\.h$': 'assertions, which are off here',
    r'/base/requirements\.c$': 'compiled when the build is configured, never linked',
    r'/base/isa\.[ch]$': 'depends on the processor: one machine takes one branch of each',
    r'/base/compiler\.h$': 'attributes and names of the compiler',
}
PARTICLES = ['particles', 'deaths', 'life', 'emitters', 'emitter_births', 'emitter_spreads', 'emits',
             'events', 'event_lists', 'statistics', 'collision_hits', 'particle_collisions', 'collision_bits',
             'height_fields', 'height_field_bits', 'distance_grids', 'strand_grids', 'orientations',
             'orientation_bits', 'orientation_state', 'orientation_bounces', 'kernels', 'present',
             'present_more', 'order', 'memory', 'collision_lanes', 'collision_substeps', 'collision_sweeps',
             'collision_corners', 'collision_births', 'collision_plates', 'resting', 'long_runs',
             'determinism', 'injection', 'snapshots', 'snapshot_states', 'stress', 'misuse']
STRANDS = ['strand_layout', 'strand_calls', 'rod_calls', 'strand_state', 'strand_targets', 'strand_present',
           'strand_frames', 'followers', 'follower_frames', 'strand_springs', 'strand_solver',
           'strand_contact', 'strand_friction', 'strand_roots', 'strand_truth', 'taut_strands', 'rods',
           'rod_reference', 'rod_frames', 'rod_links', 'rod_energy', 'stiff_curls', 'strand_depth',
           'strand_grids', 'grooms', 'groom_energy', 'twisted_ribbons', 'rod_sections', 'stress', 'flat_rods',
           'flat_rod_energy', 'strand_kernels', 'strand_bits', 'determinism', 'snapshots', 'snapshot_states',
           'injection', 'misuse']
NETWORKS = ['network_layout', 'network_edit', 'network_memory', 'network_calls', 'network_state',
            'network_steps', 'network_statistics', 'network_contact', 'network_solver', 'network_aggregates',
            'network_preconditioner', 'network_policy', 'network_stability', 'network_limits',
            'network_extremes', 'network_equivalence', 'network_origin', 'mesh', 'network_bits',
            'network_random_graphs', 'network_determinism', 'network_conservation', 'network_orders',
            'stress', 'network_expelled', 'network_energy', 'network_truth', 'taut_networks',
            'cluster', 'cluster_calls', 'snapshots', 'snapshot_states', 'injection', 'misuse']
TESTS = {'particles': PARTICLES, 'strands': STRANDS, 'networks': NETWORKS,
         'formats': ['hair', 'hair_resample', 'fuzz_hair', 'transforms', 'traps', 'misuse'],
         'contacts': ['contacts', 'colliders', 'event_hits', 'strand_contact', 'strand_friction',
                      'network_contact', 'particle_collisions', 'collision_hits', 'collision_substeps',
                      'collision_sweeps', 'collision_corners', 'collision_births', 'collision_plates',
                      'collision_bits', 'resting', 'orientation_bounces', 'height_fields',
                      'height_field_bits', 'distance_grids', 'strand_grids', 'strand_depth', 'rod_energy',
                      'misuse'],
         'forces': ['forces', 'fields', 'statistics', 'kernels', 'seek', 'traps', 'misuse'],
         'integrators': ['integrators', 'exact_flow', 'chain', 'dead_zone', 'network_stability', 'seek',
                         'kernels', 'stress'],
         'links': ['links', 'link_calls', 'rod_links', 'snapshots', 'misuse'],
         'math': ['transforms', 'kernels', 'fields', 'exact_flow', 'chain', 'strand_bits', 'network_bits',
                  'emitters', 'emitter_spreads', 'orientation_bits', 'collision_bits', 'stiff_curls'],
         'base': ['ids', 'memory', 'jobs', 'input', 'checks', 'traps', 'snapshots', 'host_order',
                  'control_word', 'links', 'cluster', 'cluster_calls', 'snapshot_states'],
         'stage': ['forces', 'over_life', 'present', 'present_origin', 'strand_targets', 'network_state',
                   'statistics', 'network_statistics', 'kernels', 'strand_calls', 'values', 'determinism',
                   'cluster', 'snapshots', 'snapshot_states', 'network_origin', 'orientation_state', 'order',
                   'misuse'],
         'system': ['misuse', 'clock', 'input', 'checks', 'traps', 'hook', 'seek', 'lines', 'link_calls',
                    'strand_calls', 'network_calls', 'jobs', 'particles', 'statistics', 'snapshots',
                    'snapshot_states', 'snapshot_damage', 'rollbacks', 'orientation_state', 'cluster',
                    'cluster_calls', 'cluster_writes', 'strand_contact', 'strand_depth', 'injection',
                    'control_word']}
# What has no result by its nature: assertions, which are off here; prefetches, as calls and as functions of
# nothing else.
HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|^\s*#(?:[^\n\\]|\\\n|\\.)*'
                    r'|\b(?:MOTE_ASSERT|mote_system_edited)\([^;]*;'
                    r'|\b(?:\w*prefetch|fetch_ahead)\([^;{]*(?:;|\{.*?^\})', re.S | re.M)


def copy_sources(root, copy):
    names = subprocess.run(['git', '-C', root, 'ls-files'], capture_output=True, text=True, check=True)
    for name in names.stdout.split('\n'):
        source, target = root / name, copy / name
        if not name or not source.is_file():
            continue
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def places(text):
    """Spans that an operator changes, with the new text; what HIDDEN matches is blanked."""
    code = HIDDEN.sub(lambda m: re.sub(r'[^\n]', '~', m.group()), text)
    return [(m.start(), m.end(), new) for old, new in OPERATORS for m in re.finditer(old, code)]


def draw(files, dice):
    """A place: any operator's in any file, each place as likely."""
    number = dice.randrange(sum(len(found) for _, _, found in files))
    for path, text, found in files:
        if number < len(found):
            return path, text, found[number]
        number -= len(found)
    raise IndexError


def quiet(command, seconds):
    """0 where a command succeeds; each of its processes is stopped after so many seconds of work, and all of
    them after four times as many on the clock: on a machine that is busy a slow test is no dead one."""
    try:
        run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                             timeout=4 * seconds,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    except subprocess.TimeoutExpired:
        return -1
    return run.returncode


seconds = {}  # that a test took


def killer(directory, tests):
    """The first test that fails, or takes longer than any should; '': none; None: one does not compile. Quick
    ones run first, and what is behind the first that fails is not even linked."""
    for test in sorted(tests, key=lambda t: seconds.get(t, 0)):
        if quiet(['ninja', '-C', directory, f'tests/{test}'], 3600):
            return None
        start = time.monotonic()
        failed = quiet([directory / 'tests' / test], 300)
        seconds[test] = time.monotonic() - start
        if failed:
            return test
    return ''


def judge(copy, directory, drawn, trusted):
    """None: does not compile; else the test that killed it, or ''. trusted: tests that passed unchanged."""
    path, text, (start, end, new) = drawn
    tests = TESTS[path.relative_to(copy / 'engine').parts[0]]
    path.write_text(text[:start] + new + text[end:])
    try:
        by = killer(directory, tests)
    finally:
        path.write_text(text)
    if by and by not in trusted:
        if killer(directory, [by]) != '':
            raise SystemExit(f'{by} fails without a mutant')
        trusted.add(by)
    return by


def main():
    root, work, option, count = (pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3],
                                 int(sys.argv[4]))
    dice = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    copy, directory = work / 'source', work / 'build'
    copy_sources(root, copy)
    if not (directory / 'build.ninja').is_file():
        subprocess.run(['meson', 'setup', directory, copy, option, '-Dtests=enabled', '-Dbench=disabled',
                        '-Doptimization=1'], stdout=subprocess.DEVNULL, check=True)
    files = [(path, path.read_text(), places(path.read_text()))
             for path in sorted((copy / 'engine').rglob('*.[ch]'))
             if not re.search('|'.join(LEFT_OUT), str(path.relative_to(copy)))]
    survivors, killed, trusted = [], 0, set()
    while killed + len(survivors) < count:
        drawn = draw(files, dice)
        path, text, (start, end, new) = drawn
        by = judge(copy, directory, drawn, trusted)
        if by is None:
            continue
        line = text.count('\n', 0, start) + 1
        name = f'{path.relative_to(copy)}:{line}: {text[start:end].strip()!r} -> {new.strip()!r}'
        print(f'killed    {name} by {by}' if by else f'SURVIVED  {name}', flush=True)
        killed += bool(by)
        if not by:
            survivors.append(name)
    print('survivors:', *survivors or ['none'], sep='\n  ')
    print(f'{killed} passed, {len(survivors)} failed')
    return 1 if 100 * killed < GOAL * count else 0


sys.exit(main())
