#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// The bytes past a text that simdjson may look at; they are read, never used.
#define CSJ_PADDING 64
/// How many arrays and objects may lie inside one another.
#define CSJ_MAX_DEPTH 64
/// How many members one object, or elements the outermost array, may have.
#define CSJ_MAX_MEMBERS 10000

#if defined(__SSE2__)
/// 16 bytes, as numbers with and without a sign, and as many of one byte.
typedef signed char csj_block __attribute__((vector_size(16)));
typedef unsigned char csj_bytes __attribute__((vector_size(16)));
typedef char csj_chars __attribute__((vector_size(16)));

static inline csj_block csj_load(const void *_Nonnull bytes) {
    csj_block block;
    __builtin_memcpy(&block, bytes, 16);
    return block;
}

static inline csj_block csj_each(uint8_t byte) { return (csj_block){} + (signed char)byte; }

/// The highest bit of each byte.
static inline unsigned csj_bits(csj_block block) { return (unsigned)__builtin_ia32_pmovmskb128((csj_chars)block); }
#endif

/// Where a byte first stands in `length` bytes; `length` where it does not. What is looked for mostly stands near: it is
/// found without a call.
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

/// True when two pieces of so many bytes are the same; mostly they are short, and a call would cost more than to look.
static inline bool csj_equal(const void *_Nonnull one, const void *_Nonnull other, size_t length) {
    const uint8_t *left = (const uint8_t *)one, *right = (const uint8_t *)other;
    uint64_t first, second;
    if (length > 24) return __builtin_memcmp(one, other, length) == 0;
    if (length >= 8) {
        uint64_t difference = 0;
        for (size_t index = 0; index + 8 < length; index += 8) {
            __builtin_memcpy(&first, left + index, 8);
            __builtin_memcpy(&second, right + index, 8);
            difference |= first ^ second;
        }
        __builtin_memcpy(&first, left + length - 8, 8);
        __builtin_memcpy(&second, right + length - 8, 8);
        return (difference | (first ^ second)) == 0;
    }
    if (length >= 4) {
        uint32_t begins[2], ends[2];
        __builtin_memcpy(begins, left, 4);
        __builtin_memcpy(begins + 1, right, 4);
        __builtin_memcpy(ends, left + length - 4, 4);
        __builtin_memcpy(ends + 1, right + length - 4, 4);
        return ((begins[0] ^ begins[1]) | (ends[0] ^ ends[1])) == 0;
    }
    for (size_t index = 0; index < length; index++) {
        if (left[index] != right[index]) return false;
    }
    return true;
}

/// At most 16 bytes as two numbers, which are others for other bytes of the same length.
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

/// True when each byte is of the alphabet of IDs: `A–Z a–z 0–9 . _ ~ -`.
static inline bool csj_spells_name(const void *_Nullable bytes, size_t length) {
    const uint8_t *text = (const uint8_t *)bytes;
    size_t index = 0;
#if defined(__SSE2__)
    if (length >= 16) {
        for (; index + 16 < length; index += 16) {
            if (!csj_is_alphabet(csj_load(text + index))) return false;
        }
        // The last bytes with some before them, which are looked at twice.
        return csj_is_alphabet(csj_load(text + length - 16));
    }
    if (length >= 8) {
        const csj_name halves = csj_pack(bytes, length);
        return csj_is_alphabet(csj_load(&halves));
    }
#endif
    // A bit for each byte below 64, and for each from there to 127.
    const uint64_t low = 0x03FF600000000000, high = 0x47FFFFFE87FFFFFE;
    for (; index < length; index++) {
        const uint8_t byte = text[index];
        if (byte >= 128 || !((byte < 64 ? low : high) >> (byte & 63) & 1)) return false;
    }
    return true;
}

/// How many ASCII letters the bytes begin with.
static inline size_t csj_letters(const void *_Nullable bytes, size_t length) {
    const uint8_t *text = (const uint8_t *)bytes;
    size_t index = 0;
    while (index < length && (uint8_t)((text[index] | 0x20) - 0x61) < 26) index++;
    return index;
}

