"""Writes the table of misuse as C source: every public function with every argument wrong in every way that
its type has. The headers give the functions, the codes that their comments name, and the fields of the
structs.

usage: misuse.py INCLUDE OUT.c DEPFILE

A function or a type of argument without an entry below ends the script: nothing is left out by silence.
"""
import pathlib
import re
import sys

# Valid arguments, by `type name`, `function name` (of the parameter) or type, the most special first. World:
# tests/misuse.h.
VALID = {
    'mote_system *': 'w->system',
    'mote_system *const *': 'w->systems',
    'mote_collider_id': 'w->collider',
    'mote_emitter_id': 'w->emitter',
    'mote_force_id': 'w->force',
    'mote_link_id': 'w->link',
    'mote_network_id': 'w->network',
    'mote_strands_id': 'w->strands',
    'mote_particle_id': 'w->particle',
    'const mote_particle_id *': 'w->particles',
    'const char **': '&w->name',
    'uint64_t tick': 'MOTE_NEXT_ADVANCE',
    'uint64_t nanoseconds': '1000000',
    'uint64_t step': '5',
    'uint32_t steps': '1',
    'const float *': 'w->vector',
    'float *': 'w->floats',
    'const float (*)[3]': '(const float(*)[3])(void *)w->floats',
    'float (*)[3]': '(float(*)[3])(void *)w->floats',
    'double *': 'w->doubles',
    'float': '1',
    'double': '1',
    'size_t': 'sizeof w->memory',
    'void *': 'w->memory',
    'const void *': 'w->memory',
    'uint32_t *': 'w->numbers',
    'const uint32_t *': 'w->few',
    'uint64_t *': 'w->longs',
    'size_t *': '&w->size',
    'uint32_t': '1',
    'uint64_t': '1000',
    'bool': 'true',
    'const mote_jobs *': '&w->jobs',
    'const mote_allocator *': 'NULL',
    'mote_followers *': 'w->followers',
    'mote_followers **': '&w->made_followers',
    'mote_grid *': 'w->grid',
    'mote_grid **': '&w->made_grid',
    'mote_height_field *': 'w->height_field',
    'mote_height_field **': '&w->made_height_field',
    'mote_distance_grid *': 'w->distance_grid',
    'mote_distance_grid **': '&w->made_distance_grid',
    'mote_hair *': 'w->hair',
    'mote_hair **': '&w->made_hair',
    'mote_system **': '&w->made_system',
    'mote_step_hook *': 'NULL',
    'mote_force_callback *': 'misuse_callback',
    'const mote_triangle *': 'w->triangles',
    'mote_triangle *': 'w->made_triangles',
    'const mote_spring *': 'w->springs',
    'mote_line *': 'w->lines',
    'mote_hash_chunk *': 'w->chunks',
    'mote_advance *': 'w->advances',
    'const mote_transport *': '&w->transport',
    'mote_systems_advance count': '2',
    'mote_system_kill count': '1',
    'mote_system_kill_slots count': '1',
    'mote_network_state count': '2',
    'mote_network_set_state count': '2',
    'mote_network_add_springs count': '1',
    'mote_network_remove_springs count': '1',
    'mote_network_indices count': '1',
    'mote_network_triangles count': '1',
    'mote_system_hash_chunks capacity': '64',
    'mote_system_lines capacity': '1024',
    'mote_mesh_normals vertex_count': '4',
    'mote_mesh_normals index_count': '3',
    'mote_strands_set_roots count': '1',
    'mote_strands_state count': '1',
    'mote_strands_set_state count': '1',
    'mote_network_pin particle': '0',
    'mote_network_unpin particle': '2',
    'mote_network_reaction particle': '2',
    'mote_strands_pin point': '3',
    'mote_strands_unpin point': '2',
    'mote_strands_reaction point': '2',
    'mote_strands_unpin strand': '0',
    'mote_strands_reaction strand': '0',
    'mote_strands_stability strand': '0',
    'mote_system_reserve capacity': '100',
    'mote_timed_thrust times': 'w->rising',
    'mote_timed_thrust forces': 'w->floats',
    'mote_timed_thrust count': '2',
    'mote_linear_field matrix': 'w->identity',
    'mote_hair_transform axes': 'w->identity',
    'mote_hair_read bytes': 'w->file',
    'mote_hair_read size': 'w->file_bytes',
    'mote_system_save flags': '0',
    'mote_system_restore memory': 'w->snapshot',
    'mote_system_restore bytes': 'w->snapshot_bytes',
    'mote_strand_substeps points': '10',
    'mote_chain_frequency mode': '1',
    'mote_columns_kick fraction': '0.5',
    'mote_system_preview points': '(float(*)[3])(void *)w->floats',
    'mote_strands_index_buffer count': '4096',
    'mote_followers_index_buffer count': '4096',
    'mote_mesh_normals vertices': 'w->mesh',
    'mote_mesh_normals indices': 'w->few',
    'mote_network_indices indices': 'w->numbers',
}
# Values of structs in the world, by type: `w->NAME`.
STRUCTS = {
    'mote_system_def': 'system_def', 'mote_collider_def': 'collider_def',
    'mote_emitter_def': 'emitter_def', 'mote_columns': 'columns', 'mote_columns_def': 'columns_def',
    'mote_followers_def': 'followers_def', 'mote_force_def': 'force_def', 'mote_grid_def': 'grid_def',
    'mote_height_field_def': 'height_field_def', 'mote_distance_grid_def': 'distance_grid_def',
    'mote_hair_resample_def': 'resample_def', 'mote_lines_def': 'lines_def', 'mote_link': 'link_def',
    'mote_mesh_layout': 'mesh_layout', 'mote_network_def': 'network_def', 'mote_rod_def': 'rod_def',
    'mote_strands_def': 'strands_def', 'mote_strand_layout': 'strand_layout',
    'mote_preview_def': 'preview_def', 'mote_present_layout': 'layout', 'mote_transform': 'transform',
    'mote_chain': 'chain', 'mote_hash_chunk': 'chunk',
}
# Outputs: structs that a call fills.
OUTPUTS = (
    'mote_vector_columns', 'mote_range_view', 'mote_statistics', 'mote_strand_step_report',
    'mote_strands_step_report', 'mote_network_step_report', 'mote_network_stability_report',
    'mote_spring', 'mote_strands_fault', 'mote_network_fault', 'mote_snapshot_fault', 'mote_hair_error',
    'mote_cluster_report', 'mote_rod_section', 'mote_death_list', 'mote_birth_list', 'mote_hit_list',
)
# Fields that say how long an array of the host is: a wrong one is a lie that no library can find.
LENGTHS = {('mote_hair', None), ('mote_columns', 'count'), ('mote_chain', 'count'),
           ('mote_mesh_layout', 'stride'), ('mote_mesh_normals', 'vertex_count')}
