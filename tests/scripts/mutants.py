"""Mutation: changes the engine in one place at a time, and runs the tests of its subject, without hashes.

usage: mutants.py ROOT DIRECTORY MESON_OPTION COUNT [SEED]
Draws COUNT places with a fixed seed (1) and judges them in copies of the sources, one for each processor; a
place stays drawn, or not drawn, while other lines of the engine change. A mutant is killed where a test fails
or does not end; survivors are listed. One that does not compile is drawn again, and so is one with the same
machine code, byte by byte, as the unchanged engine, or by proof the same results (SAME_RESULTS): no test can
tell the two apart. LEFT_OUT lists the files without mutants, with the reason. The last line is `N passed, N
failed`: killed and survived. The run succeeds where at least GOAL percent were killed: of some changes the
result is the same by any test, such as `<=` for `<` between numbers that are never equal.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
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
SURVIVED, UNBUILT, EQUAL, SAME = 'SURVIVED', 'does not compile', 'the same machine code', 'the same results'
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
# Mutants without another result on what a machine can hold: a part of the line, what is changed, and why.
SAME_RESULTS = {
    'engine/math/wide.h': {
        ('wide zero = a * 0.0f;', '*'): 'registers taken for not finite are stepped again, to the same bits'},
    'engine/networks/network.c': {
        ('if (packets + capacity > MOTE_NO_ITEM / MOTE_GROUP)', 'if'): 'no machine holds 2^28 packets'},
    'engine/particles/turn.h': {
        ('!turn_is_driven(&local) && i + stride <= end', '<='): 'the next loop has the same bits'},
    'engine/strands/energy_limit.h': {
        ('for (uint32_t k = 0; k < c->points; k++) {', '<'): 'moving_mass is 0 behind the last point'},
    'engine/strands/frames.c': {
        ('const uint32_t before = w->first > 0;', '0'): 'no window begins at point 1'},
    'engine/strands/push.h': {
        ('for (uint32_t k = 0; k + 1 < c->points; k++) {', '<'): 'no segment begins at the last point'},
}
PARTICLES = ['particles', 'deaths', 'life', 'emitters', 'emitter_births', 'emitter_spreads', 'emits',
             'events', 'event_lists', 'event_hits', 'statistics', 'collision_hits', 'particle_collisions',
             'collision_bits', 'height_fields', 'height_field_bits', 'distance_grids', 'strand_grids',
             'orientations', 'orientation_bits', 'orientation_state', 'orientation_bounces', 'kernels',
             'present', 'present_kicks', 'present_more', 'order', 'memory', 'collision_lanes',
             'collision_substeps', 'collision_sweeps', 'collision_corners', 'collision_seams',
             'collision_births',
             'collision_plates', 'collision_materials', 'collision_wedges', 'collision_springs',
             'collision_drag', 'collision_attractors', 'strong_drag', 'far_columns', 'singular_places',
             'bad_numbers', 'edges', 'cluster_alone', 'resting', 'long_runs', 'determinism', 'injection',
             'control_word', 'control_word_more', 'snapshots', 'snapshot_states',
             'stress', 'cluster', 'seek', 'preview', 'misuse']
STRANDS = ['strand_layout', 'strand_calls', 'rod_calls', 'strand_state', 'strand_targets', 'strand_present',
           'strand_frames', 'followers', 'follower_frames', 'strand_springs', 'strand_solver',
           'strand_contact', 'strand_friction', 'strand_pushed', 'strand_roots', 'strand_truth',
           'taut_strands', 'swings', 'strand_forces', 'strand_edges', 'strand_boxes', 'strand_creases',
           'strand_seams', 'strand_lanes', 'deepest_strand', 'pulled_strands', 'free_rods', 'energy_limits',
           'energy_scenes', 'stress_strands', 'masked_points', 'bad_numbers', 'arrivals',
           'rods', 'rod_reference', 'rod_frames', 'rod_links', 'rod_energy', 'stiff_curls',
           'strand_depth', 'far_colliders', 'strand_grids', 'grooms', 'groom_energy', 'twisted_ribbons',
           'rod_sections', 'stress', 'flat_rods', 'flat_rod_energy', 'strand_kernels', 'strand_bits',
           'determinism', 'links', 'snapshots', 'snapshot_states', 'injection', 'misuse']
NETWORKS = ['network_layout', 'network_edit', 'network_memory', 'network_calls', 'network_state',
            'network_steps', 'network_statistics', 'network_contact', 'network_solver', 'network_aggregates',
            'network_preconditioner', 'network_policy', 'network_stability', 'network_limits',
            'network_extremes', 'network_equivalence', 'network_origin', 'network_axes', 'mesh',
            'network_bits', 'network_random_graphs', 'network_determinism', 'network_conservation',
            'network_orders', 'stress', 'network_expelled', 'network_energy', 'network_truth',
            'far_colliders', 'taut_networks', 'links', 'cluster', 'cluster_calls', 'snapshots',
            'snapshot_states', 'network_snapshots', 'network_redundant', 'network_weights', 'energy_limits',
            'energy_scenes', 'refused_memory', 'bad_numbers', 'arrivals', 'injection', 'misuse']
TESTS = {'particles': PARTICLES, 'strands': STRANDS, 'networks': NETWORKS,
         'formats': ['hair', 'hair_resample', 'fuzz_hair', 'transforms', 'traps', 'misuse'],
         'contacts': ['contacts', 'colliders', 'event_hits', 'strand_contact', 'strand_friction',
                      'network_contact', 'particle_collisions', 'collision_hits', 'collision_substeps',
                      'collision_sweeps', 'collision_corners', 'collision_seams', 'collision_births',
                      'collision_plates', 'collision_bits', 'resting', 'orientation_bounces', 'height_fields',
                      'height_field_bits', 'distance_grids', 'strand_grids', 'strand_depth', 'strand_pushed',
                      'strand_boxes', 'strand_edges', 'strand_creases', 'strand_seams', 'deepest_strand',
                      'collision_materials', 'collision_wedges', 'bad_numbers',
                      'far_colliders', 'rod_energy', 'misuse', 'network_expelled', 'snapshots',
                      'snapshot_states', 'snapshot_damage', 'cluster_calls', 'injection', 'lines', 'traps'],
         'forces': ['forces', 'fields', 'strong_drag', 'singular_places', 'edges', 'strand_forces',
                    'collision_drag', 'collision_attractors', 'statistics', 'kernels', 'preview', 'traps',
                    'misuse', 'particles',
                    'emitters', 'snapshots', 'snapshot_states', 'injection'],
         'integrators': ['integrators', 'exact_flow', 'chain', 'dead_zone', 'network_stability', 'seek',
                         'kernels', 'stress', 'network_policy', 'network_limits', 'network_orders',
                         'strand_springs', 'particles'],
         'links': ['links', 'link_calls', 'rod_links', 'held_links', 'snapshots', 'misuse', 'snapshot_states',
                   'strand_forces', 'bad_numbers',
                   'injection', 'cluster', 'strand_calls', 'network_calls'],
         'math': ['transforms', 'kernels', 'fields', 'exact_flow', 'chain', 'strand_bits',
                  'network_bits', 'emitters', 'emitter_spreads', 'orientation_bits', 'collision_bits',
                  'stiff_curls', 'orientations', 'rod_reference', 'rods', 'strand_roots',
                  'network_origin', 'misuse'],
         'base': ['ids', 'memory', 'jobs', 'input', 'checks', 'traps', 'snapshots', 'host_order',
                  'control_word', 'control_word_more', 'arrivals', 'edges', 'refused_memory', 'links',
                  'cluster', 'cluster_calls', 'snapshot_states', 'injection',
                  'snapshot_damage', 'cluster_writes', 'network_memory', 'misuse'],
         'stage': ['forces', 'over_life', 'present', 'present_kicks', 'present_origin',
                   'strand_targets', 'network_state',
                   'statistics', 'network_statistics', 'kernels', 'strand_calls', 'values',
                   'determinism', 'cluster', 'snapshots', 'snapshot_states', 'network_origin',
                   'orientation_state', 'order', 'misuse', 'present_more', 'strand_present',
                   'strand_roots', 'fields', 'seek', 'integrators', 'injection', 'rollbacks',
                   'network_steps', 'strand_springs', 'arrivals', 'edges', 'links'],
         'system': ['misuse', 'ids', 'host_order', 'clock', 'input', 'checks', 'traps', 'hook', 'seek',
                    'preview', 'lines', 'link_calls', 'strand_calls', 'network_calls', 'jobs', 'particles',
                    'statistics', 'snapshots', 'snapshot_states', 'snapshot_damage', 'rollbacks',
                    'orientation_state', 'cluster', 'cluster_calls', 'cluster_writes', 'strand_contact',
                    'strand_depth', 'injection', 'control_word', 'control_word_more',
                    'arrivals', 'edges', 'refused_memory', 'bad_numbers', 'masked_points', 'deepest_strand',
                    'cluster_alone', 'network_snapshots', 'emitters', 'emitter_births', 'emits',
                    'events', 'event_lists', 'event_hits', 'life', 'deaths', 'order', 'orientations',
                    'present', 'present_kicks', 'present_origin', 'present_more', 'rod_calls',
                    'followers', 'strand_state', 'network_state', 'network_edit', 'network_origin',
                    'links', 'memory', 'colliders',
                    'forces']}
# Tests of one subject that are in no list, with the reason.
UNLISTED = {
    'refused_threads': 'the jobs of a host, in a program of their own',
    'strand_gsl': 'not built where the GNU scientific library is missing',
}
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


def quiet(command, seconds=3600):
    """0 where a command succeeds; each of its processes is stopped after so many seconds of work, and all of
    them after four times as many on the clock: on a machine that is busy a slow test is no dead one."""
    try:
        run = subprocess.run(['bash', '-c', f'ulimit -t {seconds} && exec "$@"', 'bash', *command],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env={**os.environ, 'OMP_WAIT_POLICY': 'passive'}, check=False,
                             timeout=4 * seconds)
    except subprocess.TimeoutExpired:
        return -1
    return run.returncode


def has_same_results(path, text, change):
    start, end, _ = change
    before, after = text.rfind('\n', 0, start) + 1, text.find('\n', end)
    line, old = text[before:after], text[start:end].split()[0]
    return any(part in line and old == what for part, what in SAME_RESULTS.get(str(path), ()))


def words(name):
    """What a file and a test have in common: `collide_spin` and `collisions` begin with the same letters."""
    return {word[:5].rstrip('s') for word in name.split('_')}


class Tests:
    """What all workers know of the tests."""

    def __init__(self, directory):
        listed = json.loads(subprocess.run(['meson', 'introspect', '--tests', directory], capture_output=True,
                                           check=True).stdout)
        self.arguments = {test['name']: test['cmd'][1:] for test in listed}
        listed_here = {name for names in TESTS.values() for name in names} | set(UNLISTED)
        forgotten = [test['name'] for test in listed if 'mote:unit' in test['suite']
                     and test['cmd'] == [str(directory / 'tests' / test['name'])]
                     and test['name'] not in listed_here]
        if forgotten:
            raise SystemExit(f'no list of TESTS has {" ".join(forgotten)}')
        self.slow = {test['name'] for test in listed if {'mote:long', 'mote:longest'} & set(test['suite'])}
        self.seconds = {}  # that a test took where it passed
        self.kills = collections.Counter()  # of a test in a file, and in a directory

    def sorted(self, path):
        """Tests of a file, those first that take least time for a kill: quick ones, those of the same name,
        and those that have killed a mutant there."""
        def time_to_kill(test):
            chance = (1 + 5 * len(words(path.stem) & words(test)) + 10 * self.kills[path.name, test] +
                      2 * self.kills[path.parent.name, test])
            return self.seconds.get(test, 20 if test in self.slow else 2) / chance
        return sorted(TESTS[path.parent.name], key=time_to_kill)


class Worker:
    """A copy of the sources and a build directory, where one mutant at a time is judged."""

    def __init__(self, root, work, option, number):
        self.number, self.killers = number, set()
        self.copy, self.directory = work / f'worker-{number}/source', work / f'worker-{number}/build'
        copy_sources(root, self.copy)
        if not (self.directory / 'build.ninja').is_file():
            # At -O1 the tests take twice as long, which is more than the compiler saves.
            subprocess.run(['meson', 'setup', self.directory, self.copy, option, '-Dtests=enabled',
                            '-Dbench=disabled', '-Doptimization=2', '-Ddefault_library=static'],
                           stdout=subprocess.DEVNULL, check=True)
        if not self.builds('engine/libmote.a'):
            raise SystemExit('the engine does not compile without a mutant')
        self.unchanged = self.machine_code()

    def builds(self, target):
        return quiet(['ninja', '-j1', '-C', self.directory, target]) == 0

    def machine_code(self):
        return (self.directory / 'engine/libmote.a').read_bytes()

    def fails(self, tests, name):
        """Whether a test fails, or takes ten times as long as it did."""
        if not self.builds(f'tests/{name}'):
            return True
        start = time.monotonic()
        limit = 30 + round(10 * tests.seconds[name]) if name in tests.seconds else 300
        if quiet([self.directory / 'tests' / name, *tests.arguments[name]], limit):
            return True
        tests.seconds[name] = time.monotonic() - start
        return False

    def judge(self, tests, path, text, change):
        """Whether a mutant counts, and what became of it."""
        if has_same_results(path, text, change):
            return False, SAME
        start, end, new = change
        file = self.copy / path
        file.write_text(text[:start] + new + text[end:])
        try:
            if not self.builds('engine/libmote.a'):
                return False, UNBUILT
            if self.machine_code() == self.unchanged:
                return False, EQUAL
            by = next((test for test in tests.sorted(path) if self.fails(tests, test)), None)
        finally:
            file.write_text(text)
        if not by:
            return True, SURVIVED
        tests.kills.update([(path.name, by), (path.parent.name, by)])
        self.killers.add(by)
        return True, f'killed by {by}'

    def work(self, run, tests):
        """Judges what waits. At last the tests that killed a mutant must pass without one: not after each
        mutant, because the next one is compiled in the time that this takes."""
        try:
            while drawn := run.next(self):
                run.end(drawn, self.judge(tests, *run.places[drawn]))
            for test in sorted(self.killers):
                if self.fails(tests, test):
                    raise SystemExit(f'{test} fails without a mutant')
        except BaseException:
            run.waiting.clear()  # the others end too
            raise


def shuffled(places, seed):
    """Numbers of the places by a hash of the line and the change, and of how many equal ones come before."""
    count, hashes = collections.Counter(), []
    for path, text, (start, end, new) in places:
        before, after = text.rfind('\n', 0, start) + 1, text.find('\n', end)
        change = f'{seed} {path} {text[before:start].strip()} {new} {text[end:after].strip()}'
        count[change] += 1
        hashes.append(hashlib.sha256(f'{change} {count[change]}'.encode()).digest())
    return sorted(range(len(places)), key=hashes.__getitem__)


class Run:
    """The draws. As many as are wanted, and one more for each that does not count: so they are the same ones
    in whatever order they are judged. Those of a file follow each other, because the compiler then has less
    to do; every second worker begins at the end."""

    def __init__(self, places, count, seed):
        self.places, self.left = places, shuffled(places, seed)
        self.lock = threading.Lock()
        self.order = []  # numbers of places, as they were drawn
        self.verdicts = {}  # by the number of a place: whether it counts, the verdict, the name
        self.waiting = collections.deque()
        for _ in range(count):
            self.draw()
        self.waiting = collections.deque(sorted(self.waiting))

    def draw(self):
        if self.left:
            self.order.append(self.left.pop())
            self.waiting.append(self.order[-1])

    def next(self, worker):
        with self.lock:
            if not self.waiting:
                return None
            return self.waiting.pop() if worker.number % 2 else self.waiting.popleft()

    def end(self, drawn, verdict):
        path, text, (start, end, new) = self.places[drawn]
        line = text.count('\n', 0, start) + 1
        name = f'{path}:{line}: {text[start:end].strip()!r} -> {new.strip()!r}'
        with self.lock:
            self.verdicts[drawn] = *verdict, name
            if not verdict[0]:
                self.draw()
            print(f'{len(self.verdicts)}/{len(self.order)} {name} {verdict[1]}', flush=True)


def main():
    root, work, option, count = (pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3],
                                 int(sys.argv[4]))
    processors = range(len(os.sched_getaffinity(0)))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        workers = list(pool.map(lambda number: Worker(root, work, option, number), processors))
        copy = workers[0].copy
        files = [path.relative_to(copy) for path in sorted((copy / 'engine').rglob('*.[ch]'))]
        texts = {path: (copy / path).read_text() for path in files
                 if not re.search('|'.join(LEFT_OUT), str(path))}
        run = Run([(path, text, change) for path, text in texts.items() for change in places(text)], count,
                  sys.argv[5] if len(sys.argv) > 5 else '1')
        tests = Tests(workers[0].directory)
        try:
            list(pool.map(lambda worker: worker.work(run, tests), workers))
        finally:
            run.waiting.clear()
    verdicts = [run.verdicts[drawn] for drawn in run.order]
    survivors = [name for _, verdict, name in verdicts if verdict == SURVIVED]
    judged = sum(counts for counts, _, _ in verdicts)
    print('survivors:', *survivors or ['none'], sep='\n  ')
    for reason in UNBUILT, EQUAL, SAME:
        print(f'drawn again, {reason}: {sum(verdict == reason for _, verdict, _ in verdicts)}')
    print(f'{judged - len(survivors)} passed, {len(survivors)} failed')
    return 1 if 100 * len(survivors) > (100 - GOAL) * judged else 0


sys.exit(main())
