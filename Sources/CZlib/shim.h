#pragma once
#include <zlib.h>

// inflateInit2 is a macro. 16 more than the window: a gzip header and trailer, and nothing else.
static inline int czlib_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 16 + MAX_WBITS); }

// deflateInit2 is one too.
static inline int czlib_deflate_init_gzip(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}