# Calls that would take years.
ENDLESS = {('mote_system_step', 'steps'), ('mote_columns_def', 'steps'), ('mote_columns_def', 'substeps')}
# Codes other than those of the rule, by function and case: (pattern, code or ANY, why).
EXCEPTIONS = (
    (r'mote_\w*emitter\w*, .*lifetime.* infinite', 'ANY', 'a life without end'),
    (r'mote_timed_thrust, times\[2\]', 'ANY', 'the def has two keys'),
    (r'mote_in_(box|sphere), force->region\.', 'ANY', 'the call replaces the region'),
    (r'mote_system_link, link NULL', 'ANY', 'it may be NULL'),
    (r'mote_system_emit, at NULL', 'ANY', 'it may be NULL'),
    (r'mote_network_set_spring, stiffness infinite', 'RANGE', 'it means rigid'),
    (r'mote_strands_stability, valid', 'RANGE', 'the strands of the world are no rods'),
    (r'mote_(height_field|distance_grid)_collider, transform NULL', 'NOT_FINITE', 'the def is refused'),
    (r'mote_box, transform NULL', 'NOT_FINITE', 'the def that is made is refused'),
    (r'mote_system_(seek|preview), valid', 'INTEGRATOR', 'the world has strands and colliders'),
    (r'mote_system_calls, valid', 'CLUSTER', 'the world has joined no cluster'),
    (r'mote_present_layout_check, system NULL', 'ANY', 'a system with all columns is meant'),
    (r'mote_\w+_(check|index_buffer), from inside', 'ANY', 'these read no state'),
)
# Calls that end an object, which the world must not lose twice.
ENDS = {'mote_system_destroy': 'w->system = NULL', 'mote_followers_destroy': 'w->followers = NULL',
        'mote_grid_destroy': 'w->grid = NULL', 'mote_height_field_destroy': 'w->height_field = NULL',
        'mote_distance_grid_destroy': 'w->distance_grid = NULL', 'mote_hair_destroy': 'w->hair = NULL'}

