"""Prints how much of engine/ the tests ran, and the files with branches that they did not take.

usage: coverage.py ROOT BUILD   (a build by clang with coverage.sh's flags; its tests left BUILD/profiles)
Fails below LEAST % of the branches.
A branch is one outcome, true or false, of a condition as it stands in the source: copies of a function that
is inlined, compiled for several instruction sets or expanded from a header are one. A condition in a macro
counts once for each place that uses the macro. BUILD/uncovered.txt lists every outcome that no test takes,
with the reason behind it, or that a test is missing.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

LLVM = '19'
EXPANSION = 1  # kind of a region that a macro's text replaces
LEAST = 95
NO_REASON = 'a test is missing'
WIDE = 'kernels of 16 lanes, which this build has not'

# Why tests do not take what is left of a file. A file without a reason has outcomes that a test may yet take.
REASONS = {
    'engine/networks/validate.c': 'invariants that never break',
    'engine/strands/validate.c': 'invariants that never break',
    'engine/particles/validate.c': 'invariants that never break',
    'engine/base/isa.c': 'one processor has avx512 or has it not',
    'engine/base/arena.h': 'more memory than there is',
    'engine/formats/hair.c': 'more memory than there is',
    'engine/formats/hair_file.c': 'more memory than there is',
    'engine/strands/followers.c': 'more memory than there is',
    'engine/networks/edit.c': '2^31 springs or 2^28 packets',
    'engine/networks/network.c': '2^28 packets',
    'engine/networks/chain_stage.h': WIDE,
    'engine/base/peers.c': 'arrays longer than a stage; a transport without an error function',
    'engine/system/clock.c': 'the last of 2^64 ticks',
    'engine/forces/kernels.c': 'default of a switch over all enumerators',
    'engine/forces/region.h': 'default of a switch over all enumerators',
    'engine/stage/stage.h': 'default of a switch over all enumerators',
    'engine/networks/kernels.c': 'default of a switch over all enumerators',
    'engine/networks/dual.h': 'default of a switch over all enumerators',
    'engine/networks/primal.h': 'default of a switch over all enumerators',
    'engine/math/trigonometry.h': 'limit of a loop that ends before',
    'engine/math/propagator.c': 'limit of a loop that ends before',
    'engine/math/noise.h': '4e9 periods of noise',
    'engine/particles/state.c': 'no column follows the torques',
    'engine/particles/particles.h': 'no column follows the torques',
}


# The same for lines of any file, by what they contain.
OF_LINES = {
    r'MOTE_ERROR_OVERFLOW|SIZE_MAX|UINT32_MAX': 'more than a machine can hold',
    r'default:|switch \(': 'default of a switch over all enumerators',
    r'MOTE_ASSERT\(|MOTE_CLAIM\(': 'invariants that never break',
    r'__atomic_(compare_)?exchange': 'a race that no test can make',
    r'MOTE_WIDTH == 16|NETWORK_STRIDE|packet\[i\]|i < b->block->packet_count|job->kick \|\| b->pins': WIDE,
    r'madvise': 'memory of this machine',
}


# The same for outcomes of the lines of one file that contain a text, where tests take all but those that the
# reason excludes.
OF_OUTCOMES = {
    'engine/base/archive.c': {'else if (count == a->items[1])': 'what ranks deal has one of two lengths'},
    'engine/base/parallel.c': {
        'jobs->run && jobs->workers': 'mote_jobs_check refuses jobs without workers',
        'if (from < to)': 'what ranks deal begins at slot 0'},
    'engine/contacts/colliders.c': {
        'def->kind == MOTE_COLLIDER_DISTANCE_GRID ? def->distance_grid->hash': 'only asked where has_samples',
        'known->of[i].hash != hash || known->of[i].kind': 'a height field and a grid of one hash of 64 bits'},
    'engine/contacts/distance_grid.h': {'n < most && wide_lane_bits': 'limit of a loop that ends before'},
    'engine/contacts/height_field.h': {'n < most && wide_lane_bits': 'limit of a loop that ends before'},
    'engine/integrators/chain.c': {'j <= chain->count && j != 0': 'a chain of 2^32 - 1 masses'},
    'engine/integrators/coupling.c': {
        'r->count < MAX_SAMPLES': 'the grids give 300 samples at most',
        'root * r->most * (1 + 1e-9) >= 2 * zeta': 'every ray that is asked for meets the region',
        'i < 2000': 'limit of a loop that ends before'},
    'engine/networks/divide.c': {
        '!may_begin(n, block, &reach) && !is_end': 'no ring leads behind the last block, so it always may'},
    'engine/networks/halo.c': {
        '!sends && !receives': 'a spring between two ranks makes both send and receive',
        '!h->count[SENT] && !h->count[RECEIVED]': 'a spring between two ranks makes both send and receive'},
    'engine/networks/levels.c': {
        'if (a != MOTE_NO_AGGREGATE) add_block': 'all aggregates have as many levels above them'},
    'engine/networks/layout_plan.c': {
        's->particles[a] != s->particles[b]': 'two shapes of islands of one hash of 64 bits',
        'if (local_ends(s, def, s->first_spring[a] + i)': 'two shapes of islands of one hash of 64 bits',
        '!alike(s, def, s->order[first], s->order[end])': 'two shapes of islands of one hash of 64 bits',
        'p->slot <= MOTE_MAX_PARTICLES': 'a network of 2^26 particles'},
    'engine/networks/packets.c': {'needed + needed / 8 <= MOST_PACKETS': '2^28 packets'},
    'engine/networks/solve.c': {
        'if (i.count) solve(': 'only islands that have chunks are solved',
        'if (!(gain > 0)) return 1;': 'gains() has found a gain',
        'if (!((float)s < 1)) return turn > 0;': 'a gain beyond rounding asks for less than the whole way'},
    'engine/networks/stability.c': {
        '(unsigned)integrator >= MOTE_INTEGRATOR_COUNT': 'systems have checked their integrator',
        'if ((double)count < needed)': 'rounding between two forms of one comparison',
        'while (count <= most && !fits': 'rounding between two forms of one comparison'},
    'engine/networks/step.c': {
        'if (b->chained)': WIDE,
        'network->response_h == plan->h': 'the step of a system never changes',
        'case MOTE_PHASE_SOLVE:': 'run_block_phase is not called for it',
        'job->plan->stages ? job->plan->stages : 1': 'plans without stages are those of affine forces alone'},
    'engine/particles/collide_path.h': {'k <= COLLIDE_NEWTON': 'limit of a loop that ends before'},
    'engine/particles/events.c': {
        'i == 0 || (j > 0 &&': 'deaths that the list has already never exceed it'},
    'engine/particles/fused.h': {'i < end; i += MOTE_WIDTH) contain_register': WIDE},
    'engine/particles/kernels.c': {
        'mix_of(plan)': 'noise alone has kernels of its own: mix_of never is MOTE_MIX_NOISE',
        'fused(plan, span, OF(family, mass, mix), contain_any':
            'noise alone has kernels of its own: mix_of never is MOTE_MIX_NOISE'},
    'engine/particles/meet.c': {
        'fate != MOTE_FATE_KILLED': 'killed ones are gone when a step begins',
        'mote_deal_owner(&peers->slots, slot) == peers->transport.rank': 'foreign particles are not stepped',
        'list[i].slot < particles->range.slot_count': 'a rank that sends slots that do not exist'},
    'engine/particles/passes.h': {
        'end > first ? (end - first) / stride': 'passes run whole blocks, which are not empty',
        'i < local.begin && i < whole': 'a range does not begin behind its first block',
        'plan->stages == 1 && plan->c.drift_first == 0': 'no integrator of one stage drifts first',
        'plan->stiff_acceleration || plan->affine_force': 'passes have one mass for all: there is none'},
    'engine/particles/present.c': {
        '!particles->column[q->column] && q->column': 'every system has places and velocities'},
    'engine/particles/settled.h': {
        'FOLDS_AFFINE(of.family)': 'integrators that advect have kernels of their own'},
    'engine/stage/coupled.h': {
        'FOLDS_AFFINE(of.family)': 'integrators that advect have kernels of their own'},
    'engine/stage/plan.c': {
        'scheme->drift_first == 0 && scheme->drift[0] != 0': 'no integrator of one stage drifts first'},
    'engine/strands/contact.h': {
        'if (wide_lane_bits(contact.marked)) set_plane': 'rounding between two forms of one comparison'},
    'engine/strands/check.h': {'length > 0 ? stiffness / length': 'segments of rods have a length'},
    'engine/strands/follower_present.c': {
        'square > 0 ? 1.0f / __builtin_sqrtf(square)': 'the mean of two frames on the shorter side is not 0'},
    'engine/strands/impulse.h': {'form.regular && form.uniform': 'no instance has one without the other'},
    'engine/strands/kernels.c': {
        '!is_soft(w) && !has_springs(w)': 'springs, which have compliance, are soft'},
    'engine/strands/nearest.c': {
        'face || radius == 0 ? 1 : 2 * radius': 'at radius 0 the cell is a face',
        'nearest = above > 0 ? above : 0': 'a place is below the upper end of its cell'},
    'engine/strands/parts.h': {
        '!own->stiff_acceleration && !own->force': 'strands have masses: drag and springs are in own->force',
        'if (rubs(w)) forget_contacts': 'strands that are not springs have pressure'},
    'engine/strands/rod_plain.h': {
        'own->stiff_acceleration || own->force': 'strands have masses: springs are in own->force'},
    'engine/strands/rod_step.h': {
        'wide_lane_bits(stiff) && wide_lane_bits(whole)': 'counted in the scalar kernels, of one lane',
        'step_straight_rods': 'one instance steps rods with and without frames here: MOTE_SPECIALISED'},
    'engine/strands/rod_turns.h': {'k < c->points; k++': 'limit of a loop that ends before'},
    'engine/strands/section.c': {'(zero && value == 0)': 'without modulus the stiffness is 0'},
    'engine/strands/stage.h': {'parts & STRAND_STRETCH': 'all stages of springs have it'},
    'engine/strands/strands.c': {'const double rate = mass > 0 ?': 'rods have masses and lengths'},
    'engine/system/particles.c': {
        'particle.index >= system->particles.used_ids': 'without ids no index is used'},
    'engine/system/ranges.c': {'!range->kind->own_substeps': 'strands and networks both have it'},
    'engine/system/snapshot.c': {'i != RADIUS_COLUMN || word == own': 'it is called where they differ'},
    'engine/system/system.c': {
        'if (system->particles.range.kind)': 'all of 2^32 marks are used',
        'if (result == MOTE_OK)': 'a new system has no colliders, whose poses need memory'},
}


def reason(name, line):
    of_outcome = next((why for text, why in OF_OUTCOMES.get(name, {}).items() if text in line), None)
    of_line = next((why for pattern, why in OF_LINES.items() if re.search(pattern, line)), None)
    return of_outcome or of_line or REASONS.get(name, NO_REASON)


def export(directory, *options):
    """Output of llvm-cov about the library, from the merged counts of all tests."""
    merged = directory / 'all.profdata'
    run = subprocess.run([f'llvm-cov-{LLVM}', 'export', f'-instr-profile={merged}', *options,
                          directory / 'engine/libmote.so'], capture_output=True, text=True, check=True)
    return run.stdout


def line_counts(directory):
    """Pairs of path and {line: count}."""
    lines, path = collections.defaultdict(dict), None
    for row in export(directory, '-format=lcov').splitlines():
        tag, _, text = row.partition(':')
        if tag == 'SF':
            path = text
        elif tag == 'DA':
            line, count = map(int, text.split(',')[:2])
            lines[path][line] = max(lines[path].get(line, 0), count)
    return lines


def branch_counts(directory):
    """{path: {(line, column, place in macros, outcome): count}}."""
    branches = collections.defaultdict(dict)
    for function in json.loads(export(directory))['data'][0]['functions']:
        paths = function['filenames']
        used_at = {region[6]: (region[5], region[0], region[1]) for region in function['regions']
                   if region[7] == EXPANSION}
        for line, column, _, _, true, false, file, *_ in function['branches']:
            within = ()
            while file in used_at:
                within += (paths[file], line, column),
                file, line, column = used_at[file]
            for outcome, count in ('true', true), ('false', false):
                key = line, column, within, outcome
                branches[paths[file]][key] = max(branches[paths[file]].get(key, 0), count)
    return branches


def taken(counts):
    return sum(count > 0 for count in counts.values())


def of_engine(counts, root):
    return {str(pathlib.Path(path).relative_to(root)): counts[path] for path in counts
            if pathlib.Path(path).is_relative_to(root / 'engine')}


def main():
    root, directory = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    profiles = sorted((directory / 'profiles').glob('*.profraw'))
    merge = [f'llvm-profdata-{LLVM}', 'merge', '-o', directory / 'all.profdata', *profiles]
    subprocess.run(merge, check=True)
    lines, branches = of_engine(line_counts(directory), root), of_engine(branch_counts(directory), root)
    if not branches:
        return 'llvm-cov found nothing: is this a build by coverage.sh?'
    print(f'{"file":36} {"lines":>9} {"branches":>9}')
    unreasoned = outcomes = 0
    with open(directory / 'uncovered.txt', 'w', encoding='utf-8') as listed:
        for name in sorted(branches, key=lambda n: taken(branches[n]) - len(branches[n])):
            source = (root / name).read_text(encoding='utf-8').splitlines()
            missed = sorted(key for key, count in branches[name].items() if count == 0)
            outcomes += len(missed)
            for line, column, _, outcome in missed:
                why = reason(name, source[line - 1])
                unreasoned += why == NO_REASON
                print(f'{name}:{line}:{column}: never {outcome}: {source[line - 1].strip()}', why,
                      sep='  # ', file=listed)
            if missed:
                ran, went = (f'{taken(of[name])}/{len(of[name])}' for of in (lines, branches))
                print(f'{name:36} {ran:>9} {went:>9}  {REASONS.get(name, "")}'.rstrip())
    for name, of in ('lines', lines), ('branches', branches):
        all_of = sum(map(len, of.values()))
        share = 100 * sum(map(taken, of.values())) / all_of
        print(f'{name} of engine/: {share:.1f} % of {all_of}')
    print(f'{outcomes} outcomes are not taken, {unreasoned} for want of a test: {directory}/uncovered.txt')
    return 0 if share >= LEAST else f'less than {LEAST} % of the branches'


sys.exit(main())
