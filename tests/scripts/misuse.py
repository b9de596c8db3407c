"""Writes the table of misuse as C source: every public function with every argument wrong in every way that
its type has. The headers give the functions, the codes that their comments name, and the fields of the
structs; LEGAL (tests/misuse.txt) gives what is legal for each parameter and field, and the code that the
rest must get.

usage: misuse.py INCLUDE LEGAL OUT.c DEPFILE [FURTHER]

FURTHER: a folder with the headers of another library, whose functions alone are in the table. A function, a
type of argument or a value without an entry ends the script: nothing is left out by silence. So does an
expected code that the comment of the function does not name, and an entry that nothing uses.
"""
import pathlib
import re
import sys

from misuse_headers import Headers
from misuse_world import (ALIGNMENT, CHANGED, ELEMENTS, EMPTY, ENDLESS, ENDS, INCLUDES, LEGAL_IN_HOOK,
                          LENGTHS, OTHERS, OUTPUTS, PREPARE, STRUCTS, USES, VALID, VECTORS, WRITABLE, WRITTEN)

# Codes other than those of the rule, by function and case: (pattern, why). Any documented code passes.
EXCEPTIONS = (
    (r'mote_system_add_network, def->spring_capacity half', 'OVERFLOW with 32 bits, MEMORY with 64'),
    (r'mote_system_join, transport->ranks (most|half)', 'RANGE, or MEMORY where that is asked for first'),
)
NUMBERS = ('NaN', 'infinite', '-infinite', 'negative', 'largest', 'lowest', 'denormal', 'zero', '-zero')
NOT_FINITE = dict.fromkeys(NUMBERS[:3], 'NOT_FINITE')
IDS = ('none', 'forged index', 'forged generation', 'greatest', 'stale', 'foreign', 'of a destroyed system')


def refuses(*names, also=()):
    return {**dict(also), **dict.fromkeys(names, 'RANGE')}


# What is legal, by name: the code of each value that is not.
DOMAINS = {
    'any': {},
    # Floating-point numbers.
    'finite': NOT_FINITE,
    'not_negative': refuses('negative', 'lowest', also=NOT_FINITE),
    'positive': refuses('negative', 'lowest', 'zero', '-zero', also=NOT_FINITE),
    'positive_normal': refuses('negative', 'lowest', 'zero', '-zero', 'denormal', also=NOT_FINITE),
    'limited': refuses('largest', 'lowest', also=NOT_FINITE),
    'bounded': refuses('negative', 'lowest', 'largest', also=NOT_FINITE),
    'zero_only': refuses('negative', 'lowest', 'largest', 'denormal', also=NOT_FINITE),
    'not_zero': refuses('zero', '-zero', also=NOT_FINITE),
    'refused': dict.fromkeys((*NUMBERS, 'zero', 'most', 'half'), 'RANGE'),
    'none_of_these': refuses(*NUMBERS[3:], 'zero', 'most', 'half', also=NOT_FINITE),
    # Counts and numbers of things.
    'below': refuses('most', 'half'),
    'at_least_1': refuses('zero'),
    'offset': refuses('half'),
    'only_omit': refuses('zero', 'half'),
    'memory': {'zero': 'BUFFER'},
    # Pointers, ids, enumerations, cookies.
    'required': {'NULL': 'NULL'},
    'NaN_if_NULL': {'NULL': 'NOT_FINITE'},
    'aligned': {'NULL': 'NULL', 'misaligned': 'BUFFER'},
    'aligned_or_NULL': {'misaligned': 'BUFFER'},
    'no_id': dict.fromkeys(IDS[1:], 'RANGE'),
    'optional': {},
    'id': dict.fromkeys(IDS, 'ID'),
    'enum': {'-1': 'ENUM', 'far': 'ENUM'},
    'cookie': {'0': 'DEF', 'of another': 'DEF'},
}


class Legal:
    """The entries of tests/misuse.txt: [OWNER] KEY KEY ...: DOMAIN VALUE=CODE ...; ..."""

    def __init__(self, text):
        self.entries, self.used, self.missing, self.told = {}, set(), {}, True
        text = re.sub(r'#.*', '', text)
        for owner, lines in re.findall(r'^\[([\w ]+)\]([^\0]*?)(?=^\[|\Z)', text, re.M):
            for entry in ' '.join(lines.split()).split('; '):
                self.add(owner, *entry.rsplit(': ', 1))

    def add(self, owner, keys, value):
        domain, *rest = value.split()
        codes = dict(DOMAINS[domain])
        codes.update(item.split('=') for item in rest)
        for key in keys.split():
            if (owner, key) in self.entries:
                raise SystemExit(f'misuse.py: {owner} {key} stands twice in the list')
            self.entries[owner, key] = {name.replace('_', ' '): code for name, code in codes.items()}

    def code(self, keys, value, default):
        """Returns the code for a value. keys: (owner, key), the most special first. A call that tells
        nothing of its arguments needs no entries."""
        if not self.told:
            return 'OK'
        for owner, key in keys:
            for form in (key, re.sub(r'\[\d\]', '[]', key)):
                if (owner, form) in self.entries:
                    self.used.add((owner, form))
                    return self.entries[owner, form].get(value, 'OK')
        if default:
            return DOMAINS[default].get(value, 'OK')
        self.missing[keys[-1]] = True
        return 'OK'


