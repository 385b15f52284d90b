// radio_streams.h - which stream each radio message travels in.
#pragma once
#include "link/link.h"
#include "messages/codec.h"

// CAIRN_ERR_UNSUPPORTED for a message that no stream carries.
CAIRN_CHECKED cairn_err cairn_link_stream_of(uint8_t message_id, cairn_link_stream *ret_stream);
