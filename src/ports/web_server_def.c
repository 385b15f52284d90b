#include "ports/embedded_page.h"

cairn_web_server_def cairn_web_server_def_default(void)
{
    return (cairn_web_server_def){.bind = "127.0.0.1", .port = 8080, .files = cairn_embedded_page};
}
