// Whether the ports of station, simulator and page are free, and if not, who has them.
#include "commands/doctor/doctor.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LISTENING 0x0au // of a TCP socket in /proc/net/tcp

typedef struct port_use {
    const char *what;
    uint16_t port;
    bool tcp;
    cairn_role role;
    const char *option; // where another one is set
} port_use;

static bool is_free(const port_use *use, int *ret_why)
{
    const int type = use->tcp ? SOCK_STREAM : SOCK_DGRAM;
    const int file = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (file < 0) {
        *ret_why = errno;
        return false;
    }
    // As a server does, so that connections which have just ended do not count.
    const int yes = 1;
    if (use->tcp) { setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes); }
    const struct sockaddr_in place = {
        .sin_family = AF_INET, .sin_port = htons(use->port), .sin_addr.s_addr = htonl(INADDR_ANY)};
    const bool bound = bind(file, (const struct sockaddr *)&place, sizeof place) == 0;
    *ret_why = bound ? 0 : errno;
    close(file);
    return bound;
}

// The kernel's number for the socket that has this port; 0 if none is listed.
static unsigned long socket_number(const char *list, const port_use *use)
{
    FILE *file = fopen(list, "re");
    if (file == NULL) { return 0; }
    char line[512];
    unsigned long found = 0;
    while (found == 0 && fgets(line, sizeof line, file) != NULL) {
        unsigned port = 0, state = 0;
        unsigned long number = 0;
        // NOLINTNEXTLINE(cert-err34-c): the kernel writes this file
        const int fields =
            sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %*u %*u %lu", &port, &state, &number);
        if (fields == 3 && port == use->port && (!use->tcp || state == LISTENING)) { found = number; }
    }
    fclose(file);
    return found;
}

static bool has_socket(const char *process, unsigned long number)
{
    char folder_path[300], wanted[64], path[600], target[64];
    snprintf(folder_path, sizeof folder_path, "/proc/%.32s/fd", process);
    snprintf(wanted, sizeof wanted, "socket:[%lu]", number);
    DIR *folder = opendir(folder_path);
    if (folder == NULL) { return false; } // another user's
    bool found = false;
    for (const struct dirent *entry = readdir(folder); entry != NULL && !found; entry = readdir(folder)) {
        snprintf(path, sizeof path, "%s/%.64s", folder_path, entry->d_name);
        const ssize_t size = readlink(path, target, sizeof target - 1);
        if (size <= 0) { continue; }
        target[size] = '\0';
        found = strcmp(target, wanted) == 0;
    }
    closedir(folder);
    return found;
}

// "cairn (process 4711)"; false if it cannot be seen.
static bool name_owner(unsigned long number, char *ret_name, size_t size_bytes)
{
    DIR *processes = opendir("/proc");
    if (processes == NULL) { return false; }
    bool found = false;
    for (const struct dirent *entry = readdir(processes); entry != NULL && !found; entry = readdir(processes)) {
        if (!isdigit((unsigned char)entry->d_name[0]) || !has_socket(entry->d_name, number)) { continue; }
        char path[64], name[64] = "a program";
        snprintf(path, sizeof path, "/proc/%.32s/comm", entry->d_name);
        cairn_first_line(path, name, sizeof name);
        snprintf(ret_name, size_bytes, "%s (process %.32s)", name, entry->d_name);
        found = true;
    }
    closedir(processes);
    return found;
}

static void look_at_port(cairn_examination *examination, const port_use *use)
{
    const char *kind = use->tcp ? "tcp" : "udp";
    int why = 0;
    if (is_free(use, &why)) {
        cairn_find(examination, use->what, "%u/%s is free", use->port, kind);
        return;
    }
    const cairn_verdict verdict = cairn_needed_by(examination, use->role);
    if (why != EADDRINUSE) {
        cairn_advise(cairn_find(examination, use->what, "%u/%s: %s", use->port, kind, strerror(why)), verdict,
                     "take a port above 1023 (%s)", use->option);
        return;
    }
    unsigned long number = socket_number(use->tcp ? "/proc/net/tcp" : "/proc/net/udp", use);
    if (number == 0) { number = socket_number(use->tcp ? "/proc/net/tcp6" : "/proc/net/udp6", use); }
    char owner[128] = "a program of another user";
    if (number != 0) { name_owner(number, owner, sizeof owner); }
    cairn_finding *finding = cairn_find(examination, use->what, "%u/%s is taken by %s", use->port, kind, owner);
    cairn_advise(finding, verdict, "end it, or take another port (%s)", use->option);
}

void cairn_examine_ports(cairn_examination *examination)
{
    const port_use uses[] = {
        {"station port", examination->station_port, false, CAIRN_FOR_STATION, "`listen` in the station's file"},
        {"simulator port", examination->sim_port, false, CAIRN_FOR_SIM, "`cairn sim --port N`"},
        {"page port", examination->page_port, true, CAIRN_FOR_STATION, "`page: port` in the station's file"},
    };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) { look_at_port(examination, &uses[i]); }
}