CODES = {}


def without_comments(text):
    return re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)


class Headers:
    def __init__(self, include):
        self.structs, self.enums, self.functions, self.docs = {}, {}, [], {}
        for path in sorted(include.glob('*.h')):
            self.read(path.read_text(encoding='utf-8'))

    def read(self, text):
        for match in re.finditer(r'typedef enum (\w+) \{(.*?)\} \1;', text, re.S):
            self.enums[match[1]] = match[2]
        for match in re.finditer(r'typedef struct (\w+) \{(.*?)\n\} \1;', text, re.S):
            self.structs[match[1]] = self.fields(without_comments(match[2]))
        for match in re.finditer(r'(/\*\*(?:(?!\*/).)*\*/)\s*MOTE_API\s+([^;{#]*?\));', text, re.S):
            declaration = ' '.join(match[2].split())
            found = re.fullmatch(r'(.*?[ *])(\w+)\((.*)\)', declaration)
            self.functions.append((found[2], found[1].strip(), self.parameters(found[3])))
            self.docs[found[2]] = ' '.join(match[1].replace('\n *', ' ').split())

    @staticmethod
    def parameters(text):
        if text == 'void':
            return []
        made = []
        for part in re.split(r',\s*(?![^(]*\))', text):
            pointer = re.fullmatch(r'(.*)\(\*(\w+)\)\[3\]', part)
            if pointer:
                made.append((f'{pointer[1]}(*)[3]', pointer[2]))
                continue
            array = re.fullmatch(r'(.*?)(\w+)\[(\w+)\]', part)
            if array:
                made.append((array[1].strip() + ' *', array[2]))
                continue
            found = re.fullmatch(r'(.*?)(\w+)', part)
            made.append((found[1].strip(), found[2]))
        return made

    @staticmethod
    def fields(body):
        body = re.sub(r'union \{.*\} as;', '', body, flags=re.S)
        made = []
        for line in body.split(';'):
            line = ' '.join(line.split())
            found = re.fullmatch(r'((?:const )?(?:unsigned )?\w+) (.*)', line)
            if not found or '(' in line:
                continue
            for name in found[2].split(','):
                item = re.fullmatch(r'\s*(\**)(?:const )?(\w+)((?:\[[\w +]+\])*)', name)
                if not item:
                    raise SystemExit(f'misuse.py: what is the field {line}?')
                made.append((found[1] + (' ' + item[1] if item[1] else ''), item[2], item[3]))
        return made

    def codes_of(self, function, seen=()):
        """The codes that a function's comment names, with those of functions that it refers to."""
        doc, codes = self.docs.get(function, ''), set()
        if function in seen:
            return codes
        codes |= {code for code in CODES if re.search(rf'\b{code}\b', doc)}
        for other in re.findall(r'\bmote_\w+', doc):
            refers = re.search(rf'(those of|as|likewise|the code that)[^.]*\b{other}\b', doc)
            if other in self.docs and refers:
                codes |= self.codes_of(other, (*seen, function))
        return codes


def wrong_numbers(kind):
    """Wrong values of a number: (name, expression, code that must come or None)."""
    if kind in ('float', 'double'):
        least = '1e-40f' if kind == 'float' else '1e-310'
        most = 'FLT_MAX' if kind == 'float' else 'DBL_MAX'
        return [('NaN', f'({kind})NAN', 'NOT_FINITE'), ('infinite', f'({kind})INFINITY', 'NOT_FINITE'),
                ('minus infinite', f'-({kind})INFINITY', 'NOT_FINITE'), ('negative', '-1', None),
                ('largest', most, None), ('lowest', f'-{most}', None), ('denormal', least, None),
                ('zero', '0', None), ('minus zero', '-0.0f', None)]
    if kind in ('uint32_t', 'uint64_t', 'size_t', 'uint16_t'):
        most = {'uint32_t': 'UINT32_MAX', 'uint64_t': 'UINT64_MAX', 'size_t': 'SIZE_MAX',
                'uint16_t': 'UINT16_MAX'}
        return [('zero', '0', None), ('most', most[kind], None), ('half', f'{most[kind]} / 2 + 1', None)]
    return None


