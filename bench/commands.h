/* The subcommands: each has a file and a row in main.c. argv[0] is the name of the program, options follow.
 */
#ifndef BENCH_COMMANDS_H
#define BENCH_COMMANDS_H

int command_list(int argc, char **argv);
int command_limits(int argc, char **argv);
int command_run(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_threads(int argc, char **argv);
int command_curves(int argc, char **argv);
int command_soak(int argc, char **argv);
int command_throughput(int argc, char **argv);

#endif
