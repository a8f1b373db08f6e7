#include "csj_parser.h"

#include <algorithm>

namespace {

// The initial capacity in bytes; it grows for longer texts.
constexpr size_t first_capacity = 16384;

}  // namespace

bool csj_parser::grow(size_t wanted) {
    if (wanted <= allocated) { return true; }
    const size_t grown = std::min(capacity, std::max(wanted, std::max(allocated * 2, first_capacity)));
    // Nothing fits until both have grown.
    allocated = 0;
    if (!implementation) {
        const auto *active = &*simdjson::get_active_implementation();
        // More levels than the limit, since check_container() reports texts that are too deep, and counts empty arrays
        // too.
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
    return error ? failed(error) : read_root();
}

csj_parser *csj_create(size_t capacity) {
    auto *parser = new (std::nothrow) csj_parser;
    if (!parser) { return nullptr; }
    parser->capacity = std::max(capacity, first_capacity);
    if (parser->members && parser->keys && parser->grow(first_capacity)) {
        parser->root.members = parser->members.get();
        parser->opened.members = parser->root.members + CSJ_MAX_MEMBERS;
        parser->inner.members = parser->opened.members + CSJ_MAX_MEMBERS;
        return parser;
    }
    delete parser;
    return nullptr;
}

void csj_destroy(csj_parser *parser) { delete parser; }

const csj_document *csj_scan(csj_parser *parser, const void *text, size_t length, size_t readable) {
    csj_document &document = parser->root.document;
    document = csj_document{};
    document.members = parser->root.members;
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
    document.members = parser->opened.members;
    if (index >= parser->root.document.count) { return &document; }
    document.root = parser->root.members[index].value;
    if (document.root.kind != csj_kind_object) { return &document; }
    document.result = parser->list(parser->opened, document.root, false);
    return &document;
}

const csj_document *csj_elements(csj_parser *parser, const csj_value *value) {
    csj_document &document = parser->inner.document;
    document = csj_document{};
    document.members = parser->inner.members;
    document.root = *value;
    if (value->kind != csj_kind_array) { return &document; }
    document.result = parser->list(parser->inner, document.root, false);
    return &document;
}

csj_walk csj_begin(const csj_parser *parser, const csj_value *value) {
    const uint32_t first = value->tape_index + 1;
    const bool is_object = value->kind == csj_kind_object;
    if (!csj_parser::is_container(*value)) { return csj_walk{first, 0, first, false}; }
    return csj_walk{first, value->structural_index + 1, parser->after(value->tape_index) - 1, is_object};
}

bool csj_next(csj_parser *parser, csj_walk *walk, csj_member *member) {
    if (walk->tape_index >= walk->end) { return false; }
    csj_place at{walk->tape_index, walk->structural_index};
    csj_key name{nullptr, 0};
    if (walk->is_object) {
        name = parser->key(at.tape_index);
        at.tape_index += 1;
        at.structural_index += 2;
    }
    member->key = name.bytes;
    member->key_length = name.length;
    // The whole text was checked when it was scanned.
    parser->read_member(member->value, at, false);
    walk->tape_index = at.tape_index;
    walk->structural_index = at.structural_index;
    return true;
}

uint32_t csj_count(const csj_parser *parser, const csj_value *value) {
    if (!csj_parser::is_container(*value)) { return 0; }
    return static_cast<uint32_t>(parser->word(value->tape_index) >> 32) & 0xFFFFFF;
}

bool csj_is_utf8(const void *bytes, size_t length) {
    return length == 0 || simdjson::validate_utf8(static_cast<const char *>(bytes), length);
}
