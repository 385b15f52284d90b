// embedded_page.h - the page that tools/embed.py put into this program.
#pragma once
#include "ports/web_server.h"

extern const cairn_web_files cairn_embedded_page; // count 0: none
