#include "ports/embedded_page.h"
#include "ports/web_origin.h"

cairn_web_server_def cairn_web_server_def_default(void)
{
    return (cairn_web_server_def){.bind = "127.0.0.1", .port = 8080, .files = cairn_embedded_page};
}

bool cairn_web_server_wants_token(const char *bind, const char *names)
{
    return !cairn_web_is_loopback(bind) || (names != NULL && names[0] != '\0');
}
