"""Runs mote-bench with arguments that people try, right and wrong.

usage: bench.py PROGRAM
A wrong argument ends with code 2 and a message, before anything is measured, and leaves files as they were; a
run that is broken off does too. Files of a run can be read and compared.
"""
import csv
import datetime
import io
import itertools
import json
import math
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
ROPE = 'run --section throughput --scene rope --frames 2 --repeat 2 --threads 1'.split()
failures = []


def bench(*arguments, code=0, space=None):
    """space: bytes that the program may address; one thread, since each takes some of them."""
    limit = space and (lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space)))
    run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=120,
                         preexec_fn=limit, env={**os.environ, **({'OMP_NUM_THREADS': '1'} if space else {})})
    if run.returncode != code:
        failures.append(f'{arguments}: code {run.returncode}, not {code}: {run.stderr.strip()[:200]}')
    return run


def check(good, what):
    if not good:
        failures.append(what)


def refuse(word, *arguments, space=None):
    """Code 2, nothing on stdout, and a message with the word."""
    run = bench(*arguments, code=2, space=space)
    check(word in run.stderr, f'{arguments}: the message does not name {word}: {run.stderr.strip()[:200]}')
    check(not run.stdout, f'{arguments}: printed {run.stdout[:80]}')


def into_full(*arguments):
    """A table that cannot be written is no success."""
    if pathlib.Path('/dev/full').exists():
        with open('/dev/full', 'w', encoding='ascii') as full:
            run = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, check=False)
        check(run.returncode == 2 and b'stdout' in run.stderr, f'{arguments} into /dev/full')


def wrong_arguments(folder):
    refuse('usage')
    refuse('sing', 'sing')
    for command in ('run', 'verify', 'list', 'limits', 'threads', 'diff', 'curves', 'soak', 'throughput'):
        refuse('--no-such', command, '--no-such')
        refuse('two files' if command == 'diff' else 'surplus', command, 'surplus')
        check('usage: ' in bench(command, '--help').stdout, f'{command} --help')
        into_full(command, '--help')
    into_full('--help')
    into_full('--version')
    for option, values in {'--scene': ('nowhere', '', 'rope,'), '--section': ('nowhere',),
                           '--integrator': ('nothing',), '--isa': ('sparc',),
                           '--threads': ('0', '1,,2', 'two'),
                           '--substeps': ('0', '1,5000'), '--repeat': ('0', '-1'), '--frames': ('',),
                           '--particles': ('0', '1e6', '99999999M')}.items():
        for value in values:
            refuse(option, 'run', option, value)
    refuse('hairfile', 'run', '--scene', 'hairfile')
    refuse('nothing.hair', 'run', '--scene', 'hairfile:nothing.hair')
    refuse('directory', 'run', '--scene', 'hairfile:/')
    refuse('--file', 'run', '--scene', 'rope', '--file', 'nothing.hair')
    refuse('swarm', 'run', '--scene', 'swarm', '--particles', '10')
    refuse('scenes', 'run', '--scene', 'ballistic', '--integrator', 'advect-rk4')
    kept = folder / 'nothing.json'
    kept.write_text('as it was', encoding='ascii')
    refuse('nothing to measure', 'run', '--section', 'size', '--scene', 'hair', '--json', str(kept))
    check(kept.read_text(encoding='ascii') == 'as it was', 'a run without rows replaced a file')
    refuse('--peer', 'run', '--peer', 'nobody')
    for option, value in {'--isa': 'all', '--threads': '2', '--substeps': '4', '--particles': '2k',
                          '--peer': 'plain'}.items():
        refuse(option, 'run', '--section', 'size,isa', '--scene', 'galaxy', option, value)
    refuse('--experiment', 'verify', '--experiment', 'orbit', '--group', 'rods')
    for line in bench('list').stdout.splitlines():
        if line.startswith('peer ') and 'not in this build' in line:
            refuse('not in this build', 'run', '--peer', line.split()[1].rstrip(':'))
    refuse('--group', 'verify', '--group', 'nothing')
    refuse('--experiment', 'verify', '--experiment', 'nothing')
    refuse('nothing.json', 'diff', 'nothing.json', 'nothing.json')
    (folder / 'text').write_text('no file of a run', encoding='ascii')
    refuse('no file of', 'diff', str(folder / 'text'), str(folder / 'text'))


