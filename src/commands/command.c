#include "commands/command.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cairn_usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry `%s --help`.\n", command);
    va_end(arguments);
    return CAIRN_EXIT_USAGE;
}

int cairn_command_failed(const char *command, cairn_err err, const cairn_complaints *complaints)
{
    (void)fflush(stdout); // what went well comes first, also where both go to one pipe
    if (complaints->count == 0) {
        fprintf(stderr, "%s: failed: %s\n", command, cairn_err_name(err));
    } else {
        fputs(complaints->text, stderr);
    }
    return CAIRN_EXIT_FAILED;
}

void cairn_command_serve(void (*handler)(int signal_number))
{
    const struct sigaction action = {.sa_handler = handler}, ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

// "--seed", "-o".
static const char *dashes(const cairn_option *option) { return option->name[1] == '\0' ? "-" : "--"; }

// As many as it takes to write a bound; "%g" would write a million as 1e+06.
static int decimals_of(double value)
{
    int count = 0;
    for (double scaled = value; count < 6 && fabs(scaled - round(scaled)) > 1e-9; count++) { scaled *= 10; }
    return count;
}

static bool set_number(const char *command, const cairn_option *option, const char *text)
{
    char *end = NULL;
    errno = 0;
    const bool whole = option->kind == CAIRN_OPTION_COUNT;
    const unsigned long long count = whole ? strtoull(text, &end, 10) : 0;
    const double real = whole ? (double)count : strtod(text, &end);
    const bool bad = end == text || *end != '\0' || errno != 0 || (whole && strchr(text, '-') != NULL);
    if (bad || !(real >= option->min && real <= option->max)) {
        cairn_usage_error(command, "%s%s wants a %s from %.*f to %.*f, not '%s'", dashes(option), option->name,
                          whole ? "whole number" : "number", decimals_of(option->min), option->min,
                          decimals_of(option->max), option->max, text);
        return false;
    }
    if (whole) {
        *(uint64_t *)option->value = count;
    } else {
        *(double *)option->value = real;
    }
    return true;
}

static const cairn_option *find_option(const cairn_option *options, size_t option_count, const char *word,
                                       size_t length)
{
    for (size_t i = 0; i < option_count; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0) { return &options[i]; }
    }
    return NULL;
}

// Takes the option at argv[*at] (and its value); false after having said what is wrong.
static bool take_option(const char *command, int argc, char **argv, int *at, const cairn_option *options,
                        size_t option_count)
{
    const char *word = argv[*at] + (argv[*at][1] == '-' ? 2 : 1);
    const char *equals = strchr(word, '=');
    const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const cairn_option *option = find_option(options, option_count, word, length);
    if (option == NULL) {
        cairn_usage_error(command, "there is no option '%s'", argv[*at]);
        return false;
    }
    if (option->kind == CAIRN_OPTION_FLAG) {
        if (equals != NULL) {
            cairn_usage_error(command, "%s%s takes no value, not '%s'", dashes(option), option->name, equals + 1);
            return false;
        }
        *(bool *)option->value = true;
        return true;
    }
    const char *value = equals != NULL ? equals + 1 : *at + 1 < argc ? argv[++*at] : NULL;
    if (value == NULL || *value == '\0') {
        cairn_usage_error(command, "%s%s wants a value", dashes(option), option->name);
        return false;
    }
    if (option->kind != CAIRN_OPTION_TEXT) { return set_number(command, option, value); }
    *(const char **)option->value = value;
    return true;
}

bool cairn_options_read(const char *command, const char *usage, int argc, char **argv, const cairn_option *options,
                        size_t option_count, const char **ret_words, size_t word_count_max, size_t *ret_word_count,
                        int *ret_status)
{
    *ret_word_count = 0;
    *ret_status = CAIRN_EXIT_USAGE;
    for (int at = 1; at < argc; at++) {
        if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
            fputs(usage, stdout);
            *ret_status = CAIRN_EXIT_DONE;
            return false;
        }
        if (argv[at][0] == '-' && argv[at][1] != '\0') {
            if (!take_option(command, argc, argv, &at, options, option_count)) { return false; }
        } else if (*ret_word_count == word_count_max) {
            cairn_usage_error(command, "'%s' is one word too many", argv[at]);
            return false;
        } else {
            ret_words[(*ret_word_count)++] = argv[at];
        }
    }
    *ret_status = CAIRN_EXIT_DONE;
    return true;
}