def wrong_numbers(kind):
    """Wrong values of a number: (name, expression)."""
    if kind in ('float', 'double'):
        least = '1e-40f' if kind == 'float' else '1e-310'
        most = 'FLT_MAX' if kind == 'float' else 'DBL_MAX'
        return list(zip(NUMBERS, (f'({kind})NAN', f'({kind})INFINITY', f'-({kind})INFINITY', '-1', most,
                                  f'-{most}', least, '0', '-0.0f')))
    most = {'uint32_t': 'UINT32_MAX', 'uint64_t': 'UINT64_MAX', 'size_t': 'SIZE_MAX',
            'uint16_t': 'UINT16_MAX'}
    if kind in most:
        return [('zero', '0'), ('most', most[kind]), ('half', f'{most[kind]} / 2 + 1')]
    return None


def wrong_id(place, kind):
    """Wrong values of an id: (name, statement)."""
    name = kind[5:-3]
    return list(zip(IDS, (f'{place} = ({kind}){{0, 0}}', f'{place}.index += 1000',
                          f'{place}.generation ^= 0x40u', f'{place} = ({kind}){{UINT32_MAX, UINT32_MAX}}',
                          f'{place} = w->stale_{name}', f'{place} = w->foreign_{name}',
                          f'{place} = w->destroyed_{name}')))


def plain(kind):
    return kind.replace('const ', '').replace('*', '').strip()


