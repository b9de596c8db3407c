"""Checks what the built library exports, imports and consists of.

usage: symbols.py NM OBJDUMP SHARED STATIC | symbols.py --self-test NM OBJDUMP COMPILER...
Exports are mote_* only; nothing that ends the process, prints, reads clocks or the environment, makes
threads, or computes transcendentals in libm is imported; no instruction fuses a multiply-add or estimates a
reciprocal.
"""
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ENDS = 'abort exit _exit _Exit quick_exit atexit raise longjmp __longjmp_chk __assert_fail __assert_rtn'
PRINTS = 'puts putc putchar fputs fputc fwrite fflush perror psignal write writev stdout stderr _IO_putc'
ASKS = ('time clock clock_gettime gettimeofday timespec_get nanosleep usleep sleep getenv secure_getenv '
        'setlocale localeconv rand srand rand_r random srandom drand48 getrandom fopen fopen64 open '
        'open64 system')
THREADS = 'pthread_create thrd_create fork signal sigaction'
LIBM = ('sin cos tan sincos asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 '
        'log log2 log10 log1p pow cbrt hypot fma erf erfc tgamma lgamma')
IMPORTS = re.compile('|'.join(
    [*map(re.escape, f'{ENDS} {PRINTS} {ASKS} {THREADS}'.split()), r'(__)?v?[fsdaw]?[sn]*w?printf(_chk)?',
     r'(__)?(' + '|'.join(LIBM.split()) + r')[fl]?(_finite)?']))
INSTRUCTIONS = re.compile(
    r'vfn?m(add|sub)\w+|v?rcp(14|28)?[ps][sdh]|v?rsqrt(14|28)?[ps][sdh]|'              # x86-64
    r'f(sin|cos|sincos|ptan|patan|2xm1|yl2x|yl2xp1)|'                                  # x87
    r'fn?m(add|sub)|fml[as]l?2?|fcmla|(f|u)recp[esx]|(f|u)rsqrt[es]|'                  # AArch64
    r'vfn?m[as](\.\w+)?|vrecp[es](\.\w+)?|vrsqrt[es](\.\w+)?|'                        # ARM
    r'fn?m(add|sub)\.[sdq]|'                                                           # RISC-V
    r'fn?m(add|sub)s|x[sv]n?m(add|sub)[am][sd]p|vn?m(add|sub)fp|'                      # PowerPC
    r'fres?|frsqrtes?|x[sv]re[sd]p|x[sv]rsqrte[sd]p|vrefp|vrsqrtefp|'
    r'm[as][ed]br?|[vw]fn?m[as][sdx]b|'                                                # s390x
    r'n?m(add|sub)f?\.(s|d|ps)|recip\.[sd]|rsqrt\.[sd]')                              # MIPS


# Hidden, in each object of i686 that calls them; and of the division by 0 of integers of 64 bits on ARM.
OF_COMPILERS = {'exports': re.compile(r'__x86\.get_pc_thunk\.\w+'), 'imports': re.compile('raise')}


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def symbols(nm, *arguments):
    """Names that nm lists, without versions."""
    rows = [line.split() for line in output(nm, *arguments).splitlines()]
    return {row[-1].split('@')[0] for row in rows if row and not row[-1].endswith(':')}


def check(nm, objdump, shared, static):
    exported = symbols(nm, '-D', '--defined-only', shared) | symbols(nm, '-g', '--defined-only', static)
    called = symbols(nm, '-g', '--undefined-only', static)
    imported = called | symbols(nm, '-D', '--undefined-only', shared)
    if not any(name.startswith('mote_') for name in symbols(nm, '-D', '--defined-only', shared)):
        yield f'{shared} exports nothing'
    for name in sorted(exported):
        if not name.startswith('mote_') and not OF_COMPILERS['exports'].fullmatch(name):
            yield f'exports {name}'
    for name in sorted(imported):
        if IMPORTS.fullmatch(name) and (name in called or not OF_COMPILERS['imports'].fullmatch(name)):
            yield f'imports {name}'
    seen, function = 0, ''
    for line in output(objdump, '-d', '--no-show-raw-insn', shared).splitlines():
        label = re.fullmatch(r'[0-9a-f]+ <(.*)>:', line)
        function = label[1] if label else function
        fields = line.split('\t')
        if len(fields) < 2:
            continue
        seen += 1
        if any(INSTRUCTIONS.fullmatch(word) for word in fields[1].split()[:2]): # a prefix may stand before it
            yield f'{function}: {fields[1].strip()}'
    if not seen:
        yield f'{objdump} shows no instruction of {shared}'


FAULTS = '''
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
float mote_fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
void mote_end(void) { exit(1); }
void mote_print(double a) { printf("%g", a); }
double mote_sine(double a) { return sin(a); }
int stray;
'''
EXPECTED = ('exports stray', 'imports exit', 'imports printf', 'imports sin', 'mote_fused: ')
GOOD = '''
#include <math.h>
#include <stdlib.h>
void *mote_good(float a, float b) { return malloc((size_t)(a * b + 1.0f)); }
'''


def build(compiler, folder, text, flags):
    """Compiles a text into a shared and a static library of one object."""
    source, thing, shared = folder / 'a.c', folder / 'a.o', folder / 'a.so'
    source.write_text(text, encoding='ascii')
    subprocess.run([*compiler, *flags, '-O2', '-fPIC', '-fno-builtin-printf', '-c', source, '-o', thing],
                   check=True)
    subprocess.run([*compiler, '-shared', thing, '-o', shared, '-lm'], check=True)
    return shared, thing


def self_test(nm, objdump, *compiler):
    fused = ['-mfma'] if platform.machine() in {'x86_64', 'AMD64'} else []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        refused = list(check(nm, objdump, *build(compiler, folder, GOOD, ['-ffp-contract=off'])))
        found = list(check(nm, objdump, *build(compiler, folder, FAULTS, fused)))
    unseen = [start for start in EXPECTED if not any(line.startswith(start) for line in found)]
    if refused or unseen:
        return f'refused without a fault: {refused}; not found: {unseen} in {found}'
    return 0


def main():
    if sys.argv[1] == '--self-test':
        return self_test(*sys.argv[2:])
    found = list(check(*sys.argv[1:]))
    print('\n'.join(found))
    return 1 if found else 0


sys.exit(main())
