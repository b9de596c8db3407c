"""What the table of misuse knows of the world of tests/misuse.h: valid arguments, and what no call can find.
"""
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
    'size_t': 'sizeof w->memory - 64',
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
    'mote_hair_destroy hair': 'w->hair',
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
    'mote_system_preview system': 'w->flat',
    'mote_system_seek system': 'w->flat',
    'mote_system_preview points': '(float(*)[3])(void *)w->floats',
    'mote_strands_index_buffer count': '4096',
    'mote_followers_index_buffer count': '4096',
    'mote_mesh_normals vertices': 'w->mesh',
    'mote_mesh_normals indices': 'w->few',
    'mote_network_indices indices': 'w->numbers',
    # Of cglm.
    'versor': '{0, 0.5f, 0, 0.5f}',
    'vec3': '{1, 2, 3}',
    'vec4': '{1, 2, 3, 4}',
    'mat3': '{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}',
    'mat4': '{{0, 1, 0, 0}, {-1, 0, 0, 0}, {0, 0, 1, 0}, {1, 2, 3, 1}}',
    # Of MPI: tests/mpi/misuse_ranks.h.
    'MPI_Comm': 'MPI_COMM_WORLD',
    'mote_cluster *': 'misuse_ranks.cluster',
    'mote_cluster_destroy cluster': 'misuse_ranks.other',
    'mote_cluster **': '&misuse_ranks.made',
    'mote_cluster_on_error error': 'misuse_hear',
    'mote_cluster_save flags': '0',
    'mote_cluster_save path': 'misuse_ranks.file',
    'mote_cluster_restore path': 'misuse_ranks.kept',
}
# Values that are wrong though their type has no wrong ones, by `function name` or type: (name, expression).
PATHS = (('of a folder', 'misuse_ranks.folder'), ('in no folder', 'misuse_ranks.nowhere'))
OTHERS = {
    'MPI_Comm': (('null', 'MPI_COMM_NULL'), ('of others', 'misuse_ranks.uncopied')),
    **{f'mote_cluster_{call} cluster': (('of others', 'misuse_ranks.other'),)
       for call in ('save', 'restore')},
    **{f'mote_cluster_{call} system': (('of others', 'w->other'),) for call in ('save', 'restore')},
    'mote_systems_advance systems': (('first NULL', '(w->systems[0] = NULL, w->systems)'),
                                     ('second NULL', '(w->systems[1] = NULL, w->systems)'),
                                     ('of one twice', '(w->systems[1] = w->system, w->systems)')),
    'mote_cluster_save path': PATHS,
    'mote_cluster_restore path': (*PATHS, ('empty', '""'), ('of no snapshot', 'misuse_ranks.bad[0]'),
                                  ('of an empty file', 'misuse_ranks.bad[1]'),
                                  ('of a damaged one', 'misuse_ranks.bad[2]'),
                                  ('of a cut one', 'misuse_ranks.bad[3]'),
                                  ('of another system', 'misuse_ranks.bad[4]')),
}
# Arrays of floats: places that are made wrong.
VECTORS = {
    'vec4': [f'[{i}]' for i in range(4)],
    'versor': [f'[{i}]' for i in range(4)],
    'vec3': [f'[{i}]' for i in range(3)],
    'mat3': [f'[{i}][{k}]' for i in range(3) for k in range(3)],
    'mat4': [f'[{i}][{k}]' for i in range(4) for k in range(4)],
}
# What a call only writes.
WRITTEN = (('mote_transform_to_versor', 'rotation'), ('mote_transform_to_versor', 'position'),
           ('mote_transform_to_mat4', 'matrix'), ('mote_eye_of_view', 'eye'))