def too_large(folder):
    """Sizes that memory does not hold, by what a scene takes for a particle, and allocations that fail."""
    memory = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    space = 750000000
    limited = subprocess.run([PROGRAM, '--version'], capture_output=True, check=False, preexec_fn=lambda: (
        resource.setrlimit(resource.RLIMIT_AS, (space, space)))).returncode == 0 # sanitizers address more
    for section, scene, bytes_each in (('throughput', 'galaxy', 60), ('throughput', 'hair', 150),
                                       ('throughput', 'churn', 160), ('threads', 'galaxy', 100)):
        particles = memory // bytes_each // 1000000 + 1
        if particles < 2000:
            refuse('GiB', 'run', '--section', section, '--scene', scene, '--particles', f'{particles}M',
                   space=space if limited else None)
    rows = folder / 'refused.json'
    for scene, particles in (('hair', '6M'), ('net', '800k'), ('galaxy', '12M')) if limited else ():
        run = bench('run', '--scene', scene, '--particles', particles, '--threads', '1', '--json', str(rows),
                    code=2, space=space)
        check('memory' in run.stderr, f'{scene}: the message names no memory: {run.stderr.strip()[:200]}')
    check(not list(folder.glob('refused.json*')), 'a file was left where memory was refused')


def unwritable(folder):
    nowhere = str(folder / 'nowhere' / 'file')
    for option in ('--json', '--csv'):
        refuse(option, *ROPE, option, nowhere)
        refuse(option, 'verify', '--group', 'contact', option, nowhere)
    refuse('-', *ROPE, '--json', '-', '--csv', '-')
    refuse('without a name', *ROPE, '--json', '')
    both = str(folder / 'both')
    refuse('another output', *ROPE, '--json', both, '--csv', both)
    refuse('another output', *ROPE, '--json', both, '--csv', str(folder / '..' / folder.name / 'both'))
    nothing = folder / 'dangling'
    nothing.symlink_to(folder / 'nothing')
    refuse('link', *ROPE, '--json', str(nothing))
    check(nothing.is_symlink(), 'a link to no file was replaced')
    if pathlib.Path('/dev/full').exists():
        run = bench(*ROPE, '--json', '/dev/full', code=2)
        check('/dev/full' in run.stderr, 'a full device is not named')
    check(not list(folder.glob('*.new')), 'a file was left half-written')


