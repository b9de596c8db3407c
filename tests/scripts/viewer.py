"""Draws every scene of the viewer off screen and checks the pictures: the call ends well, two runs give one
hash, the picture is not empty and changes while the scene runs; hair stays where it was in a kept picture.

usage: viewer.py VIEWER KEPT [--keep]
"""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

WIDTH, HEIGHT = 320, 200
CELL = 10 # pixels of a side of a region
SKIPPED = 77


def unfilter(kind, line, above):
    for i in range(len(line)):
        left, up, corner = (line[i - 4] if i >= 4 else 0), above[i], (above[i - 4] if i >= 4 else 0)
        if kind == 1:
            line[i] = line[i] + left & 255
        elif kind == 2:
            line[i] = line[i] + up & 255
        elif kind == 3:
            line[i] = line[i] + (left + up >> 1) & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up),
                          (abs(guess - corner), 2, corner))
            line[i] = line[i] + nearest[2] & 255
    return line


def read_png(path):
    """Returns the rows of a PNG file of four bytes a pixel."""
    data, at, packed = path.read_bytes(), 8, b''
    while at < len(data):
        length, = struct.unpack('>I', data[at:at + 4])
        if data[at + 4:at + 8] == b'IDAT':
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, stride, rows = zlib.decompress(packed), 4 * WIDTH, []
    above = bytearray(stride)
    for y in range(HEIGHT):
        first = y * (stride + 1)
        above = unfilter(raw[first], bytearray(raw[first + 1:first + 1 + stride]), above)
        rows.append(above)
    return rows


def regions(rows):
    """Returns the mean brightness of each region, 0 .. 255."""
    means = []
    for top in range(0, HEIGHT, CELL):
        for left in range(0, WIDTH, CELL):
            total = sum(sum(row[4 * x:4 * x + 3])
                        for row in rows[top:top + CELL] for x in range(left, left + CELL))
            means.append(total / (3 * CELL * CELL))
    return means


def draw(viewer, scene, frames, folder):
    """Runs a scene and returns its hash and the regions of its picture."""
    out = folder / f'{scene}.png'
    run = subprocess.run([viewer, scene, '--headless', '--plain', '--frames', str(frames), '--size',
                          f'{WIDTH}x{HEIGHT}', '--out', out], capture_output=True, text=True, check=False)
    if run.returncode == 2 and ('EGL' in run.stderr or 'OpenGL' in run.stderr):
        print(run.stderr)
        sys.exit(SKIPPED)
    if run.returncode or run.stderr:
        raise SystemExit(f'{scene}: ended with {run.returncode}: {run.stderr}')
    return run.stdout.split()[-1], regions(read_png(out))


def check_scene(viewer, scene, folder):
    early, first = draw(viewer, scene, 20, folder)
    late, second = draw(viewer, scene, 70, folder)
    again, third = draw(viewer, scene, 70, folder)
    if late != again or second != third:
        yield f'{scene}: two runs differ'
    if early == late:
        yield f'{scene}: the state does not change'
    if max(second) - min(second) < 20:
        yield f'{scene}: the picture is empty'
    if max(abs(a - b) for a, b in zip(first, second)) < 4:
        yield f'{scene}: the picture does not change'


def check_hair(now, kept):
    """No strand may stand away from the kept silhouette: the picture is the background there."""
    columns = WIDTH // CELL
    bright = {i for i, value in enumerate(kept) if value > 24}
    near = {i + dx + dy * columns for i in bright for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    for i, value in enumerate(now):
        if i not in near and value > 24:
            place = f'{i % columns}, {i // columns}'
            yield f'hair: region {place} has {value:.0f}: a strand outside the silhouette'
    away = sum(abs(a - b) > 25 for a, b in zip(now, kept))
    if away > len(kept) // 25:
        yield f'hair: {away} of {len(kept)} regions differ from the kept picture'


def check_bad_input(viewer):
    for arguments in (['no-such-scene'], ['--hair', '/nonexistent'], ['--frames'], ['rope', 'hair'],
                      ['--frames', '1e3'], ['--frames', '-1'], ['--workers', '65'], ['--workers', ''],
                      ['--size', '640'], ['--size', '0x480'], ['--size', '640x480x'],
                      ['rope', '--headless', '--frames', '1', '--out', '/nonexistent/x.png']):
        run = subprocess.run([viewer, *arguments], capture_output=True, text=True, check=False)
        if run.returncode != 2 or not run.stderr:
            yield f'{arguments}: ended with {run.returncode} and {run.stderr!r}'


def main():
    viewer, kept = sys.argv[1], pathlib.Path(sys.argv[2])
    usage = subprocess.run([viewer, '--help'], capture_output=True, text=True, check=True)
    scenes = usage.stdout.split('scenes:')[1].split()
    faults = list(check_bad_input(viewer))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hair = draw(viewer, 'hair', 120, folder)[1]
        if '--keep' in sys.argv:
            lines = [hair[i:i + WIDTH // CELL] for i in range(0, len(hair), WIDTH // CELL)]
            text = ''.join(' '.join(f'{value:.0f}' for value in line) + '\n' for line in lines)
            kept.write_text(text, encoding='utf-8')
        faults += check_hair(hair, [float(value) for value in kept.read_text(encoding='utf-8').split()])
        for scene in scenes:
            faults += check_scene(viewer, scene, folder)
    print('\n'.join(faults) or f'{len(scenes)} scenes')
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
