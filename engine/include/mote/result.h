/** @file
 * Result codes: every call that can fail returns one, in release builds too. */
#ifndef MOTE_RESULT_H
#define MOTE_RESULT_H

/** Exports a function from a shared library. Windows: a host that links the DLL may define MOTE_DLL, which
 * saves a jump in every call; the library itself is compiled with MOTE_EXPORTS. */
#if defined(_WIN32) && defined(MOTE_EXPORTS)
#define MOTE_EXPORT __declspec(dllexport)
#elif defined(_WIN32) && defined(MOTE_DLL)
#define MOTE_EXPORT __declspec(dllimport)
#elif defined(_WIN32)
#define MOTE_EXPORT
#elif defined(__GNUC__)
#define MOTE_EXPORT __attribute__((visibility("default")))
#else
#define MOTE_EXPORT
#endif

/** Marks the functions of the library: exported, and with C linkage in C++ too. */
#ifdef __cplusplus
#define MOTE_API extern "C" MOTE_EXPORT
#else
#define MOTE_API MOTE_EXPORT
#endif

/** Lists every code with its sentence. */
#define MOTE_RESULTS(X)                                                                                      \
    X(MOTE_OK, "The call succeeded.")                                                                        \
    X(MOTE_ERROR_NULL, "A required pointer is NULL.")                                                        \
    X(MOTE_ERROR_DEF, "The def was not filled by its default function.")                                     \
    X(MOTE_ERROR_NOT_FINITE, "A parameter is NaN or infinite where a finite number is needed.")              \
    X(MOTE_ERROR_RANGE, "A parameter lies outside its legal range.")                                         \
    X(MOTE_ERROR_ENUM, "An enumeration value is none of those declared.")                                    \
    X(MOTE_ERROR_ID, "The id names nothing that is alive in this system.")                                   \
    X(MOTE_ERROR_CAPACITY, "The reserved capacity is too small for the request.")                            \
    X(MOTE_ERROR_OVERFLOW, "A count or size overflows.")                                                     \
    X(MOTE_ERROR_MEMORY, "The allocator returned no memory.")                                                \
    X(MOTE_ERROR_BUSY, "The system is being stepped: the call came from inside a callback.")                 \
    X(MOTE_ERROR_ABSENT, "The system was created without the column or feature that the call needs.")        \
    X(MOTE_ERROR_ISA, "This build or this machine cannot run the instruction set asked for.")                \
    X(MOTE_ERROR_INTEGRATOR, "The integrator cannot step the forces given.")                                 \
    X(MOTE_ERROR_BUFFER, "The memory handed in is too small or misaligned for the layout.")                  \
    X(MOTE_ERROR_FILE, "The file is corrupt, cut short or of another format.")                               \
    X(MOTE_ERROR_STABILITY, "The springs are too stiff for the step, or grow at any step.")                  \
    X(MOTE_ERROR_UNSUPPORTED, "This build of the library was made without the feature.")                     \
    X(MOTE_ERROR_FOREIGN, "The snapshot is of a system that was set up by other calls.")                     \
    X(MOTE_ERROR_CALLS, "The ranks of the cluster made different calls.")                                    \
    X(MOTE_ERROR_CLUSTER, "A rank of the cluster cannot be reached, or the call serves no cluster.")

/** Takes the code of a row of MOTE_RESULTS. */
#define MOTE_RESULT_ENUMERATOR(code, sentence) code,
/** Result of a call: the codes of MOTE_RESULTS. A call that returns anything but MOTE_OK has changed nothing
 * except outputs that it clears: the id, view or pointer that it would have returned.
 *
 * A pointer to memory has the alignment of its type, where a comment does not allow any alignment. BUFFER is
 * returned for another one by mote_columns_check, mote_columns_step, mote_columns_kick and mote_system_order,
 * whose memory hosts cut out of blocks of their own; other calls do not look.
 *
 * Functions of the host that mote calls (callbacks, step hook, jobs, allocator) return to it: after an
 * exception or a longjmp out of a step the system stays busy for ever, and mote_system_destroy does nothing.
 *
 * The field of a def that was refused has a name. Every def has a check, mote_..._check(def, parameter),
 * which the calls that take the def make too; defs with arrays have a fault with the number of the item and a
 * member `parameter`. Either receives the name of the first field with an error as it stands in the struct,
 * without indices, or NULL where there is none; a static string. `parameter` itself may be NULL. Calls that
 * take one value (a count, a vector, a slot, an id) have a code alone, which says what is wrong with it. */
typedef enum mote_result { MOTE_RESULTS(MOTE_RESULT_ENUMERATOR) MOTE_RESULT_COUNT } mote_result;
#undef MOTE_RESULT_ENUMERATOR

/** Returns the sentence of a code, never NULL; an unknown code has a sentence too. Any thread. */
MOTE_API const char *mote_result_text(mote_result result);

#endif