def files(folder):
    rows, table = folder / 'rows.json', folder / 'rows.csv'
    link = folder / 'link.json'
    rows.write_text('an old one', encoding='ascii')
    link.symlink_to(rows)
    bench(*ROPE, '--json', str(link), '--csv', str(table))
    check(link.is_symlink() and rows.is_file(), 'a link was replaced')
    row = json.loads(rows.read_text(encoding='ascii'))['results'][0]
    check(row['name'] == 'rope' and len(row['hash']) == 16 and row['quantities'][0]['value'] > 0, f'{row}')
    lines = list(csv.DictReader(io.StringIO(table.read_text(encoding='ascii'))))
    check(lines[0]['quantity'] == 'rate' and float(lines[0]['median']) > 0, f'{lines[0]}')
    check(all(None not in line and None not in line.values() for line in lines), 'a row of other length')
    check(all(line.get('hash') == row['hash'] for line in lines), 'the CSV has another hash')
    run = bench(*ROPE, '--json', '-')
    check(json.loads(run.stdout)['results'][0]['hash'] == row['hash'], 'two runs have different hashes')
    check('throughput' in run.stderr, 'the table did not go to stderr')
    lists = 'run --scene rope,rope --threads 1,2 --frames 2 --repeat 1 --isa all --substeps 1,2 --csv -'
    run = bench(*lists.split())
    names = [line['name'] for line in csv.DictReader(io.StringIO(run.stdout)) if line['quantity'] == 'rate']
    isas = [line for line in bench('list').stdout.splitlines() if line.startswith('isa ')]
    check(names == ['rope'] * 4 * len(isas), f'{names}')
    report = json.loads(bench(*'run --scene rope --threads 1,all,2 --frames 1 --repeat 1 --substeps 1 '
                              '--json -'.split()).stdout)
    threads = {row['threads'] for row in report['results']}
    check(threads == {2, *range(1, report['threads'] + 1)} or report['threads'] > 15, f'threads {threads}')
    small = '--particles 1k --threads 1 --frames 1 --repeat 1 --csv -'.split()
    run = bench('run', '--scene', 'ballistic,rope,net,crowd,fountain', *small)
    lines = {(line['name'], line['quantity']): line for line in csv.DictReader(io.StringIO(run.stdout))}
    rate = lines['ballistic', 'rate']
    check(rate.get('figure') == rate.get('met') == '', f'{rate}')
    shares = {name for name, key in lines if key.startswith('share of')}
    check(shares == {'ballistic'}, f'shares of {shares}, of which the arithmetic is not counted')
    units = {'crowd_frame_seconds': 's', 'fountain_frame_seconds': 's', 'kinetic_energy': 'J',
             'energy_lost': 'J', 'node_frames_per_second': '1/s', 'spring_substeps_per_second': '1/s',
             'crowd_cost_ratio': '', 'max_strain': '1'}
    found = {key: line['unit'] for (_, key), line in lines.items() if key in units}
    check(found == units, f'units {found}')
    sections = 'threads,isa,integrators,calls'
    small = '--particles 1k --frames 9 --repeat 1'
    bench(*f'run --full --section {sections} --scene ballistic {small}'.split())
    check('mote-bench' in bench('--version').stdout, '--version')
    claims = json.loads(bench('verify', '--experiment', 'ticks', '--json', '-').stdout)['results']
    check(all(claim['passed'] and claim['source'] for claim in claims) and len(claims) > 10, 'claims')


def figures():
    """Figures to reach: of which rows, and their count at the end."""
    run = bench(*'run --scene ballistic,galaxy --particles 2k --threads 1 --substeps 1,8 --frames 9 '
                '--repeat 1 --json -'.split())
    report = json.loads(run.stdout)
    rows = report['results']
    plain = {(row['name'], row['substeps']): quantity for row in rows for quantity in row['quantities']
             if quantity['name'] == 'over a plain loop'}
    check(len(plain) == 4, f'{plain.keys()}')
    for (name, substeps), quantity in plain.items():
        check(quantity.get('target_at_least') == (1 if substeps == 1 else None), f'{name} x {substeps}')
        check(quantity.get('met') == (quantity['value'] >= 1 if substeps == 1 else None), f'{name}: met')
    asked = [(quantity['met'], 'disturbed' in row) for row in rows for quantity in row['quantities']
             if 'met' in quantity]
    met, missed = ([disturbed for good, disturbed in asked if good == which] for which in (True, False))
    line = (f'{len(met)} of {len(asked)} figures met ({sum(met)} in disturbed rows), {len(missed)} missed '
            f'({sum(missed)} in disturbed rows); 0 hashes differ; 0 rows do not compute the same')
    check(line in run.stderr, f'the last line is not {line}: {run.stderr.splitlines()[-1]}')
    goals = {}
    for scenes, substeps in ('heap,rain', 1), ('curls', 8):
        run = bench(*f'run --scene {scenes} --threads 1 --substeps {substeps} --frames 1 --repeat 1 '
                    '--csv -'.split())
        goals |= {line['name']: line['figure'] for line in csv.DictReader(io.StringIO(run.stdout))
                  if line['figure']}
    check(goals == {'heap': '>= 100000000', 'rain': '>= 300000000', 'curls': '>= 18000000'}, f'{goals}')
    if report['threads'] == 2:
        run = bench(*'run --section threads --scene ballistic --particles 100k --frames 9 --repeat 1 '
                    '--csv -'.split())
        two = list(csv.DictReader(io.StringIO(run.stdout)))
        check(len(two) == 1 and 1 <= float(two[0]['figure'].removeprefix('>= ')) <= 1.85, f'{two}')


