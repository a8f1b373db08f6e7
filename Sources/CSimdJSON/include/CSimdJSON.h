#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// The number of bytes behind a text that simdjson may read; it never uses them.
#define CSJ_PADDING 64
/// The greatest depth of nested arrays and objects.
#define CSJ_MAX_DEPTH 64
/// The greatest number of members in one object, or of elements in the outermost array.
#define CSJ_MAX_MEMBERS 10000

#if defined(__SSE2__)
/// Vectors of 16 bytes: signed, unsigned, and plain characters.
typedef signed char csj_block __attribute__((vector_size(16)));
typedef unsigned char csj_bytes __attribute__((vector_size(16)));
typedef char csj_chars __attribute__((vector_size(16)));

static inline csj_block csj_load(const void *_Nonnull bytes) {
    csj_block block;
    __builtin_memcpy(&block, bytes, 16);
    return block;
}

static inline csj_block csj_each(uint8_t byte) { return (csj_block){} + (signed char)byte; }

/// Returns the highest bit of each byte.
static inline unsigned csj_bits(csj_block block) { return (unsigned)__builtin_ia32_pmovmskb128((csj_chars)block); }
#endif

/// Returns the index of the first such byte in `length` bytes; `length` if there is none. The first 16 bytes are
/// searched without a call, since the byte is mostly near.
static inline size_t csj_find_byte(const void *_Nullable bytes, uint8_t byte, size_t length) {
#if defined(__SSE2__)
    if (length >= 16) {
        const unsigned hits = csj_bits(csj_load(bytes) == csj_each(byte));
        if (hits) return (size_t)__builtin_ctz(hits);
    }
#endif
    const void *_Nullable found = length ? __builtin_memchr(bytes, byte, length) : 0;
    return found ? (size_t)((const char *)found - (const char *)bytes) : length;
}

/// At most 16 bytes packed into two numbers, which differ for different bytes of the same length.
typedef struct csj_name {
    uint64_t first;
    uint64_t second;
} csj_name;

static inline csj_name csj_pack(const void *_Nullable bytes, size_t length) {
    const uint8_t *text = (const uint8_t *)bytes;
    csj_name name = {0, 0};
    if (length >= 8) {
        __builtin_memcpy(&name.first, text, 8);
        __builtin_memcpy(&name.second, text + length - 8, 8);
    } else if (length >= 4) {
        __builtin_memcpy(&name.first, text, 4);
        __builtin_memcpy(&name.second, text + length - 4, 4);
    } else {
        for (size_t index = 0; index < length; index++) name.first = name.first << 8 | text[index];
    }
    return name;
}

#if defined(__SSE2__)
static inline bool csj_is_alphabet(csj_block bytes) {
    const csj_bytes block = (csj_bytes)bytes;
    const csj_block letters = (block | 0x20) - (unsigned char)0x61 < 26;
    const csj_block digits = block - (unsigned char)0x30 < 10;
    const csj_block marks = (block - (unsigned char)0x2D < 2) | (block == 0x5F) | (block == 0x7E);
    return csj_bits(letters | digits | marks) == 0xFFFF;
}
#endif

/// Returns whether each byte is of the ID alphabet: `A–Z a–z 0–9 . _ ~ -`.
static inline bool csj_spells_name(const void *_Nullable bytes, size_t length) {
    const uint8_t *text = (const uint8_t *)bytes;
    size_t index = 0;
#if defined(__SSE2__)
    if (length >= 16) {
        for (; index + 16 < length; index += 16) {
            if (!csj_is_alphabet(csj_load(text + index))) return false;
        }
        // The last 16 bytes overlap those that were tested.
        return csj_is_alphabet(csj_load(text + length - 16));
    }
    if (length >= 8) {
        const csj_name halves = csj_pack(bytes, length);
        return csj_is_alphabet(csj_load(&halves));
    }
#endif
    // A bit for each allowed byte below 64, and for each from 64 to 127.
    const uint64_t low = 0x03FF600000000000, high = 0x47FFFFFE87FFFFFE;
    for (; index < length; index++) {
        const uint8_t byte = text[index];
        if (byte >= 128 || !((byte < 64 ? low : high) >> (byte & 63) & 1)) return false;
    }
    return true;
}