class Table:
    def __init__(self, headers, legal):
        self.headers, self.legal, self.calls, self.cases, self.wrong_codes = headers, legal, [], [], []

    # Below, the wrong values of an argument or field: (what, statement, code). place: the C expression; keys:
    # (owner, key) of the list, the most special first.

    def pointer(self, kind, place, keys, what):
        if keys[0][0] in self.headers.inlines: # which say that no pointer is NULL
            return
        yield f'{what} NULL', f'{place} = NULL', self.legal.code(keys, 'NULL', None)
        for bytes_moved, memory in [ALIGNMENT[f'{o} {k}'] for o, k in keys if f'{o} {k}' in ALIGNMENT]:
            statement = f'{place} = memmove((char *)(void *){memory} + 1, {memory}, {bytes_moved})'
            yield f'{what} misaligned', statement, self.legal.code(keys, 'misaligned', None)

    def elements(self, kind, place, keys, what):
        """The first element of an array that the call reads."""
        base = plain(kind.replace('(*)[3]', ''))
        reads = kind.startswith('const ') or keys[-1][0] in WRITABLE
        if base not in ELEMENTS or not reads or what.endswith('[0]'):
            return
        copy = f'misuse_copies.of_{base}'
        before = f'misuse_copy({copy}, {place}, sizeof {copy}), '
        cast = '(void *)' if '(*)' in kind else ''
        for i in range(3 if base == 'float' and '(*)' not in kind else 1):
            at = [(owner, f'{key}[{i}]') for owner, key in keys]
            for name, statement, code in self.value(base, f'{copy}[{i}]', at, f'{what}[{i}]'):
                yield name, f'{before}{statement}, {place} = {cast}{copy}', code

    def value(self, kind, place, keys, what):
        base = plain(kind)
        if keys[-1][1] == 'cookie':
            yield f'{what} 0', f'{place} = 0', self.legal.code(keys, '0', 'cookie')
            yield f'{what} of another', f'{place} ^= 1u', self.legal.code(keys, 'of another', 'cookie')
        elif '*' in kind or base == 'mote_allocate_function':
            yield from self.pointer(kind, place, keys, what)
            yield from self.elements(kind, place, keys, what)
        elif base.endswith('_id'):
            for name, statement in wrong_id(place, base):
                yield f'{what} {name}', statement, self.legal.code(keys, name, 'id')
        elif base in self.headers.enums:
            for name, text in (('-1', '-1'), ('far', '0x7fffffff')):
                yield f'{what} {name}', f'{place} = ({base}){text}', self.legal.code(keys, name, 'enum')
        elif base == 'char':
            statement = f'memset({place}, 120, sizeof {place})'
            yield f'{what} without end', statement, self.legal.code(keys, 'without end', None)
        elif wrong_numbers(base):
            for name, text in wrong_numbers(base):
                yield f'{what} {name}', f'{place} = {text}', self.legal.code(keys, name, None)
        elif base in self.headers.structs:
            yield from self.struct(base, place, keys, what, '.')
        elif kind in VECTORS:
            for end in VECTORS[kind]:
                at = [(owner, key + end) for owner, key in keys]
                yield from self.value('float', place + end, at, what + end)

    def struct(self, base, place, keys, what, dot):
        for kind, name, dimensions in self.headers.structs[base]:
            if (base, name) in LENGTHS | ENDLESS:
                continue
            counts = re.findall(r'\[(\w+)\]', dimensions)
            ends = ['']
            for count in counts:
                count = int(count if count.isdigit() else self.headers.numbers[count])
                ends = [f'{end}[{i}]' for end in ends for i in range(count)]
            for end in ends:
                inner = [(owner, f'{key}{dot}{name}{end}') for owner, key in keys] + [(base, name + end)]
                before = PREPARE.get(f'{base} {name}', '').format(place)
                for case in self.value(kind, f'{place}.{name}{end}', inner, f'{what}{dot}{name}{end}'):
                    yield case[0], f'{before}, {case[1]}' if before else case[1], case[2]
        for member, enumerator, fields in self.headers.members.get(base, ()):
            # A value of each kind of force, with one field of its member wrong.
            if 'forces[0]' in what:
                continue
            self.headers.structs[f'{base} {member}'] = fields
            inner = [(owner, f'{key}{dot}as.{member}') for owner, key in keys] + [(base, f'as.{member}')]
            for name, statement, code in self.struct(f'{base} {member}', f'{place}.as.{member}', inner,
                                                     f'{what}{dot}as.{member}', '.'):
                yield name, f'{place} = w->kinds[{enumerator}], {statement}', code

    def argument_wrong(self, function, kind, name):
        base, keys = plain(kind), [(function, name)]
        if (function, name) in WRITTEN:
            return
        for other, text in OTHERS.get(f'{function} {name}', OTHERS.get(kind, ())):
            yield f'{name} {other}', f'{name} = {text}', self.legal.code(keys, other, None)
        if base == 'mote_system' and kind.count('*') == 1:
            yield f'{name} NULL', f'{name} = NULL', self.legal.code(keys, 'NULL', 'required')
        elif base in STRUCTS and '*' in kind:
            if function not in self.headers.inlines:
                yield f'{name} NULL', f'{name} = NULL', self.legal.code(keys, 'NULL', 'required')
            if kind.startswith('const ') or (function, name) in CHANGED:
                yield from self.struct(base, f's_{name}', keys, name, '->')
        elif base in STRUCTS:
            yield from self.struct(base, name, keys, name, '.')
        elif kind == 'const char **':
            yield f'{name} NULL', f'{name} = NULL', self.legal.code(keys, 'NULL', 'optional')
        elif (function, name) in LENGTHS | ENDLESS:
            yield f'{name} zero', f'{name} = 0', self.legal.code(keys, 'zero', 'any')
        else:
            yield from self.value(kind, name, keys, name)

    def argument(self, function, kind, name):
        """Returns the declarations of an argument and its valid value."""
        base = plain(kind)
        keys = [f'{function} {name}', f'{kind} {name}', kind]
        if not (base in STRUCTS and kind.startswith('const ')):
            keys.append(kind.replace('const ', ''))
        for key in keys:
            if key in VALID:
                return '', VALID[key]
        if base in STRUCTS and '*' in kind:
            return f'{base} s_{name} = w->{STRUCTS[base]}; ', f'&s_{name}'
        if base in STRUCTS:
            return '', f'w->{STRUCTS[base]}'
        if base in OUTPUTS or kind.endswith('_id *'):
            return f'static {base} s_{name}; ', f'&s_{name}'
        if base in self.headers.enums:
            return '', f'({base})0' if base != 'mote_isa' else 'MOTE_ISA_SCALAR'
        raise SystemExit(f'misuse.py: {function}: no valid value for {kind} {name}')

    def case(self, function, what, number, variant, place, code, codes):
        """Adds a case. codes: those of the comment; None: the call returns no code."""
        expected = 'MOTE_OK' if code == 'OK' else f'MOTE_ERROR_{code}'
        if codes is None:
            expected = 'MISUSE_EMPTY' if code != 'OK' and function in EMPTY else 'MISUSE_VALUE'
        elif any(re.fullmatch(pattern, f'{function}, {what}') for pattern, _ in EXCEPTIONS):
            expected = 'MISUSE_ANY'
        elif code != 'OK' and code not in codes:
            self.wrong_codes.append(f'{function}, {what}: {code}, but its comment names {sorted(codes)}')
        allowed = ' | '.join(f'MISUSE_BIT(MOTE_ERROR_{code})' for code in sorted(codes or ())) or '0'
        self.cases.append(f'    {{"{function}", "{what}", {number}, {variant}, {allowed}, '
                          f'{expected}, {place}}},')

    def call(self, function, returned, parameters):
        """Returns the C statements that make the call and return its code or what stands for it."""
        made = f'{function}({", ".join(name for _, name in parameters)})'
        if function in USES:
            kept = f'const {returned} it = ' if returned != 'void' else ''
            return f'{kept}{made}; return {USES[function]}'
        if returned == 'mote_result':
            return f'return {made}'
        if returned.endswith('_def') and not function.startswith('mote_default'):
            def_name = STRUCTS[returned]
            return f'w->{def_name} = {made}; return {returned[:-4]}_check(&w->{def_name}, NULL)'
        if function in ENDS:
            return f'if ({parameters[0][1]}) {{ {ENDS[function]}; }} {made}; return MISUSE_VALUE'
        if function in EMPTY:
            return f'{returned} it = {made}; return ({EMPTY[function]}) ? MISUSE_EMPTY : MISUSE_VALUE'
        return f'(void)w; {"(void)" if returned != "void" else ""}{made}; return MISUSE_VALUE'

    def add(self, function, returned, parameters):
        number, variants = len(self.calls), []
        makes = returned.endswith('_def') and not function.startswith('mote_default')
        self.legal.told = returned == 'mote_result' or makes or function in EMPTY or function in USES
        declarations = ''
        for kind, name in parameters:
            before, valid = self.argument(function, kind, name)
            kept = kind.replace('(*)', f'(*{name})', 1) if '(*)' in kind else f'{kind} {name}'
            declarations += f'        {before}\n        {kept} = {valid};\n'
            variants += list(self.argument_wrong(function, kind, name))
        codes = self.headers.codes_of(function)
        if makes:
            codes |= self.headers.codes_of(f'{returned[:-4]}_check')
        elif returned != 'mote_result' and function not in USES:
            codes = None
        body = f'    case {number}: {{ /* {function} */\n{declarations}        switch (variant) {{\n'
        code = self.legal.code([(function, 'valid')], 'valid', 'any')
        self.case(function, 'valid', number, 0, 'MISUSE_OUTSIDE', code, codes)
        for variant, (what, statement, code) in enumerate(variants, 1):
            body += f'        case {variant}: {statement}; break;\n'
            self.case(function, what, number, variant, 'MISUSE_OUTSIDE', code, codes)
        if codes and 'BUSY' in codes:
            for place in ('callback', 'hook', 'jobs'):
                default = 'OK' if place == 'hook' and function in LEGAL_IN_HOOK else 'BUSY'
                entry = self.legal.entries.get((function, f'in_{place}'), {'valid': default})
                code = entry.get('valid', 'OK')
                self.legal.used.add((function, f'in_{place}'))
                self.case(function, f'in {place}', number, 0, f'MISUSE_IN_{place.upper()}', code, codes)
        body += f'        default: break;\n        }}\n        {self.call(function, returned, parameters)};\n'
        self.calls.append(body + '    }\n')