class Table:
    def __init__(self, headers):
        self.headers, self.calls, self.cases = headers, [], []

    def wrong_field(self, value, kind, name, dimensions, path):
        """Yields (what, statement, code) for a field of a struct."""
        place = f'{value}.{name}'
        base = kind.replace('const ', '')
        count = re.fullmatch(r'\[(\d+)\]', dimensions)
        places = [f'{place}[{i}]' for i in range(int(count[1]))] if count else [place]
        if dimensions and not count:
            places = [f'{place}[0]']
        if name == 'cookie':
            yield f'{path}cookie 0', f'{place} = 0', 'DEF'
            yield f'{path}cookie of another', f'{place} ^= 1u', 'DEF'
        elif '*' in base or base in ('mote_allocate_function',):
            yield f'{path}{name} NULL', f'{place} = NULL', None
        elif base in self.headers.enums:
            for what, text in (('-1', '-1'), ('far', '0x7fffffff')):
                yield f'{path}{name} {what}', f'{place} = ({base}){text}', 'ENUM'
        elif wrong_numbers(base):
            for at in places:
                for what, text, code in wrong_numbers(base):
                    yield f'{path}{at.split(".", 1)[1]} {what}', f'{at} = {text}', code
        elif base in self.headers.structs:
            for inner in self.headers.structs[base]:
                for at in places:
                    yield from self.wrong_field(at, *inner, f'{path}{name}.')

    def wrong(self, function, kind, name, value):
        """Yields (what, statement, code) for an argument. value: its variable."""
        base = kind.replace('const ', '').replace('*', '').strip()
        if base == 'mote_system' and kind.count('*') == 1:
            yield f'{name} NULL', f'{value} = NULL', 'NULL'
        elif kind.endswith('_id'):
            yield f'{name} none', f'{value} = ({kind}){{0, 0}}', 'ID'
            yield f'{name} forged index', f'{value}.index += 1000', 'ID'
            yield f'{name} forged generation', f'{value}.generation ^= 0x40u', 'ID'
            yield f'{name} largest', f'{value} = ({kind}){{UINT32_MAX, UINT32_MAX}}', 'ID'
            yield f'{name} stale', f'{value} = w->stale_{kind[5:-3]}', 'ID'
            yield f'{name} foreign', f'{value} = w->foreign_{kind[5:-3]}', 'ID'
            yield f'{name} of a destroyed system', f'{value} = w->destroyed_{kind[5:-3]}', 'ID'
        elif base in STRUCTS and '*' in kind:
            yield f'{name} NULL', f'{value} = NULL', 'NULL'
            if not kind.startswith('const '):
                return
            yield from self.wrong_struct(base, f's_{value}', name)
        elif base in STRUCTS:
            yield from self.wrong_struct(base, value, name)
        elif '*' in kind:
            yield f'{name} NULL', f'{value} = NULL', None
            if kind == 'const float *':
                for i in range(3):
                    for what, text, code in wrong_numbers('float'):
                        change = f'w->changed[{i}] = {text}, {value} = misuse_vector(w, {value})'
                        yield f'{name}[{i}] {what}', change, code
        elif base in self.headers.enums:
            yield f'{name} -1', f'{value} = ({base})-1', 'ENUM'
            yield f'{name} far', f'{value} = ({base})0x7fffffff', 'ENUM'
        elif wrong_numbers(base) and (function, name) not in LENGTHS | ENDLESS:
            for what, text, code in wrong_numbers(base):
                yield f'{name} {what}', f'{value} = {text}', code

    def wrong_struct(self, base, place, name):
        for field in self.headers.structs[base]:
            if (base, field[1]) in LENGTHS | ENDLESS or (base, None) in LENGTHS:
                continue
            yield from self.wrong_field(place, *field, f'{name}->')

    def argument(self, function, kind, name):
        """Returns the declarations of an argument and its valid value."""
        base = kind.replace('const ', '').replace('*', '').strip()
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

    @staticmethod
    def exception(function, what, expected):
        for pattern, code, _ in EXCEPTIONS:
            if re.fullmatch(pattern + '.*', f'{function}, {what}'):
                return 'MISUSE_ANY' if code == 'ANY' else f'MOTE_ERROR_{code}'
        return expected

    def add(self, function, returned, parameters):
        number, variants = len(self.calls), [('valid', '', 'OK')]
        declarations = ''
        for kind, name in parameters:
            before, valid = self.argument(function, kind, name)
            kept = kind.replace('(*)[3]', f'(*{name})[3]') if '(*)' in kind else f'{kind} {name}'
            declarations += f'        {before}\n        {kept} = {valid};\n'
            variants += list(self.wrong(function, kind, name, name))
        call = f'{function}({", ".join(name for _, name in parameters)})'
        makes = returned.endswith('_def') and not function.startswith('mote_default')
        if returned == 'mote_result':
            call = f'return {call}'
        elif makes:
            def_name = STRUCTS[returned]
            call = f'w->{def_name} = {call}; return {returned[:-4]}_check(&w->{def_name}, NULL)'
        else:
            call = f'(void)w; {"(void)" if returned != "void" else ""}{call}; return MISUSE_NO_RESULT'
        if function in ENDS:
            first = parameters[0][1]
            call = call.replace(function, f'if ({first}) {{ {ENDS[function]}; }} {function}', 1)
            call = call.replace('(void)w; if', '(void)w; if')
        body = f'    case {number}: {{ /* {function} */\n{declarations}        switch (variant) {{\n'
        codes = self.headers.codes_of(function)
        returns_code = 'return MISUSE_NO_RESULT' not in call
        if makes:
            codes |= self.headers.codes_of(f'{returned[:-4]}_check')
        allowed = ' | '.join(f'MISUSE_BIT(MOTE_ERROR_{code})' for code in sorted(codes)) or '0'
        for variant, (what, statement, code) in enumerate(variants):
            if statement:
                body += f'        case {variant}: {statement}; break;\n'
            expected = 'MISUSE_ANY'
            if returns_code and code == 'OK':
                expected = 'MOTE_OK'
            elif returns_code and code and code in codes:
                expected = f'MOTE_ERROR_{code}'
            expected = self.exception(function, what, expected)
            self.cases.append(f'    {{"{function}", "{what}", {number}, {variant}, {allowed}, '
                              f'{expected}, false}},')
            if variant == 0 and returns_code and 'BUSY' in codes:
                expected = self.exception(function, 'from inside a callback', 'MOTE_ERROR_BUSY')
                self.cases.append(f'    {{"{function}", "from inside a callback", {number}, 0, {allowed}, '
                                  f'{expected}, true}},')
        body += f'        default: break;\n        }}\n        {call};\n    }}\n'
        self.calls.append(body)


