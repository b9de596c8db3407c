"""Compares the hash of every step with the committed file, and finds the object that differs first.

usage: every_step.py GOLDEN STEPS PROGRAM [--isa NAME] [--threads N] [--reference PROGRAM]
                                          (exit 77: the program cannot run the instruction set asked for)
       every_step.py --write GOLDEN PROGRAM
       every_step.py --self-test GOLDEN PROGRAM
STEPS of each scene are compared. With --reference, a native build that is right, both programs run up to the
first step that differs; the first chunk and the first item whose hashes differ are printed. PROGRAM runs
under MESON_EXE_WRAPPER if that is set, the reference without it.
"""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

SKIP, STEPS, BYTES = 77, 10000, 8


def output(command):
    wrapper = shlex.split(os.environ.get('MESON_EXE_WRAPPER', ''))
    return subprocess.run(wrapper + command, stdout=subprocess.PIPE, check=False)


def lines(command):
    return output(command).stdout.decode('ascii').splitlines()


def native_lines(command):
    run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if run.returncode != 0:
        raise SystemExit(f'the reference, {command[0]}, ended with {run.returncode}')
    return run.stdout.decode('ascii').splitlines()


def first_difference(left, right):
    return next((i for i, pair in enumerate(zip(left, right)) if pair[0] != pair[1]), None)


def locate(command, reference, scene, step):
    """The chunk and the item that differ after a step."""
    arguments = ['--chunks', scene, str(step)]
    chunks = lines(command + arguments)
    chunk = first_difference(chunks, native_lines([reference] + arguments))
    if chunk is None:
        return 'no chunk differs: the reference is not of this golden file, or not of this source'
    arguments = ['--items', scene, str(step), str(chunk)]
    items = lines(command + arguments)
    item = first_difference(items, native_lines([reference] + arguments))
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


# Runs a program and changes what it prints: of the second scene from step 7 on, chunk 1, item 2.
WRONG_MACHINE = """
import subprocess, sys
made = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True).stdout
option = sys.argv[2]
if option in ('--chunks', '--items'):
    lines = made.splitlines(keepends=True)
    at = 1 if option == '--chunks' else 2
    lines[at] = lines[at].rstrip() + b'0\\n'
    made = b''.join(lines)
elif option != '--names':
    at = (int(option) + 6) * 8
    made = made[:at] + bytes([made[at] ^ 1]) + made[at + 1:]
sys.stdout.buffer.write(made)
"""


def self_test(golden, program):
    """A machine that is wrong, as a wrapper: the place is found; without a reference that runs, an error."""
    scene = native_lines([program, '--names'])[1]
    chunk = native_lines([program, '--chunks', scene, '7'])[1].split(':')[0]
    item = native_lines([program, '--items', scene, '7', '1'])[2].split(':')[0]
    expected = f'{scene} differs from step 7 on: {chunk}: index {item}'
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / 'wrong.py'
        path.write_text(WRONG_MACHINE, encoding='ascii')
        os.environ['MESON_EXE_WRAPPER'] = f'{shlex.quote(sys.executable)} {shlex.quote(str(path))}'
        found = compare(golden, 20, [program], program)
        if found != expected:
            return f'expected: {expected}\nfound: {found}'
        try:
            return f'no error: {compare(golden, 20, [program], "false")}'
        except SystemExit as error:
            print(found, error, sep='\n')
            return 0


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 3:
        return __doc__
    if arguments[0] == '--write':
        pathlib.Path(arguments[1]).write_bytes(output([arguments[2], str(STEPS)]).stdout)
        return 0
    if arguments[0] == '--self-test':
        return self_test(*arguments[1:])
    reference = None
    if '--reference' in arguments:
        at = arguments.index('--reference')
        reference = arguments[at + 1]
        del arguments[at:at + 2]
    return compare(arguments[0], int(arguments[1]), arguments[2:], reference)


sys.exit(main())
