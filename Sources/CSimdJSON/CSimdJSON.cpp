#include "CSimdJSON.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>

namespace {

// Objects with no more members than this are compared pair by pair: it is faster than sorting and needs no list.
constexpr uint32_t few_members = 16;
// Room for texts of this length from the beginning on; for longer ones it grows.
constexpr size_t first_capacity = 16384;

struct Key {
    const uint8_t *bytes;
    uint32_t length;

    bool operator==(const Key &other) const {
        return length == other.length && std::memcmp(bytes, other.bytes, length) == 0;
    }

    bool operator<(const Key &other) const {
        return length != other.length ? length < other.length : std::memcmp(bytes, other.bytes, length) < 0;
    }
};

struct List {
    std::unique_ptr<csj_member[]> members{new (std::nothrow) csj_member[CSJ_MAX_MEMBERS]};
    csj_document document{};
};

bool is_space(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }
bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
bool is_closing(uint8_t byte) { return byte == ',' || byte == ']' || byte == '}'; }

bool fits(const char *first, const char *last, bool is_integer) {
    double number;
    int64_t negative;
    uint64_t positive;
    if (!is_integer) { return std::from_chars(first, last, number).ec == std::errc(); }
    if (*first == '-') { return std::from_chars(first, last, negative).ec == std::errc(); }
    return std::from_chars(first, last, positive).ec == std::errc();
}

uint8_t type_of(uint64_t word) { return static_cast<uint8_t>(word >> 56); }

}  // namespace

struct csj_parser {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> implementation;
    simdjson::dom::document document;
    List root;
    List opened;
    std::unique_ptr<Key[]> sorted{new (std::nothrow) Key[CSJ_MAX_MEMBERS]};
    std::unique_ptr<uint8_t[]> copy;
    size_t copy_capacity = 0;
    /// The longest text, and the longest that there is room for now.
    size_t capacity = 0;
    size_t allocated = 0;
    const uint8_t *text = nullptr;
    size_t length = 0;

    bool grow(size_t wanted);
    const uint8_t *padded(const void *bytes, size_t count, size_t readable);
    csj_result scan();
    csj_result failed(simdjson::error_code code);
    csj_result failed_number();
    csj_result check_objects();
    bool has_repeated_key(uint32_t tape_index, uint32_t member_count);
    csj_result list(List &into, const csj_value &container);
    uint32_t read_value(csj_value &value, uint32_t tape_index, uint32_t structural_index);
    void read_raw_range(csj_value &value, uint32_t &structural_index);

    uint64_t word(uint32_t index) const { return document.tape[index]; }
    uint32_t structural(uint32_t index) const { return implementation->structural_indexes[index]; }

    /// The tape index right after the value at `index`.
    uint32_t after(uint32_t index) const {
        switch (type_of(word(index))) {
        case '{':
        case '[':
            return static_cast<uint32_t>(word(index));
        case 'l':
        case 'u':
        case 'd':
            return index + 2;
        default:
            return index + 1;
        }
    }

    Key key(uint32_t index) const {
        const uint8_t *place = document.string_buf.get() + (word(index) & 0x00FFFFFFFFFFFFFF);
        uint32_t length;
        std::memcpy(&length, place, sizeof length);
        return Key{place + sizeof length, length};
    }
};

bool csj_parser::grow(size_t wanted) {
    if (wanted <= allocated) { return true; }
    const size_t grown = std::min(capacity, std::max(wanted, std::max(allocated * 2, first_capacity)));
    // Until both have grown there is room for nothing.
    allocated = 0;
    if (!implementation) {
        const auto *active = &*simdjson::get_active_implementation();
        // More levels than the limit: what is too deep is told by check_objects(), which counts empty arrays too.
        if (active->create_dom_parser_implementation(grown, CSJ_MAX_DEPTH + 2, implementation)) { return false; }
    } else if (implementation->set_capacity(grown)) {
        return false;
    }
    if (document.allocate(grown)) { return false; }
    allocated = grown;
    return true;
}

const uint8_t *csj_parser::padded(const void *bytes, size_t count, size_t readable) {
    if (readable >= count + CSJ_PADDING) { return static_cast<const uint8_t *>(bytes); }
    if (copy_capacity < count + CSJ_PADDING) {
        const size_t grown = std::max(count + CSJ_PADDING, std::max<size_t>(copy_capacity * 2, 4096));
        copy.reset(new (std::nothrow) uint8_t[grown]);
        copy_capacity = copy ? grown : 0;
        if (!copy) { return nullptr; }
    }
    if (count > 0) { std::memcpy(copy.get(), bytes, count); }
    std::memset(copy.get() + count, ' ', CSJ_PADDING);
    return copy.get();
}