def main():
    include, out, depfile = map(pathlib.Path, sys.argv[1:])
    text = (include / 'result.h').read_text(encoding='utf-8')
    for code in re.findall(r'X\(MOTE_ERROR_(\w+)', text):
        CODES[code] = True
    headers = Headers(include)
    declared = sum(path.read_text(encoding='utf-8').count('\nMOTE_API ') for path in include.glob('*.h'))
    if declared != len(headers.functions):
        raise SystemExit(f'misuse.py: {declared} functions are declared, {len(headers.functions)} were read')
    table = Table(headers)
    for function in headers.functions:
        table.add(*function)
    lines = ['/* Made by tests/scripts/misuse.py. */', '#include "misuse.h"', '',
             'mote_result misuse_call(misuse_world *w, unsigned number, unsigned variant) {',
             '    switch (number) {',
             *table.calls, '    default: return MISUSE_NO_RESULT;', '    }', '}', '',
             'const misuse_case misuse_cases[] = {', *table.cases, '};',
             f'const unsigned misuse_case_count = {len(table.cases)};', '']
    out.write_text('\n'.join(lines), encoding='utf-8')
    # The directory too: a header that is added makes it newer.
    read = ' '.join(str(path) for path in [include, *sorted(include.glob('*.h'))])
    depfile.write_text(f'{out}: {read}\n', encoding='utf-8')


if __name__ == '__main__':
    main()
