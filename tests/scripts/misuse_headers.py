"""Reads what the table of misuse needs from the public headers: functions with their comments and the codes
that these name, structs with their fields, enumerations.
"""
import re


def without_comments(text):
    return re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)


class Headers:
    """The headers of a folder; with a further one functions are those of that alone. inlines: functions that
    a header defines; the first comment of the header names their codes."""

    def __init__(self, include, further=None):
        self.structs, self.enums, self.functions, self.docs = {}, {}, [], {}
        self.members, self.codes, self.numbers, self.inlines = {}, set(), {}, set()
        self.read_all(include)
        if further:
            self.functions = []
            self.read_all(further)

    def read_all(self, folder):
        for path in sorted(folder.glob('*.h')):
            text, before = path.read_text(encoding='utf-8'), len(self.functions)
            self.read(text)
            declared, read = len(re.findall(r'\n(?:MOTE_API|static) ', text)), len(self.functions) - before
            if declared != read:
                raise SystemExit(f'misuse.py: {path.name} has {declared} functions, {read} were read')

    def read(self, text):
        self.numbers.update(re.findall(r'#define (MOTE_\w+)\s+(\d+)u?\b', text))
        self.codes |= set(re.findall(r'X\(MOTE_ERROR_(\w+)', text))
        for match in re.finditer(r'typedef enum (\w+) \{(.*?)\} \1;', text, re.S):
            self.enums[match[1]] = match[2]
        for match in re.finditer(r'typedef struct (\w+) \{(.*?)\n\} \1;', text, re.S):
            body = without_comments(match[2])
            self.structs[match[1]] = self.fields(body)
            union = re.search(r'union \{(.*)\} as;', body, re.S)
            for member in re.finditer(r'struct \{(.*?)\} (\w+);', union[1] if union else '', re.S):
                enumerator = f'{match[1][:-4]}_{member[2]}'.upper()
                self.members.setdefault(match[1], []).append((member[2], enumerator, self.fields(member[1])))
        for match in re.finditer(r'(/\*\*(?:(?!\*/).)*\*/)\s*MOTE_API\s+([^;{#]*?\));', text, re.S):
            declaration = ' '.join(match[2].split())
            found = re.fullmatch(r'(.*?[ *])(\w+)\((.*)\)', declaration)
            self.functions.append((found[2], found[1].strip(), self.parameters(found[3])))
            self.docs[found[2]] = ' '.join(match[1].replace('\n *', ' ').split())
        first = re.search(r'/\*\* @file.*?\*/', text, re.S)
        for match in re.finditer(r'\nstatic inline ([^;{#]*?) ?\b(mote_\w+)\(([^;{#]*?)\) \{', text):
            self.functions.append((match[2], match[1], self.parameters(' '.join(match[3].split()))))
            self.docs[match[2]] = ' '.join(first[0].replace('\n *', ' ').split())
            self.inlines.add(match[2])

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
            function = re.fullmatch(r'(\w+ )\(\*(\w+)\)(\(.*\))', part)
            if function:
                made.append((f'{function[1]}(*){function[3]}', function[2]))
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
            vectors = re.fullmatch(r'(.*)\(\*(\w+)\)\[3\]', line)
            function = re.fullmatch(r'\w+ \*?\(\*(\w+)\)\(.*\)', line)
            if vectors:
                made.append((f'{vectors[1]}(*)[3]', vectors[2], ''))
            if function:
                made.append(('function *', function[1], ''))
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
        codes |= {code for code in self.codes if re.search(rf'\b{code}\b', doc)}
        for other in re.findall(r'\bmote_\w+', doc):
            refers = re.search(rf'(those of|as|likewise|the code that)[^.]*\b{other}\b', doc)
            if other in self.docs and refers:
                codes |= self.codes_of(other, (*seen, function))
        return codes