/// Returns the number of ASCII letters at the start of the bytes.
static inline size_t csj_letters(const void *_Nullable bytes, size_t length) {
    const uint8_t *text = (const uint8_t *)bytes;
    size_t index = 0;
    while (index < length && (uint8_t)((text[index] | 0x20) - 0x61) < 26) index++;
    return index;
}

/// Returns whether each byte is ASCII and neither a control byte nor DEL.
static inline bool csj_is_printable(const void *_Nullable bytes, size_t length) {
    const uint8_t *text = (const uint8_t *)bytes;
    size_t index = 0;
#if defined(__SSE2__)
    if (length >= 16) {
        // The last 16 bytes overlap those that were tested. Subtracting the space wraps around, which leaves at most
        // 0x5E for printable bytes alone.
        csj_bytes most = (csj_bytes)csj_load(text + length - 16) - (unsigned char)0x20;
        for (; index + 16 < length; index += 16) {
            most = __builtin_elementwise_max(most, (csj_bytes)csj_load(text + index) - (unsigned char)0x20);
        }
        return csj_bits((csj_block)(most > 0x5E)) == 0;
    }
#endif
    for (; index < length; index++) {
        if (text[index] < 0x20 || text[index] > 0x7E) return false;
    }
    return true;
}

#if defined(__SSE2__)
/// Returns a bit for each of 16 bytes that needs a JSON escape; `not_ascii` gets a bit for each that is not ASCII.
static inline unsigned csj_stops(const uint8_t *_Nonnull text, unsigned *_Nonnull not_ascii) {
    const csj_block block = csj_load(text);
    // Bytes are signed here: those that are not ASCII are below the space as well, so they are masked out.
    *not_ascii = csj_bits(block);
    return csj_bits((block == 34) | (block == 92) | (block < 32)) & ~*not_ascii;
}
#endif

/// Returns the number of leading bytes that need no escape in a JSON string: up to the first quote, backslash or
/// control character. `is_ascii` tells whether all of them are ASCII.
static inline size_t csj_plain_length(const uint8_t *_Nonnull text, size_t length, bool *_Nonnull is_ascii) {
    size_t index = 0;
    unsigned high = 0;
#if defined(__SSE2__)
    unsigned not_ascii = 0;
    for (; index + 16 <= length; index += 16) {
        const unsigned stops = csj_stops(text + index, &not_ascii);
        if (stops) {
            const unsigned place = (unsigned)__builtin_ctz(stops);
            *is_ascii = !(high | (not_ascii & ((1u << place) - 1)));
            return index + place;
        }
        high |= not_ascii;
    }
    // The last 16 bytes overlap those that were tested, which are plain.
    if (index < length && length >= 16 && !csj_stops(text + length - 16, &not_ascii)) {
        *is_ascii = !(high | not_ascii);
        return length;
    }
#endif
    for (; index < length; index++) {
        const uint8_t byte = text[index];
        if (byte == 34 || byte == 92 || byte < 32) break;
        high |= byte & 0x80;
    }
    *is_ascii = !high;
    return index;
}

/// A reusable JSON parser, for one thread at a time.
typedef struct csj_parser csj_parser;

typedef enum __attribute__((enum_extensibility(closed))) csj_result : uint8_t {
    /// The text is one whole, strict JSON value.
    csj_result_ok,
    /// The text is only white space.
    csj_result_empty,
    csj_result_not_json,
    csj_result_too_deep,
    /// Two members of one object have the same key with escapes resolved; see `error_key` and `error_offset`.
    csj_result_duplicate_key,
    /// An integer of more than 64 bits, or a number beyond the greatest double; see `error_offset`.
    csj_result_number_does_not_fit,
    csj_result_too_many_members,
    /// The text is longer than the parser's capacity.
    csj_result_too_long,
    csj_result_no_memory,
} csj_result;

