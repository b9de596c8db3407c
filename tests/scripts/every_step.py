"""Compares the hash of every step with the committed file, and finds the object that differs first.

usage: every_step.py GOLDEN STEPS PROGRAM [--isa NAME] [--threads N] [--reference PROGRAM]
                                          (exit 77: the program cannot run the instruction set asked for)
       every_step.py --write GOLDEN PROGRAM
STEPS of each scene are compared. With --reference, a build that is right, both programs run up to the first
step that differs; the first chunk and the first item whose hashes differ are printed.
"""
import os
import pathlib
import shlex
import subprocess
import sys

SKIP, STEPS, BYTES = 77, 10000, 8


def output(command):
    wrapper = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))
    return subprocess.run(wrapper + command, stdout=subprocess.PIPE, check=False)


def lines(command):
    return output(command).stdout.decode('ascii').splitlines()


def first_difference(left, right):
    return next((i for i, pair in enumerate(zip(left, right)) if pair[0] != pair[1]), None)


def locate(command, reference, scene, step):
    """The chunk and the item that differ after a step."""
    arguments = ['--chunks', scene, str(step)]
    chunks = lines(command + arguments)
    chunk = first_difference(chunks, lines([reference] + arguments))
    if chunk is None:
        return 'no chunk differs: the reference is not of this golden file, or not of this source'
    arguments = ['--items', scene, str(step), str(chunk)]
    items = lines(command + arguments)
    item = first_difference(items, lines([reference] + arguments))
    name = 'unknown' if item is None else items[item].split(':')[0]
    return f"{chunks[chunk].split(':')[0]}: index {name}"


def compare(golden, steps, command, reference):
    run = output(command + [str(steps)])
    if run.returncode != 0:
        return SKIP if run.returncode == SKIP else f'{command[0]} ended with {run.returncode}'
    scenes, expected = lines(command + ['--names']), pathlib.Path(golden).read_bytes()
    if len(expected) != len(scenes) * STEPS * BYTES or len(run.stdout) != len(scenes) * steps * BYTES:
        return f'{golden} or the output has another size than {len(scenes)} scenes need'
    report = []
    for i, scene in enumerate(scenes):
        want = expected[i * STEPS * BYTES:][:steps * BYTES]
        got = run.stdout[i * steps * BYTES:][:steps * BYTES]
        if got != want:
            step = first_difference(got, want) // BYTES + 1
            found = ': ' + locate(command, reference, scene, step) if reference else ''
            report.append(f'{scene} differs from step {step} on{found}')
    if not report:
        print(f'{len(scenes)} scenes of {steps} steps are as committed')
    return '\n'.join(report) or 0


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 3:
        return __doc__
    if arguments[0] == '--write':
        pathlib.Path(arguments[1]).write_bytes(output([arguments[2], str(STEPS)]).stdout)
        return 0
    reference = None
    if '--reference' in arguments:
        at = arguments.index('--reference')
        reference = arguments[at + 1]
        del arguments[at:at + 2]
    return compare(arguments[0], int(arguments[1]), arguments[2:], reference)


sys.exit(main())