csj_result csj_parser::scan() {
    if (length == 0) { return csj_result_empty; }
    const auto error = implementation->parse(text, length, document);
    if (error) { return failed(error); }
    const auto checked = check_objects();
    if (checked != csj_result_ok) { return checked; }
    csj_value &value = root.document.root;
    read_value(value, 1, 0);
    uint32_t structural_index = 0;
    if (value.kind == csj_kind_object || value.kind == csj_kind_array) {
        read_raw_range(value, structural_index);
        return list(root, value);
    }
    value.raw_offset = structural(0);
    size_t end = length;
    while (end > value.raw_offset && is_space(text[end - 1])) { end -= 1; }
    value.raw_length = static_cast<uint32_t>(end) - value.raw_offset;
    return csj_result_ok;
}

csj_result csj_parser::failed(simdjson::error_code code) {
    switch (code) {
    case simdjson::EMPTY:
        return csj_result_empty;
    case simdjson::DEPTH_ERROR:
        return csj_result_too_deep;
    case simdjson::CAPACITY:
        return csj_result_too_long;
    case simdjson::MEMALLOC:
        return csj_result_no_memory;
    case simdjson::NUMBER_ERROR:
    case simdjson::NUMBER_OUT_OF_RANGE:
        return failed_number();
    default:
        return csj_result_not_json;
    }
}

// simdjson has one error for `01` and for `1e999`: a number that is spelled well but was refused does not fit.
csj_result csj_parser::failed_number() {
    for (uint32_t index = 0; index < implementation->n_structural_indexes; index++) {
        const size_t start = structural(index);
        size_t at = start;
        if (text[at] != '-' && !is_digit(text[at])) { continue; }
        const auto digits = [&] {
            const size_t first = at;
            while (at < length && is_digit(text[at])) { at += 1; }
            return at - first;
        };
        if (text[at] == '-') { at += 1; }
        const bool is_zero = at < length && text[at] == '0';
        const size_t whole = digits();
        bool is_spelled_well = whole > 0 && !(is_zero && whole > 1);
        bool is_integer = true;
        if (at < length && text[at] == '.') {
            at += 1;
            is_integer = false;
            is_spelled_well = digits() > 0 && is_spelled_well;
        }
        if (at < length && (text[at] == 'e' || text[at] == 'E')) {
            at += 1;
            is_integer = false;
            if (at < length && (text[at] == '+' || text[at] == '-')) { at += 1; }
            is_spelled_well = digits() > 0 && is_spelled_well;
        }
        const bool is_ended = at >= length || is_space(text[at]) || is_closing(text[at]);
        root.document.error_offset = static_cast<uint32_t>(start);
        if (!is_spelled_well || !is_ended) { return csj_result_not_json; }
        const char *first = reinterpret_cast<const char *>(text + start);
        const char *last = reinterpret_cast<const char *>(text + at);
        if (!fits(first, last, is_integer)) { return csj_result_number_does_not_fit; }
    }
    root.document.error_offset = 0;
    return csj_result_not_json;
}

// Goes over the tape from end to end, so depth costs no stack.
csj_result csj_parser::check_objects() {
    const uint32_t end = static_cast<uint32_t>(word(0)) - 1;
    uint32_t depth = 0;
    for (uint32_t index = 1; index < end; index++) {
        const uint64_t here = word(index);
        switch (type_of(here)) {
        case '{': {
            const uint32_t member_count = static_cast<uint32_t>(here >> 32) & 0xFFFFFF;
            if (++depth > CSJ_MAX_DEPTH) { return csj_result_too_deep; }
            if (member_count > CSJ_MAX_MEMBERS) { return csj_result_too_many_members; }
            if (member_count > 1 && has_repeated_key(index, member_count)) { return csj_result_duplicate_key; }
            break;
        }
        case '[':
            if (++depth > CSJ_MAX_DEPTH) { return csj_result_too_deep; }
            break;
        case '}':
        case ']':
            depth -= 1;
            break;
        case 'l':
        case 'u':
        case 'd':
            index += 1;
            break;
        default:
            break;
        }
    }
    return csj_result_ok;
}

bool csj_parser::has_repeated_key(uint32_t tape_index, uint32_t member_count) {
    const bool is_small = member_count <= few_members;
    uint32_t at = tape_index + 1;
    for (uint32_t index = 0; index < member_count; index++) {
        const Key mine = key(at);
        sorted[index] = mine;
        at = after(at + 1);
        for (uint32_t other = 0; is_small && other < index; other++) {
            if (sorted[other] == mine) {
                root.document.error_key = mine.bytes;
                root.document.error_key_length = mine.length;
                return true;
            }
        }
    }
    if (is_small) { return false; }
    std::sort(sorted.get(), sorted.get() + member_count);
    const Key *last = sorted.get() + member_count;
    const Key *twin = std::adjacent_find(static_cast<const Key *>(sorted.get()), last);
    if (twin == last) { return false; }
    root.document.error_key = twin->bytes;
    root.document.error_key_length = twin->length;
    return true;
}

