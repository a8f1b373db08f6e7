#include "csj_parser.h"

#include <algorithm>

namespace {

/// Returns the end of a text that ends before `end`, without trailing white space.
uint32_t trimmed(const uint8_t *text, uint32_t end) {
    while (csj_is_space(text[end - 1])) { end -= 1; }
    return end;
}

}  // namespace

csj_result csj_parser::read_root() {
    csj_value &value = root.document.root;
    read_value(value, csj_place{1, 0});
    value.raw_offset = structural(0);
    if (!is_container(value)) {
        value.raw_length = trimmed(text, static_cast<uint32_t>(length)) - value.raw_offset;
        return csj_result_ok;
    }
    value.raw_length = structural(implementation->n_structural_indexes - 1) + 1 - value.raw_offset;
    return list(root, value, true);
}

// Walks the tape, which has the values, and the structural indexes, which have their offsets, side by side. A key is
// followed by its colon, a value by a comma or the closing bracket: each takes two structurals.
csj_result csj_parser::list(csj_list &into, const csj_value &container, bool is_new) {
    const bool is_object = container.kind == csj_kind_object;
    const uint32_t end = after(container.tape_index) - 1;
    csj_place at{container.tape_index + 1, container.structural_index + 1};
    csj_key_marks marks;
    uint32_t count = 0;
    while (at.tape_index < end) {
        // Elements beyond the limit overwrite the last slot, so that they are checked all the same.
        csj_member &member = into.members[std::min<uint32_t>(count, CSJ_MAX_MEMBERS - 1)];
        csj_key name{nullptr, 0};
        if (is_object) {
            name = key(at.tape_index);
            marks.add(name);
            at.tape_index += 1;
            at.structural_index += 2;
        }
        member.key = name.bytes;
        member.key_length = name.length;
        const csj_result result = read_member(member.value, at, is_new);
        if (result != csj_result_ok) {
            // An error of the container itself is reported first.
            const csj_result own = check_container(word(container.tape_index), container.tape_index, 1);
            return own != csj_result_ok ? own : result;
        }
        count += 1;
    }
    if (count > CSJ_MAX_MEMBERS) { return csj_result_too_many_members; }
    if (is_new && marks.has_twins && has_repeated_key(container.tape_index, count)) { return csj_result_duplicate_key; }
    into.document.count = count;
    return csj_result_ok;
}

/// Reads a value within a container, and moves on to the next one.
csj_result csj_parser::read_member(csj_value &value, csj_place &at, bool is_new) {
    read_value(value, at);
    value.raw_offset = structural(at.structural_index);
    uint32_t end;
    if (is_container(value)) {
        const csj_result result = pass(at, is_new);
        if (result != csj_result_ok) { return result; }
        end = structural(at.structural_index - 2) + 1;
    } else {
        at.tape_index = after(at.tape_index);
        at.structural_index += 2;
        end = trimmed(text, structural(at.structural_index - 1));
    }
    value.raw_length = end - value.raw_offset;
    return csj_result_ok;
}

/// Reads a value, except for its offset in the text.
void csj_parser::read_value(csj_value &value, csj_place at) {
    value.string = nullptr;
    value.string_length = 0;
    value.integer = 0;
    value.number = 0;
    value.boolean = false;
    value.tape_index = at.tape_index;
    value.structural_index = at.structural_index;
    const uint64_t here = word(at.tape_index);
    switch (type_of(here)) {
    case '{':
        value.kind = csj_kind_object;
        break;
    case '[':
        value.kind = csj_kind_array;
        break;
    case '"': {
        const csj_key text = key(at.tape_index);
        value.kind = csj_kind_string;
        value.string = text.bytes;
        value.string_length = text.length;
        break;
    }
    case 'l':
        value.kind = csj_kind_integer;
        value.integer = static_cast<int64_t>(word(at.tape_index + 1));
        break;
    case 'u':
        value.kind = csj_kind_number;
        value.number = static_cast<double>(word(at.tape_index + 1));
        break;
    case 'd': {
        const uint64_t bits = word(at.tape_index + 1);
        value.kind = csj_kind_number;
        std::memcpy(&value.number, &bits, sizeof bits);
        break;
    }
    case 't':
    case 'f':
        value.kind = csj_kind_boolean;
        value.boolean = type_of(here) == 't';
        break;
    default:
        value.kind = csj_kind_null;
        break;
    }
}
