"""A window of the viewer under Xvfb, driven by xdotool: keys, pointer, wheel, panel and size. Each session
ends by Escape, which gives the hash of the state and a picture. The time of the host has no part in them: the
scene is paused and restarted, then stepped by key."""
import os
import shutil
import subprocess

from viewer_pictures import HEIGHT, WIDTH, differing, read_png, regions, size_of

PAUSED_AT_START = ('key', 'space', 'key', 'r')
STEP = ('key', 'period')
MENU, WHEEL_UP, WHEEL_DOWN = (50, 25), '4', '5'
LEFT, MIDDLE, RIGHT = '1', '2', '3'
RELEASED = ('keyup', 'shift', 'mouseup', LEFT, 'mouseup', MIDDLE, 'mouseup', RIGHT)


class Screen:
    """A screen of its own, and sessions of the viewer on it."""

    def __init__(self, viewer, folder):
        self.viewer, self.folder = viewer, folder
        self.wait = 0.2 # s, until the viewer has surely drawn a frame
        # -noreset: else it restarts after each session, and a client that comes then may wait for ever.
        self.server = subprocess.Popen(['Xvfb', '-displayfd', '1', '-noreset', '-screen', '0', '1280x800x24'],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.environment = {**os.environ, 'DISPLAY': ':' + self.server.stdout.readline().strip()}

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        self.server.terminate()
        self.server.wait()

    def pause(self):
        return 'sleep', str(self.wait)

    def at(self, x, y):
        return 'mousemove', '--window', '%1', str(x), str(y), *self.pause()

    def click(self, x, y):
        return *self.at(x, y), 'click', LEFT, *self.pause()

    def drag(self, button, start, end, during=()):
        """Presses a button, moves in two parts, releases: each is seen in a frame of its own."""
        middle = (start[0] + end[0]) // 2, (start[1] + end[1]) // 2
        return (*self.at(*start), 'mousedown', button, *self.pause(), *self.at(*middle), *self.at(*end),
                *during, 'mouseup', button, *self.pause())

    def run(self, scene, *events, options=('--plain',), size=(WIDTH, HEIGHT)):
        """Returns the hash of the state and the file of the picture after events, and what is wrong."""
        out = self.folder / 'input.png'
        command = [self.viewer, scene, '--workers', '1', '--frames', '1000000', '--out', out, '--size',
                   '{}x{}'.format(*size), *options]
        search = ['search', '--sync', '--onlyvisible', '--name', '^mote$']
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=self.environment)
        try:
            subprocess.run(['xdotool', *search, *RELEASED, *self.at(size[0] // 2, size[1] // 2), *events,
                            *self.pause(), 'key', 'Escape'], env=self.environment, check=True, timeout=60)
            printed, faults = run.communicate(timeout=60)
        finally:
            run.kill()
        if run.returncode or faults:
            raise SystemExit(f'{scene}, in a window: ended with {run.returncode}: {faults}')
        return printed.split()[-1], out

    def picture_after(self, scene, frames):
        """Returns the file of the picture off screen after frames of 1/60 s."""
        out = self.folder / 'off_screen.png'
        command = [self.viewer, scene, '--headless', '--workers', '1', '--plain', '--frames', str(frames),
                   '--size', f'{WIDTH}x{HEIGHT}', '--out', out]
        subprocess.run(command, capture_output=True, check=True)
        return out


def check_keys(screen):
    five, out = screen.run('fountain', *PAUSED_AT_START, *5 * STEP)
    pictures = [read_png(screen.picture_after('fountain', frames)) for frames in (4, 5)]
    before, same = (differing(read_png(out), picture) for picture in pictures)
    if same > before // 10:
        yield f'five single steps are not five steps: {same} pixels differ, of the fourth {before}'
    start = screen.run('fountain', *PAUSED_AT_START)[0]
    if screen.run('fountain', *PAUSED_AT_START, 'sleep', '0.5')[0] != start:
        yield 'a paused scene goes on'
    if screen.run('fountain', *PAUSED_AT_START, *3 * STEP, 'key', 'r')[0] != start:
        yield 'R does not restart'
    if screen.run('fountain', *PAUSED_AT_START, 'key', 'space', 'sleep', '0.5')[0] == start:
        yield 'the second press of the space bar does not go on'
    if screen.run('fountain', *PAUSED_AT_START, *2 * ('key', 'bracketright'), *5 * STEP)[0] == five:
        yield 'other substeps change nothing'
    if screen.run('hair', *PAUSED_AT_START, 'key', 'n', *5 * STEP)[0] != five:
        yield 'N does not choose the next scene'


def check_camera(screen):
    """Turns, moves and zooms: the picture changes, comes back with the way back, and the state stays."""
    here, there = (100, 80), (200, 110)
    step = (*PAUSED_AT_START, *5 * STEP)
    ways = {'turn': (screen.drag(RIGHT, here, there), screen.drag(RIGHT, there, here)),
            'move': (screen.drag(MIDDLE, here, there), screen.drag(MIDDLE, there, here)),
            'move by shift': (('keydown', 'shift', *screen.drag(LEFT, here, there), 'keyup', 'shift'),
                              ('keydown', 'shift', *screen.drag(RIGHT, there, here), 'keyup', 'shift')),
            'zoom': (3 * ('click', WHEEL_UP), 3 * ('click', WHEEL_DOWN))}
    state, out = screen.run('fountain', *step)
    first = read_png(out)
    for name, (way, back) in ways.items():
        there_state, out = screen.run('fountain', *step, *way)
        if differing(first, read_png(out)) < WIDTH * HEIGHT // 50:
            yield f'the camera does not {name}'
        back_state, out = screen.run('fountain', *step, *way, *screen.pause(), *back)
        if differing(first, read_png(out)) > WIDTH * HEIGHT // 500:
            yield f'the way back does not undo: {name}'
        if not state == there_state == back_state:
            yield f'the state changes where the camera does: {name}'


def check_pointer(screen):
    """The left button drags the weight of the rope, and in the void nothing, nor the camera."""
    step, weight = (*PAUSED_AT_START, *5 * STEP), (292, 19)
    state, out = screen.run('rope', *step, *5 * STEP)
    first = read_png(out)
    if screen.run('rope', *step, *screen.drag(LEFT, weight, (220, 70), 5 * STEP))[0] == state:
        yield 'the weight of the rope cannot be dragged'
    void, out = screen.run('rope', *step, *screen.drag(LEFT, (40, 40), (80, 90), 5 * STEP))
    if void != state or differing(first, read_png(out)) > 0:
        yield 'a drag in the void changes state or picture'


def check_panel(screen):
    """In a small window the panel scrolls, so that its last row can be pressed; with drawing off too."""
    size, step_button = (640, 240), (120, 218)
    open_low = (*PAUSED_AT_START, *screen.click(*MENU), *screen.at(100, 150), *20 * ('click', WHEEL_DOWN))
    wanted, _ = screen.run('fountain', *PAUSED_AT_START, *STEP)
    for name, drawing in (('', ()), (' with drawing off', ('key', 'd'))):
        state, _ = screen.run('fountain', *drawing, *open_low, *screen.click(*step_button), options=(),
                              size=size)
        if state != wanted:
            yield 'the last row of the panel cannot be pressed in a low window' + name


def check_size(screen):
    _, out = screen.run('bridge', *PAUSED_AT_START, 'windowsize', '%1', '410', '270', *screen.pause())
    means = regions(read_png(out))
    if size_of(out) != (410, 270) or max(means) - min(means) < 20:
        yield f'after a change of the size: a picture of {size_of(out)}, brightness up to {max(means)}'


def check_input(screen):
    if not shutil.which('xdotool'):
        print('keys, pointer and wheel of the window are not tested: xdotool is missing')
        return
    for check in (check_keys, check_camera, check_pointer, check_panel, check_size):
        for screen.wait in (0.1, 0.5, 2): # a busy machine draws late: again, with longer waits
            try:
                faults = list(check(screen))
            except subprocess.TimeoutExpired as late:
                faults = [f'{check.__name__}: no end after {late.timeout:.0f} s']
            if not faults:
                break
        yield from (f'window: {fault}' for fault in faults)