# Calls that check nothing: the code of the call of mote that gets what they return (`it`) or wrote.
USES = {
    'mote_cglm_normalize': 'misuse_place_unit(w, mote_transform_from_versor(vector, w->vector))',
    'mote_transform_from_versor': 'misuse_place(w, it)',
    'mote_transform_to_versor': 'misuse_place_unit(w, mote_transform_from_versor(rotation, position))',
    'mote_transform_from_mat4': 'misuse_place(w, it)',
    'mote_transform_to_mat4': 'misuse_place_unit(w, mote_transform_from_mat4(matrix))',
    'mote_matrix_from_mat3': 'misuse_field(w, rows)',
    'mote_eye_of_view': 'misuse_place(w, (mote_transform){{eye[0], eye[1], eye[2]}, {0, 0, 0, 1}})',
    'mote_strand_layout_face': 'mote_strand_layout_check(layout, NULL)',
}
# Headers that mote.h does not include: of the table of mote, and of that of mote-mpi.
INCLUDES = (['<mote/cglm.h>'], ['"mpi/misuse_ranks.h"'])
# Values of structs in the world, by type: `w->NAME`.
STRUCTS = {
    'mote_system_def': 'system_def', 'mote_collider_def': 'collider_def',
    'mote_emitter_def': 'emitter_def', 'mote_columns': 'columns', 'mote_columns_def': 'columns_def',
    'mote_followers_def': 'followers_def', 'mote_force_def': 'force_def', 'mote_grid_def': 'grid_def',
    'mote_height_field_def': 'height_field_def', 'mote_distance_grid_def': 'distance_grid_def',
    'mote_hair': 'model', 'mote_hair_resample_def': 'resample_def', 'mote_lines_def': 'lines_def',
    'mote_link': 'link_def', 'mote_mesh_layout': 'mesh_layout', 'mote_network_def': 'network_def',
    'mote_rod_def': 'rod_def', 'mote_strands_def': 'strands_def', 'mote_strand_layout': 'strand_layout',
    'mote_preview_def': 'preview_def', 'mote_present_layout': 'layout', 'mote_transform': 'transform',
    'mote_chain': 'chain', 'mote_hash_chunk': 'chunk', 'mote_transport': 'transport',
}
# Structs that a call reads and changes.
CHANGED = {('mote_hair_transform', 'hair')}
# Outputs: structs that a call fills.
OUTPUTS = (
    'mote_vector_columns', 'mote_range_view', 'mote_statistics', 'mote_strand_step_report',
    'mote_strands_step_report', 'mote_network_step_report', 'mote_network_stability_report',
    'mote_spring', 'mote_strands_fault', 'mote_network_fault', 'mote_snapshot_fault', 'mote_hair_error',
    'mote_cluster_report', 'mote_rod_section', 'mote_death_list', 'mote_birth_list', 'mote_hit_list',
)
# Fields that say how long an array of the host is: a wrong one is a lie that no library can find.
LENGTHS = {('mote_columns', 'count'), ('mote_chain', 'count'), ('mote_mesh_layout', 'stride'),
           ('mote_mesh_normals', 'vertex_count'), ('mote_columns_def', 'force_count'),
           ('mote_present_layout', 'order_count'), ('mote_preview_def', 'count'),
           ('mote_system_kill', 'count'), ('mote_system_kill_slots', 'count'),
           ('mote_systems_advance', 'count'), ('mote_network_add_springs', 'count'),
           ('mote_network_remove_springs', 'count'), ('mote_network_triangles', 'count'),
           ('mote_network_indices', 'count')}
# Calls that would take years.
ENDLESS = {('mote_system_step', 'steps'), ('mote_columns_def', 'steps'), ('mote_columns_def', 'substeps')}
# Calls that end an object, which the world must not lose twice.
ENDS = {'mote_system_destroy': 'w->system = NULL', 'mote_followers_destroy': 'w->followers = NULL',
        'mote_grid_destroy': 'w->grid = NULL', 'mote_height_field_destroy': 'w->height_field = NULL',
        'mote_distance_grid_destroy': 'w->distance_grid = NULL', 'mote_hair_destroy': 'w->hair = NULL',
        'mote_cluster_destroy': 'misuse_ranks.other = NULL'}

