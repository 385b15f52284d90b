// web_token_io.h - the secret that other machines' browsers must say before they see the page: a word in a file.
//
// The file is its owner's alone. It outlives the program, so that pages come back by themselves when a station was
// started again.
#pragma once
#include "base/status.h"

#define CAIRN_WEB_TOKEN_BYTES 65 // with its end
#define CAIRN_WEB_TOKEN_BYTES_MIN 16

// 16 to 64 letters, digits, '-' and '_': they stand in addresses and headers as they are.
bool cairn_web_token_fits(const char *token);

// Reads the token; makes a random one, and the file with mode 600, where there is none. CAIRN_ERR_INVALID when others
// may read the file, or there is no token in it; CAIRN_ERR_IO.
CAIRN_CHECKED cairn_err cairn_web_token_ensure(const char *path, cairn_complaints *complaints,
                                               char ret_token[static CAIRN_WEB_TOKEN_BYTES]);
