#pragma once

#include "CSimdJSON.h"

#include <simdjson.h>

#include <cstring>
#include <memory>
#include <new>

/// A key of an object, with escapes resolved.
struct csj_key {
    const uint8_t *bytes;
    uint32_t length;

    bool operator==(const csj_key &other) const {
        return length == other.length && std::memcmp(bytes, other.bytes, length) == 0;
    }

    bool operator<(const csj_key &other) const {
        if (length != other.length) { return length < other.length; }
        const int order = std::memcmp(bytes, other.bytes, length);
        // Of equal keys, the first one in the text is the lesser.
        return order != 0 ? order < 0 : bytes < other.bytes;
    }
};

/// A cheap test that no two keys of an object are equal: a 64-bit set, in which a key's bit depends on its length and
/// on its first and last byte, in which most keys differ.
struct csj_key_marks {
    uint64_t seen = 0;
    /// True if two keys may be equal.
    bool has_twins = false;

    /// In memory the length precedes the bytes of a key, and a zero follows an empty one.
    void add(const csj_key &key) {
        const uint64_t bit = uint64_t{1} << ((key.length + key.bytes[0] + key.bytes[int64_t{key.length} - 1]) & 63);
        has_twins |= (seen & bit) != 0;
        seen |= bit;
    }
};

/// The indexes of a value in the parser's two lists.
struct csj_place {
    uint32_t tape_index;
    uint32_t structural_index;
};

/// The members of one container, of which there are at most CSJ_MAX_MEMBERS, and the document that describes them.
struct csj_list {
    csj_member *members = nullptr;
    csj_document document{};
};

inline bool csj_is_space(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

struct csj_parser {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> implementation;
    simdjson::dom::document document;
    /// The members of the three lists. They are one block, which is large enough for an allocator to map it alone: then
    /// pages without members take no memory.
    std::unique_ptr<csj_member[]> members{new (std::nothrow) csj_member[3 * CSJ_MAX_MEMBERS]};
    csj_list root;
    csj_list opened;
    csj_list inner;
    std::unique_ptr<csj_key[]> keys{new (std::nothrow) csj_key[CSJ_MAX_MEMBERS]};
    std::unique_ptr<uint8_t[]> copy;
    size_t copy_capacity = 0;
    /// The longest text, and the longest one that fits the memory so far.
    size_t capacity = 0;
    size_t allocated = 0;
    const uint8_t *text = nullptr;
    size_t length = 0;

    bool grow(size_t wanted);
    const uint8_t *padded(const void *bytes, size_t count, size_t readable);
    csj_result scan();
    csj_result failed(simdjson::error_code code);
    csj_result failed_number();
    csj_result read_root();
    csj_result list(csj_list &into, const csj_value &container, bool is_new);
    csj_result read_member(csj_value &value, csj_place &at, bool is_new);
    void read_value(csj_value &value, csj_place at);
    csj_result pass(csj_place &at, bool is_new);
    csj_result check_container(uint64_t here, uint32_t tape_index, uint32_t depth);
    bool has_repeated_key(uint32_t tape_index, uint32_t member_count);
    uint32_t place_of(const csj_key &wanted) const;
    const csj_key *first_twin(uint32_t count) const;
    const csj_key *sorted_twin(uint32_t count);

    static bool is_container(const csj_value &value) {
        return value.kind == csj_kind_object || value.kind == csj_kind_array;
    }
    static uint8_t type_of(uint64_t word) { return static_cast<uint8_t>(word >> 56); }
    uint64_t word(uint32_t index) const { return document.tape[index]; }
    uint32_t structural(uint32_t index) const { return implementation->structural_indexes[index]; }

    /// Returns the tape index right after the value at `index`.
    uint32_t after(uint32_t index) const {
        const uint64_t here = word(index);
        const uint8_t type = type_of(here);
        if (type == '{' || type == '[') { return static_cast<uint32_t>(here); }
        return index + (type == 'l' || type == 'u' || type == 'd' ? 2 : 1);
    }

    csj_key key(uint32_t index) const {
        const uint8_t *place = document.string_buf.get() + (word(index) & 0x00FFFFFFFFFFFFFF);
        uint32_t length;
        std::memcpy(&length, place, sizeof length);
        return csj_key{place + sizeof length, length};
    }
};