# What a call without a code returns for wrong arguments, as its comment says: a test of `it`. A call that
# returns nothing, or is not here, makes no difference between right and wrong arguments.
EMPTY = {
    'mote_chain_frequency': 'isnan(it)', 'mote_integrator_stable_step': 'isnan(it)',
    'mote_integrator_dead_zone': 'isnan(it.still_speed)', 'mote_integrator_describe': '!it',
    'mote_force_name': '!strcmp(it, "unknown")', 'mote_hair_item_name': '!strcmp(it, "unknown")',
    'mote_isa_name': '!strcmp(it, "unknown")', 'mote_isa_available': '!it',
    'mote_followers_count': 'it == 0', 'mote_followers_first_vertex': 'it == MOTE_NO_VERTEX',
    'mote_followers_vertex_count': 'it == 0', 'mote_followers_index_count': 'it == 0',
    'mote_strands_first_vertex': 'it == MOTE_NO_VERTEX', 'mote_strands_vertex_count': 'it == 0',
    'mote_strands_index_count': 'it == 0', 'mote_strands_points': 'it == 0',
    'mote_strands_slot': 'it == MOTE_NO_SLOT', 'mote_network_slot': 'it == MOTE_NO_SLOT',
    'mote_system_slot': 'it == MOTE_NO_SLOT', 'mote_strands_columns': 'it.slot_count == 0',
    'mote_network_columns': 'it.slot_count == 0', 'mote_network_frozen': '!it', 'mote_network_torn': '!it',
    'mote_hair_strand_points': 'it == 0', 'mote_strand_substeps': 'it == 1', 'mote_system_age': 'it == 0',
    'mote_system_available': 'it == 0', 'mote_system_count': 'it == 0', 'mote_system_hash': 'it == 0',
    'mote_system_steps': 'it == 0', 'mote_system_tick': 'it == 0', 'mote_system_time': 'it == 0',
    'mote_system_timestep': 'it == 0', 'mote_system_view': 'it.count == 0',
    'mote_cluster_transport': '!it',
    'mote_transform_multiply': 'misuse_no_rotation(&it)', 'mote_transform_inverse': 'misuse_no_rotation(&it)',
}
# The calls that are legal in the step hook (mote_system_set_step_hook) though they have BUSY.
LEGAL_IN_HOOK = (
    'mote_system_spawn', 'mote_system_kill', 'mote_system_kill_slots', 'mote_system_emit',
    'mote_system_impulse', 'mote_system_set_inverse_mass', 'mote_system_teleport',
    'mote_system_external_forces', 'mote_system_external_torques', 'mote_system_births',
    'mote_system_deaths', 'mote_system_hits',
)
# Arrays of which the first element is made wrong: how many are copied before.
ELEMENTS = {'float': 64, 'uint32_t': 8, 'mote_spring': 4, 'mote_triangle': 1, 'mote_particle_id': 1,
            'mote_transform': 1, 'mote_force_def': 1, 'mote_size_key': 2, 'mote_colour_key': 2}
# Structs whose arrays calls read though the host may write them.
WRITABLE = ('mote_hair',)
# What a field needs beside it to count.
KEYS = ('{0}.size_offset = 0, {0}.size_keys = w->size_keys, {0}.size_key_count = 2, '
        '{0}.colour_offset = 4, {0}.stride = 20, {0}.colour_keys = w->colour_keys, {0}.colour_key_count = 2')
ROD = '{0}.bending_stiffness = {0}.twisting_stiffness = 1e-3f'
PREPARE = {
    **{f'mote_present_layout {field}': KEYS for field in ('size_keys', 'size_key_count', 'size_column',
                                                          'colour_keys', 'colour_key_count')},
    'mote_present_layout order': '{0}.order = w->few, {0}.order_count = 4',
    **{f'mote_strands_def {field}': ROD for field in (
        'twisting_stiffness', 'point_twisting_stiffness', 'bending_ratio', 'point_bending_ratio',
        'point_axis', 'rest_acceleration')},
    # Without the array no count is its length: they disagree, which the library can find.
    **dict.fromkeys(('mote_hair strand_count', 'mote_hair default_segments'), '{0}.strand_points = NULL'),
}
# Memory whose alignment a header speaks of. All other pointers need the alignment of their type, which
# mote/result.h says and no call checks: a wrong one is undefined in C before a call begins.
ALIGNMENT = {
    # What moves with the address: bytes to move, and the memory.
    'mote_system_restore memory': ('w->snapshot_bytes', 'w->snapshot'),
    'mote_hair_read bytes': ('w->file_bytes', 'w->file'),
    **dict.fromkeys(('mote_system_save memory', 'mote_system_present vertices',
                     'mote_network_present vertices', 'mote_strands_present vertices',
                     'mote_followers_present vertices', 'mote_hair_write bytes'), ('0', 'w->memory')),
    'mote_mesh_normals vertices': ('0', 'w->mesh'),
    'mote_system_order order': ('0', 'w->numbers'),
    **dict.fromkeys([f'mote_columns {field}.{axis}' for field in ('position', 'velocity', 'anchor')
                     for axis in 'xyz'] + ['mote_columns inverse_mass'], ('0', 'w->floats')),
}