def groups():
    """Groups of claims add up, and `all` is one of their names."""
    run = bench(*'verify --group particles --group strands --json -'.split())
    names = {claim['group'] for claim in json.loads(run.stdout)['results']}
    check(names == {'particles', 'strands'}, f'groups {names}')
    for asked in (('--group', 'clock', '--group', 'all'), ('--group', 'clock,all')):
        with subprocess.Popen([PROGRAM, 'verify', '--all', *asked], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL) as run:
            first = list(itertools.islice(run.stdout, 3))[-1]
            run.kill()
        check(first.startswith('constant-force:'), f'{asked} does not begin with the first group: {first}')


def scripts(folder):
    """Words that scripts refuse before they build, and ports that cannot be served. Stand-ins for tools end a
    script that does begin to build at once."""
    tools = folder / 'tools'
    tools.mkdir()
    for name in ('apt-get', 'cmake', 'emcc', 'meson'):
        (tools / name).write_text('#!/bin/sh\necho 9.9 # a version\nexit 3\n', encoding='ascii')
        (tools / name).chmod(0o755)
    path = f'{tools}{os.pathsep}{os.environ["PATH"]}'
    with socket.create_server(('127.0.0.1', 0)) as taken:
        port = str(taken.getsockname()[1])
        serve = ('bench/viewer/web/serve.py', str(folder))
        for word, *command in (("'foo' is no port", 'bench/run', 'web', 'foo'),
                               (f'port {port}', 'bench/run', 'web', port),
                               ('usage', 'bench/run', 'web', port, 'surplus'),
                               ("'65536' is no port", sys.executable, *serve, '65536'),
                               (f'port {port}', sys.executable, *serve, port),
                               ('usage', 'tests/run', '--coverage', 'surplus')):
            run = subprocess.run(command, cwd=ROOT, env={**os.environ, 'PATH': path}, capture_output=True,
                                 text=True, check=False, timeout=60)
            check(run.returncode == 2 and word in run.stderr and len(run.stderr.splitlines()) == 1,
                  f'{command}: code {run.returncode}, {run.stderr.strip()[-200:]}')


def soak():
    check('2 %' in bench('soak', '--help').stdout, 'soak does not say how far memory may grow')


def curves(folder):
    bench('curves', '--directory', str(folder), 'springs', 'cost')
    springs = list(csv.DictReader(io.StringIO((folder / 'springs.csv').read_text(encoding='ascii'))))
    last = {row['integrator']: float(row['value']) for row in springs
            if row['time_s'] == '12' and row['quantity'] == 'x' and row['damping_kg_per_s'] == '0.5'}
    check(abs(last['exact-flow'] - last['exact']) < 1e-5 < abs(last['rk4'] - last['exact']), f'{last}')
    cost = list(csv.DictReader(io.StringIO((folder / 'cost.csv').read_text(encoding='ascii'))))
    error = {(row['integrator'], int(row['steps'])): float(row['error_m']) for row in cost}
    order = [math.log2(error[name, steps] / error[name, 2 * steps])
             for name, steps in (('semi-implicit-euler', 1024), ('velocity-verlet', 512), ('pefrl', 32))]
    check(all(abs(order[i] - want) < 0.5 for i, want in enumerate((1, 2, 4))), f'orders {order}')
    refuse('nowhere', 'curves', '--directory', str(folder / 'nowhere'))
    refuse('surplus', 'curves', '--directory', str(folder), 'surplus')