/// True when each byte is ASCII and no control byte, DEL being one.
static inline bool csj_is_printable(const void *_Nullable bytes, size_t length) {
    const uint8_t *text = (const uint8_t *)bytes;
    size_t index = 0;
#if defined(__SSE2__)
    if (length >= 16) {
        // The last bytes with some before them, which are looked at twice. How far a byte is behind the space, round
        // the end of what a byte can be, is at most 0x5E for those alone.
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
/// Which of 16 bytes cannot stand in a JSON string as they are, one bit each; and which are not ASCII.
static inline unsigned csj_stops(const uint8_t *_Nonnull text, unsigned *_Nonnull not_ascii) {
    const csj_block block = csj_load(text);
    // Bytes are signed here: those that are not ASCII are below the space as well, and told apart after it.
    *not_ascii = csj_bits(block);
    return csj_bits((block == 34) | (block == 92) | (block < 32)) & ~*not_ascii;
}
#endif

/// How many bytes of `text` stand in a JSON string as they are: up to the first quote, backslash or control character.
/// Notes whether any of them is not ASCII.
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
    // The last bytes once more with some before them, which are known to be plain.
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

/// A JSON parser that is made once and used for one text after another, by one thread at a time.
typedef struct csj_parser csj_parser;

typedef enum __attribute__((enum_extensibility(closed))) csj_result : uint8_t {
    /// The text is one whole, strict JSON value.
    csj_result_ok,
    /// There is nothing but white space.
    csj_result_empty,
    csj_result_not_json,
    csj_result_too_deep,
    /// Two members of one object have the same key, escapes resolved; see `error_key` and `error_offset`.
    csj_result_duplicate_key,
    /// An integer past 64 bits, or a number past the greatest double; see `error_offset`.
    csj_result_number_does_not_fit,
    csj_result_too_many_members,
    /// Longer than the capacity that the parser was made with.
    csj_result_too_long,
    csj_result_no_memory,
} csj_result;

typedef enum __attribute__((enum_extensibility(closed))) csj_kind : uint8_t {
    csj_kind_null,
    csj_kind_boolean,
    /// Fits `int64_t` and was written without fraction and exponent.
    csj_kind_integer,
    /// Any other number; always finite.
    csj_kind_number,
    csj_kind_string,
    csj_kind_object,
    csj_kind_array,
} csj_kind;

/// A value of the text. The pointers are good until the parser's next scan. What is of another kind is zero.
typedef struct csj_value {
    /// `string`: the characters, escapes resolved, well-formed UTF-8; otherwise null.
    const uint8_t *_Nullable string;
    int64_t integer;
    double number;
    uint32_t string_length;
    /// Where the value lies in the text as it came, without white space around it.
    uint32_t raw_offset;
    uint32_t raw_length;
    /// Where the value lies in the parser's own lists.
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

/// What a scan found.
typedef struct csj_document {
    csj_value root;
    /// The members or elements of the root, in the order of the text.
    const csj_member *_Nonnull members;
    /// `csj_result_duplicate_key`: the key, escapes resolved.
    const uint8_t *_Nullable error_key;
    uint32_t error_key_length;
    /// How far into the text the error is; 0 where that is not known.
    uint32_t error_offset;
    uint32_t count;
    csj_result result;
} csj_document;

/// Makes a parser for texts of at most `capacity` bytes; null when there is no memory.
csj_parser *_Nullable csj_create(size_t capacity);

void csj_destroy(csj_parser *_Nullable parser);

/// Scans one text wholly and strictly. `readable` says how many bytes from `text` on may be read:
/// when that is less than `length + CSJ_PADDING`, the text is copied first.
/// The answer belongs to the parser and is good until its next scan.
const csj_document *_Nonnull csj_scan(
    csj_parser *_Nonnull parser, const void *_Nullable text, size_t length, size_t readable);

/// Lists the members of one object among the elements (or members) that the last scan found, without scanning again.
/// The answer has `csj_result_ok` and a count of 0 when that value is no object; it is good until the next call.
const csj_document *_Nonnull csj_open(csj_parser *_Nonnull parser, uint32_t index);

/// Lists the elements of an array wherever it stands in what the last scan found, without scanning again.
/// The answer has `csj_result_ok` and a count of 0 when the value is no array; it is good until the next call.
const csj_document *_Nonnull csj_elements(csj_parser *_Nonnull parser, const csj_value *_Nonnull value);

/// True when the bytes are well-formed UTF-8.
bool csj_is_utf8(const void *_Nullable bytes, size_t length);

#if defined(__cplusplus)
}
#endif
