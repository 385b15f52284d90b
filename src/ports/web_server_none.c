// web_server_none.c - a build without libwebsockets: says so.
#include "ports/web_server.h"

cairn_err cairn_web_server_create(const cairn_web_server_def *def, cairn_complaints *complaints,
                                  cairn_web_server **ret_server)
{
    (void)def;
    (void)ret_server;
    cairn_complain(complaints, NULL, 0, "this build has no web server; install libwebsockets-dev, and build again");
    return CAIRN_ERR_UNSUPPORTED;
}

void cairn_web_server_destroy(cairn_web_server *server) { CAIRN_ASSERT(server == NULL); }

uint16_t cairn_web_server_port(const cairn_web_server *server)
{
    (void)server;
    return 0;
}

const char *cairn_web_server_address(const cairn_web_server *server)
{
    (void)server;
    return "";
}

const char *cairn_web_server_far_address(const cairn_web_server *server)
{
    (void)server;
    return "";
}
