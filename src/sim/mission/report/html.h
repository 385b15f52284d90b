// html.h - words and pictures of outside for a page: whatever they hold, they stay words and pictures.
//
// Pages are written so that an XML parser reads them, too.
#pragma once
#include "base/status.h"
#include <stdio.h>

// Text for between tags and for attributes in double quotes. Control characters become question marks.
void cairn_html_text(FILE *to, const char *text);
void cairn_html_base64(FILE *to, const uint8_t *bytes, size_t size);
