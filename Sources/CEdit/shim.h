#ifndef STORYKEEP_CEDIT_SHIM_H
#define STORYKEEP_CEDIT_SHIM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <editline/readline.h>

// The library's settings are global variables, which Swift does not take from C.

// Completes with a function alone, never with names of files, in words that these characters end.
static inline void storykeep_complete_with(char **(*complete)(const char *, int, int), char *breaks) {
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = breaks;
    rl_completion_query_items = 200;
}

// Reads what is typed with this function, which returns a character's number, or EOF.
static inline void storykeep_read_with(int (*read_character)(FILE *)) { rl_getc_function = read_character; }

// The line as it is; null before the first.
static inline const char *storykeep_line(void) { return rl_line_buffer; }

// What is put behind the only completion; 0: nothing. No other completion is tried.
static inline void storykeep_completed(int append) {
    rl_completion_append_character = append;
    rl_attempted_completion_over = 1;
}

#endif
