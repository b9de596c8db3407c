"""Draws every scene of the viewer off screen and checks the pictures: the call ends well, two runs give one
hash, the picture is not empty and changes while the scene runs; hair stays within a kept silhouette, curls
where they are made. After a change of the camera or the groom,
`tests/scripts/viewer.py build/bench/viewer/mote-viewer tests/viewer_hair.txt --keep` keeps a new one. With
--window instead: a window under Xvfb has the hash of the state off screen, and its keys, pointer and wheel do
what README says (viewer_window.py).

usage: viewer.py VIEWER KEPT [--keep]
       viewer.py VIEWER --window
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from viewer_pictures import CELL, HEIGHT, WIDTH, read_png, regions
from viewer_window import Screen, check_input

SKIPPED = 77


def draw(viewer, scene, frames, out, *options, before=(), off_screen=('--headless', '--workers', '1')):
    """Runs a scene and returns its hash; its picture is the file `out`."""
    command = [*before, viewer, scene, *off_screen, '--plain', '--frames', str(frames), '--size',
               f'{WIDTH}x{HEIGHT}', '--out', out, *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 2 and ('EGL' in run.stderr or 'OpenGL' in run.stderr):
        print(run.stderr)
        sys.exit(SKIPPED)
    if run.returncode or run.stderr:
        raise SystemExit(f'{scene}: ended with {run.returncode}: {run.stderr}')
    return run.stdout.split()[-1]


def check_scene(viewer, scene, folder):
    files = [folder / f'{scene}{i}.png' for i in range(3)]
    options = ('--set', 'hairs=2048') if scene == 'hair' else () # check_hair_stays draws all of them
    early, late, again = (draw(viewer, scene, frames, out, *options)
                          for frames, out in zip((20, 70, 20), files))
    first, second = (regions(read_png(path)) for path in files[:2])
    if early != again or files[0].read_bytes() != files[2].read_bytes():
        yield f'{scene}: two runs differ'
    if early == late:
        yield f'{scene}: the state does not change'
    if max(second) - min(second) < 20:
        yield f'{scene}: the picture is empty'
    if max(abs(a - b) for a, b in zip(first, second)) < 4:
        yield f'{scene}: the picture does not change'


def check_window(viewer, folder):
    """A window on a display, with its own number of workers: the same hash and a picture; then its input."""
    if not shutil.which('Xvfb'):
        print('the window is not tested: Xvfb is missing')
        sys.exit(SKIPPED)
    out = folder / 'window.png'
    with Screen(viewer, folder) as screen:
        display = 'DISPLAY=' + screen.environment['DISPLAY']
        there = draw(viewer, 'bridge', 20, out, before=('env', display), off_screen=())
        if there != draw(viewer, 'bridge', 20, folder / 'none.png'):
            yield 'window: the hash is not that of the picture off screen'
        means = regions(read_png(out))
        if max(means) - min(means) < 20:
            yield 'window: the picture is empty'
        yield from check_input(screen)


# --- Hair: where it is, not how bright. A pixel belongs to it where the picture differs from the same one
# without strands, so light, colours and the background may change.

def strands_in(rows, bare):
    """Returns of each region how many pixels strands, or their shadows, change."""
    counts = []
    for top in range(0, HEIGHT, CELL):
        for left in range(0, WIDTH, CELL):
            counts.append(sum(max(abs(rows[y][i] - bare[y][i]) for i in range(4 * x, 4 * x + 3)) > 8
                              for y in range(top, top + CELL) for x in range(left, left + CELL)))
    return counts


def check_hair(counts, kept):
    """No strand may stand away from the kept silhouette: # is hair, . is none."""
    columns = WIDTH // CELL
    inside = [cell == '#' for line in kept.split() for cell in line]
    near = {i + dx + dy * columns for i, hair in enumerate(inside) if hair for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)}
    if len(near) > len(inside) // 2:
        yield 'hair: the kept silhouette covers more than half of the picture'
    for i, count in enumerate(counts):
        if i not in near and count >= 3:
            yield f'hair: region {i % columns}, {i // columns}: {count} pixels outside the silhouette'
    away = sum(hair != (count >= CELL * CELL // 4) for hair, count in zip(inside, counts))
    if away > len(counts) // 25:
        yield f'hair: {away} of {len(counts)} regions differ from the kept silhouette'


def check_strays(rows, bare, kept):
    """The check must find one thin dark strand that sticks out, whichever way it goes."""
    for way_x, way_y in ((1, -0.6), (-1, -0.6), (1, 0.1), (-1, 0.1)):
        painted = [bytearray(row) for row in rows]
        for step in range(WIDTH):
            x, y = round(WIDTH / 2 + way_x * step), round(HEIGHT / 2 + way_y * step)
            if 0 <= x < WIDTH and 0 <= y < HEIGHT:
                painted[y][4 * x:4 * x + 3] = bytes((60, 36, 20))
        if not list(check_hair(strands_in(painted, bare), kept)):
            yield f'hair: a strand towards {way_x}, {way_y} is not found'


def silhouette(viewer, folder):
    """Returns the rows of the picture with and without strands."""
    draw(viewer, 'hair', 120, folder / 'hair.png')
    draw(viewer, 'hair', 120, folder / 'bare.png', '--bare')
    return read_png(folder / 'hair.png'), read_png(folder / 'bare.png')


def ends_of_curls(viewer, folder, frames):
    """Returns the lowest row of each curl of the scene of rods: they hang side by side over the floor."""
    first, wide, lowest = 184, 20, 115
    draw(viewer, 'rods', frames, folder / 'rods.png')
    draw(viewer, 'rods', frames, folder / 'bare.png', '--bare')
    rows, bare = read_png(folder / 'rods.png'), read_png(folder / 'bare.png')
    return [max((y for y in range(lowest) for i in range(4 * left, 4 * (left + wide))
                 if abs(rows[y][i] - bare[y][i]) > 8), default=0)
            for left in range(first, first + 5 * wide, wide)]


def check_curls(viewer, folder):
    """Curls hang as they are made: after 10 s their ends are where they were."""
    first, last = (ends_of_curls(viewer, folder, frames) for frames in (1, 600))
    if min(first) < HEIGHT // 4 or max(abs(a - b) for a, b in zip(first, last)) > 2:
        yield f'rods: the ends of the curls have gone from rows {first} to {last}'


def check_bad_input(viewer):
    """Code 2, and a message that names what is wrong."""
    drawn = ['rope', '--headless', '--frames', '1', '--size', '32x32', '--out']
    for arguments, word in ((['no-such-scene'], 'no-such-scene'),
                            (['--hair', '/nonexistent'], '/nonexistent'),
                            (['--hair', '/'], 'directory'), (['--frames'], '--frames'),
                            (['rope', 'hair'], "'hair'"), (['--frames', '1e3'], "--frames '1e3'"),
                            (['--frames', '-1'], "--frames '-1'"), (['--workers', '0'], '1 to 64'),
                            (['--workers', '65'], '1 to 64'), (['--workers', ''], '1 to 64'),
                            (['--size', '640'], '--size'), (['--size', '0x480'], '--size'),
                            (['--size', '640x480x'], '--size'),
                            ([*drawn, 'x.png', '--hair', '/nonexistent'], 'scene rope shows no hair'),
                            ([*drawn, '/nonexistent/x.png'], '/nonexistent/x.png'),
                            ([*drawn, '/dev/full'], '/dev/full')):
        run = subprocess.run([viewer, *arguments], capture_output=True, text=True, check=False)
        if run.returncode != 2 or word not in run.stderr.splitlines()[0]:
            yield f'{arguments}: ended with {run.returncode} and {run.stderr!r}'
    with open('/dev/full', 'w', encoding='ascii') as full: # the hash is lost
        run = subprocess.run([viewer, *drawn[:-1]], stdout=full, stderr=subprocess.PIPE, check=False)
    if run.returncode != 2 or b'stdout' not in run.stderr:
        yield f'into /dev/full: ended with {run.returncode} and {run.stderr!r}'


def check_settings(viewer):
    """A wrong setting: which part of it is wrong, and the parameters with their ranges. A right one acts."""
    named = {'weight': 'not NAME=VALUE', '=1': 'not NAME=VALUE', 'weight=21': 'out of range',
             'weight=nan': 'out of range', 'wei=1': 'none of the scene', 'weight=1x': 'no number'}
    for setting, words in named.items():
        run = subprocess.run([viewer, 'rope', '--headless', '--set', setting], capture_output=True, text=True,
                             check=False)
        parts = (f'scene rope: --set {setting} ', words, 'weight: 0.05 to 20 (weight, kg)',
                 'friction: 0 to 1')
        if run.returncode != 2 or any(part not in run.stderr for part in parts):
            yield f'--set {setting}: ended with {run.returncode} and {run.stderr!r}'
    hashes = [subprocess.run([viewer, 'lab', '--headless', '--frames', '20', '--size', '32x32', *settings],
                             capture_output=True, text=True, check=False).stdout
              for settings in ([], ['--set', 'problem=orbit'], ['--set', 'problem=1'])]
    if hashes[0] == hashes[1] or hashes[1] != hashes[2] or not hashes[1]:
        yield f'--set of a choice: {hashes}'


def check_measure(viewer, folder):
    """The measuring call says how many particles a setting has made, and the stretch."""
    for scene, setting, words in (
            ('fountain', 'rate=400000', ' 33333 particles, 1 workers, steps of a frame '),
            ('hair', 'hairs=256', ', stretch at most 0.')):
        command = [viewer, scene, '--headless', '--workers', '1', '--measure', '--undrawn', '--frames', '5',
                   '--size', f'{WIDTH}x{HEIGHT}', '--set', setting, '--out', folder / 'measure.png']
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode or words not in run.stdout:
            yield f'{scene}, measured: ended with {run.returncode}: {run.stdout}{run.stderr}'


def check_hair_stays(viewer, file, folder, keep):
    rows, bare = silhouette(viewer, folder)
    counts = strands_in(rows, bare)
    if keep:
        cells = ''.join('.#'[count >= CELL * CELL // 4] for count in counts)
        lines = [cells[i:i + WIDTH // CELL] + '\n' for i in range(0, len(cells), WIDTH // CELL)]
        file.write_text(''.join(lines), encoding='utf-8')
    kept = file.read_text(encoding='utf-8')
    yield from check_hair(counts, kept)
    yield from check_strays(rows, bare, kept)


def check_off_screen(viewer, file, folder, keep):
    usage = subprocess.run([viewer, '--help'], capture_output=True, text=True, check=True)
    yield from check_bad_input(viewer)
    yield from check_settings(viewer)
    yield from check_hair_stays(viewer, file, folder, keep)
    yield from check_curls(viewer, folder)
    yield from check_measure(viewer, folder)
    for scene in usage.stdout.split('scenes:')[1].split():
        yield from check_scene(viewer, scene, folder)


def main():
    viewer, what = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        faults = list(check_window(viewer, folder) if what == '--window' else
                      check_off_screen(viewer, pathlib.Path(what), folder, '--keep' in sys.argv))
    print('\n'.join(faults))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