def differences(folder):
    rows = folder / 'rows.json'
    report = json.loads(rows.read_text(encoding='ascii'))
    report['results'][0].pop('disturbed', None)

    def write(name, scale, digest=None):
        other = json.loads(json.dumps(report))
        for key in ('value', 'min', 'max'):
            other['results'][0]['quantities'][0][key] = scale * report['results'][0]['quantities'][0]['value']
        if digest:
            other['results'][0]['hash'] = digest
        path = folder / name
        path.write_text(json.dumps(other), encoding='ascii')
        return str(path)

    same, slow, fast = write('same', 1), write('slow', 0.8), write('fast', 1.25)
    bits = write('bits', 1, '0' * 16)
    equal = bench('diff', same, same).stdout
    check('0 slower, 0 faster; 1 hashes compared, 0 differ, 0 not comparable' in equal, f'equal: {equal}')
    check('1 slower' in bench('diff', same, slow, code=1).stdout, 'a slower file')
    check('1 faster' in bench('diff', same, fast).stdout, 'a faster file')
    check('1 hashes compared, 1 differ' in bench('diff', same, bits, code=1).stdout, 'a hash that differs')
    frames = json.loads(json.dumps(report))
    frames['results'][0]['frames'] += 1
    (folder / 'frames').write_text(json.dumps(frames), encoding='ascii')
    other = bench('diff', same, str(folder / 'frames')).stdout
    check('0 hashes compared, 0 differ, 1 not comparable' in other, f'other frames: {other}')
    lost = json.loads(json.dumps(report))
    lost['results'][0]['quantities'][0]['value'] = None
    lost['results'][0].pop('hash')
    (folder / 'lost').write_text(json.dumps(lost), encoding='ascii')
    check('2 lost' in bench('diff', same, str(folder / 'lost'), code=1).stdout, 'what is lost')
    twice = json.loads(json.dumps(report))
    twice['results'].append(twice['results'][0])
    (folder / 'twice').write_text(json.dumps(twice), encoding='ascii')
    refuse('two rows', 'diff', same, str(folder / 'twice'))
    other = json.loads(json.dumps(report))
    other['results'][0]['name'] = 'other'
    (folder / 'other').write_text(json.dumps(other), encoding='ascii')
    check('in common' in bench('diff', same, str(folder / 'other'), code=2).stderr, 'no row in common')
    (folder / 'more').write_text(json.dumps(report) + '{}', encoding='ascii')
    refuse('no file of', 'diff', same, str(folder / 'more'))
    report['results'][0]['disturbed'] = 'much'
    rough = bench('diff', same, write('rough', 0.8)).stdout
    check('1 of disturbed rows; 0 slower' in rough, 'a disturbed row')


def busy():
    """Rows beside twice as many busy processes as there are processors are marked. The run takes seconds: its
    date is that of its start."""
    spinners = [subprocess.Popen([sys.executable, '-c', 'while True: pass'])
                for _ in range(2 * len(os.sched_getaffinity(0)))]
    begun = time.time()
    try:
        run = bench(*'run --scene hair --particles 150k --threads 1 --frames 2 --repeat 2 --json -'.split())
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
    took = time.time() - begun
    report = json.loads(run.stdout)
    row = report['results'][0]
    date = datetime.datetime.strptime(report['date'] + '+0000', '%Y-%m-%d %H:%M:%S UTC%z').timestamp()
    check(date - begun < took / 2 or took < 2, f'the date is {date - begun} s after the start of {took} s')
    check('disturbed' in row, 'a busy machine was not noticed')
    check('1 disturbed' in run.stderr, 'the disturbed row is not counted')


def begin(rows, *arguments, preexec_fn=None):
    """A run that writes to a file, once its new file is there."""
    run = subprocess.Popen([PROGRAM, *arguments, '--json', str(rows)], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, preexec_fn=preexec_fn)
    for _ in range(200):
        if run.poll() is not None or list(rows.parent.glob(f'{rows.name}.*.new')):
            return run
        time.sleep(0.05)
    check(False, f'{rows.name}: nothing is written beside')
    return run