typedef enum __attribute__((enum_extensibility(closed))) csj_kind : uint8_t {
    csj_kind_null,
    csj_kind_boolean,
    /// A number that fits `int64_t` and has neither a fraction nor an exponent.
    csj_kind_integer,
    /// Any other number; always finite.
    csj_kind_number,
    csj_kind_string,
    csj_kind_object,
    csj_kind_array,
} csj_kind;

/// A value of the text. The pointers are valid until the parser's next scan. Fields of other kinds are zero.
typedef struct csj_value {
    /// `string`: the characters with escapes resolved, in well-formed UTF-8; otherwise null.
    const uint8_t *_Nullable string;
    int64_t integer;
    double number;
    uint32_t string_length;
    /// The value's offset in the text, without white space around it.
    uint32_t raw_offset;
    uint32_t raw_length;
    /// The indexes of the value in the parser's own lists.
    uint32_t tape_index;
    uint32_t structural_index;
    csj_kind kind;
    bool boolean;
} csj_value;

/// A member of an object, or an element of an array (then without a key).
typedef struct csj_member {
    const uint8_t *_Nullable key;
    uint32_t key_length;
    csj_value value;
} csj_member;

/// The result of a scan.
typedef struct csj_document {
    csj_value root;
    /// The members or elements of the root, in the order of the text.
    const csj_member *_Nonnull members;
    /// `csj_result_duplicate_key`: the key with escapes resolved.
    const uint8_t *_Nullable error_key;
    uint32_t error_key_length;
    /// The offset of the error in the text; 0 if it is not known.
    uint32_t error_offset;
    uint32_t count;
    csj_result result;
} csj_document;

/// Creates a parser for texts of at most `capacity` bytes; returns null if there is no memory.
csj_parser *_Nullable csj_create(size_t capacity);

void csj_destroy(csj_parser *_Nullable parser);

/// Scans one whole text strictly. `readable` is the number of readable bytes from `text` on:
/// if it is less than `length + CSJ_PADDING`, the text is copied first.
/// The result belongs to the parser and is valid until its next scan.
const csj_document *_Nonnull csj_scan(
    csj_parser *_Nonnull parser, const void *_Nullable text, size_t length, size_t readable);

/// Lists the members of one object among the elements (or members) of the last scan, without scanning again.
/// The result is `csj_result_ok` with a count of 0 if the value is no object; it is valid until the next call.
const csj_document *_Nonnull csj_open(csj_parser *_Nonnull parser, uint32_t index);

/// Lists the elements of an array anywhere in the last scan, without scanning again.
/// The result is `csj_result_ok` with a count of 0 if the value is no array; it is valid until the next call.
const csj_document *_Nonnull csj_elements(csj_parser *_Nonnull parser, const csj_value *_Nonnull value);

/// A walk over the members of an object or the elements of an array.
typedef struct csj_walk {
    uint32_t tape_index;
    uint32_t structural_index;
    uint32_t end;
    bool is_object;
} csj_walk;

/// Begins a walk over an object or an array anywhere in the last scan; a walk over another value ends at once.
csj_walk csj_begin(const csj_parser *_Nonnull parser, const csj_value *_Nonnull value);

/// Reads the next member or element; returns false at the end.
bool csj_next(csj_parser *_Nonnull parser, csj_walk *_Nonnull walk, csj_member *_Nonnull member);

/// Returns the number of members or elements of an object or an array, and at most 16,777,215; 0 for another value.
uint32_t csj_count(const csj_parser *_Nonnull parser, const csj_value *_Nonnull value);

/// Returns whether the bytes are well-formed UTF-8.
bool csj_is_utf8(const void *_Nullable bytes, size_t length);

#if defined(__cplusplus)
}
#endif