// The tape knows what the values are, the structural indexes know where they stand: both are walked side by side.
csj_result csj_parser::list(List &into, const csj_value &container) {
    const bool is_object = container.kind == csj_kind_object;
    const uint32_t end = after(container.tape_index) - 1;
    uint32_t tape_index = container.tape_index + 1;
    uint32_t structural_index = container.structural_index + 1;
    uint32_t count = 0;
    while (tape_index < end) {
        if (count == CSJ_MAX_MEMBERS) { return csj_result_too_many_members; }
        csj_member &member = into.members[count];
        member.key = nullptr;
        member.key_length = 0;
        if (is_object) {
            const Key name = key(tape_index);
            member.key = name.bytes;
            member.key_length = name.length;
            tape_index += 1;
            // The key and its colon.
            structural_index += 2;
        }
        tape_index = read_value(member.value, tape_index, structural_index);
        read_raw_range(member.value, structural_index);
        count += 1;
        // The comma, or what closes the container.
        structural_index += 1;
    }
    into.document.count = count;
    return csj_result_ok;
}

uint32_t csj_parser::read_value(csj_value &value, uint32_t tape_index, uint32_t structural_index) {
    value.string = nullptr;
    value.string_length = 0;
    value.integer = 0;
    value.number = 0;
    value.boolean = false;
    value.tape_index = tape_index;
    value.structural_index = structural_index;
    switch (type_of(word(tape_index))) {
    case '{':
        value.kind = csj_kind_object;
        break;
    case '[':
        value.kind = csj_kind_array;
        break;
    case '"': {
        const Key text = key(tape_index);
        value.kind = csj_kind_string;
        value.string = text.bytes;
        value.string_length = text.length;
        break;
    }
    case 'l':
        value.kind = csj_kind_integer;
        value.integer = static_cast<int64_t>(word(tape_index + 1));
        break;
    case 'u':
        value.kind = csj_kind_number;
        value.number = static_cast<double>(word(tape_index + 1));
        break;
    case 'd': {
        const uint64_t bits = word(tape_index + 1);
        value.kind = csj_kind_number;
        std::memcpy(&value.number, &bits, sizeof bits);
        break;
    }
    case 't':
    case 'f':
        value.kind = csj_kind_boolean;
        value.boolean = type_of(word(tape_index)) == 't';
        break;
    default:
        value.kind = csj_kind_null;
        break;
    }
    return after(tape_index);
}

/// Moves `structural_index` from the value's first structural to the one after its last.
void csj_parser::read_raw_range(csj_value &value, uint32_t &structural_index) {
    const uint32_t start = structural(structural_index);
    uint32_t end;
    if (value.kind == csj_kind_object || value.kind == csj_kind_array) {
        uint32_t depth = 0;
        do {
            const uint8_t byte = text[structural(structural_index)];
            depth += byte == '{' || byte == '[' ? 1 : 0;
            depth -= byte == '}' || byte == ']' ? 1 : 0;
            structural_index += 1;
        } while (depth > 0);
        end = structural(structural_index - 1) + 1;
    } else {
        structural_index += 1;
        end = structural(structural_index);
        while (is_space(text[end - 1])) { end -= 1; }
    }
    value.raw_offset = start;
    value.raw_length = end - start;
}

csj_parser *csj_create(size_t capacity) {
    auto *parser = new (std::nothrow) csj_parser;
    if (!parser) { return nullptr; }
    parser->capacity = std::max(capacity, first_capacity);
    if (parser->root.members && parser->opened.members && parser->sorted && parser->grow(first_capacity)) {
        return parser;
    }
    delete parser;
    return nullptr;
}

void csj_destroy(csj_parser *parser) { delete parser; }

const csj_document *csj_scan(csj_parser *parser, const void *text, size_t length, size_t readable) {
    csj_document &document = parser->root.document;
    document = csj_document{};
    document.members = parser->root.members.get();
    if (length > parser->capacity) {
        document.result = csj_result_too_long;
        return &document;
    }
    parser->length = length;
    parser->text = parser->grow(length) ? parser->padded(text, length, readable) : nullptr;
    document.result = parser->text ? parser->scan() : csj_result_no_memory;
    if (document.result != csj_result_ok) { document.count = 0; }
    return &document;
}

const csj_document *csj_open(csj_parser *parser, uint32_t index) {
    csj_document &document = parser->opened.document;
    document = csj_document{};
    document.members = parser->opened.members.get();
    if (index >= parser->root.document.count) { return &document; }
    document.root = parser->root.members[index].value;
    if (document.root.kind != csj_kind_object) { return &document; }
    document.result = parser->list(parser->opened, document.root);
    return &document;
}

bool csj_is_utf8(const void *bytes, size_t length) {
    return length == 0 || simdjson::validate_utf8(static_cast<const char *>(bytes), length);
}