LONG = ('run', '--scene', 'hair', '--repeat', '1000')


def broken_off(folder):
    """Signals while a row is measured; a reader of the table that goes away."""
    kept = folder / 'kept.json'
    kept.write_text('as it was', encoding='ascii')
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXCPU):
        with begin(kept, *LONG) as run:
            run.send_signal(number)
            check(run.wait(60) == -number, f'{number.name} did not end the run')
        check(kept.read_text(encoding='ascii') == 'as it was', f'{number.name}: the old file is gone')
        check(not list(folder.glob('kept.json.*')), f'{number.name}: a file was left half-written')
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([PROGRAM, *ROPE, '--json', str(kept)], stdout=writer, check=False, timeout=60)
    os.close(writer)
    check(run.returncode == -signal.SIGPIPE, 'a closed pipe did not end the run')
    check(not list(folder.glob('kept.json.*')), 'a closed pipe: a file was left half-written')


def two_to_one_file(folder):
    """A refused run, and two at once, beside a file that someone else calls FILE.new."""
    rows, other = folder / 'one.json', folder / 'one.json.new'
    other.write_text('of someone else', encoding='ascii')
    refuse('--csv', *ROPE, '--json', str(rows), '--csv', str(folder / 'nowhere' / 'file'))
    check(other.exists() and not rows.exists(), 'a refused run removes a file, or leaves one')
    with begin(rows, *LONG) as run:
        bench(*ROPE, '--json', str(rows))
        check(run.poll() is None, 'the first run ended before the second')
        run.send_signal(signal.SIGINT)
        run.wait(60)
    check(json.loads(rows.read_text(encoding='ascii'))['results'], 'the rows of the second run are gone')
    check(other.exists() and other.read_text(encoding='ascii') == 'of someone else',
          'a file of someone else was overwritten')
    mask = os.umask(0)
    os.umask(mask)
    check(rows.stat().st_mode & 0o777 == 0o666 & ~mask, f'permissions {rows.stat().st_mode:o}')
    other.unlink(missing_ok=True)


def hung_up(folder):
    """nohup holds: a signal that is ignored stays so."""
    rows = folder / 'hung_up.json'
    with begin(rows, *ROPE[:-2], '--threads', '1', '--repeat', '50',
               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as run:
        run.send_signal(signal.SIGHUP)
        check(run.wait(60) == 0 and rows.exists(), 'nohup did not hold')


def busy_alone():
    """The processes that keep the machine busy end with their parent."""
    with subprocess.Popen([PROGRAM, 'threads', '--repeat', '1'], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as run:
        children = []
        for _ in range(600):
            children = pathlib.Path(f'/proc/{run.pid}/task/{run.pid}/children')
            if not children.exists() or run.poll() is not None:
                break
            children = children.read_text(encoding='ascii').split()
            if len(children) > 1:
                break
            time.sleep(0.05)
        run.kill()
        run.wait()
        if isinstance(children, list):
            check(len(children) > 1, 'no process keeps the machine busy')
            for _ in range(100):
                if not any(pathlib.Path(f'/proc/{child}/comm').exists() for child in children):
                    return
                time.sleep(0.05)
            check(False, 'processes that keep the machine busy stay')


def main():
    for number in signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGXCPU:
        signal.signal(number, signal.SIG_DFL)  # whoever runs tests in the background may ignore some
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong_arguments(folder)
        too_large(folder)
        unwritable(folder)
        files(folder)
        figures()
        groups()
        scripts(folder)
        soak()
        curves(folder)
        differences(folder)
        hung_up(folder)
        busy_alone()
        busy()
        broken_off(folder)
        two_to_one_file(folder)
    return '\n'.join(failures) if failures else 0


sys.exit(main())