def main():
    include, legal_path, out, depfile, *further = map(pathlib.Path, sys.argv[1:])
    headers, legal = Headers(include, *further), Legal(legal_path.read_text(encoding='utf-8'))
    table = Table(headers, legal)
    for function in headers.functions:
        table.add(*function)
    problems = [f'what is legal for {key} of {owner}?' for owner, key in legal.missing]
    problems += [f'nothing uses {key} of {owner}' for owner, key in legal.entries.keys() - legal.used]
    problems += table.wrong_codes
    copies = ' '.join(f'{base} of_{base}[{count}];' for base, count in ELEMENTS.items())
    lines = ['/* Made by tests/scripts/misuse.py. */', '#include "misuse.h"',
             *(f'#include {name}' for name in INCLUDES[bool(further)]), '',
             f'static union {{ {copies} }} misuse_copies;', '',
             'mote_result misuse_call(misuse_world *w, unsigned number, unsigned variant) {',
             '    switch (number) {',
             *table.calls, '    default: return MISUSE_VALUE;', '    }', '}', '',
             'const misuse_case misuse_cases[] = {', *table.cases, '};',
             f'const unsigned misuse_case_count = {len(table.cases)};', '']
    out.write_text('\n'.join(lines), encoding='utf-8')
    # The directory too: a header that is added makes it newer.
    folders = [include, *further]
    read = [legal_path, *folders, *(path for folder in folders for path in sorted(folder.glob('*.h')))]
    depfile.write_text(f'{out}: {" ".join(map(str, read))}\n', encoding='utf-8')
    if problems:
        raise SystemExit('misuse.py: ' + '\nmisuse.py: '.join(problems))


if __name__ == '__main__':
    main()
