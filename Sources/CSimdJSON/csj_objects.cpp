#include "csj_parser.h"

#include <algorithm>

namespace {

// Objects with at most this many members are compared pair by pair, which is faster than sorting.
constexpr uint32_t few_members = 16;

}  // namespace

/// Moves from a container within the outermost one to the value after it, and checks its contents if it is new.
/// Scans the tape from end to end, so depth costs no stack.
csj_result csj_parser::pass(csj_place &at, bool is_new) {
    const uint32_t end = after(at.tape_index);
    uint32_t structural_index = at.structural_index;
    uint32_t depth = 1;
    for (uint32_t index = at.tape_index; index < end; index++) {
        const uint64_t here = word(index);
        if (type_of(here) == '"') {
            structural_index += 2;
            continue;
        }
        switch (type_of(here)) {
        case '{':
        case '[':
            depth += 1;
            if (is_new) {
                const csj_result result = check_container(here, index, depth);
                if (result != csj_result_ok) { return result; }
            }
            // The closing bracket of an empty container follows no value.
            structural_index += static_cast<uint32_t>(here) == index + 2 ? 2 : 1;
            break;
        case '}':
        case ']':
            depth -= 1;
            structural_index += 1;
            break;
        case 'l':
        case 'u':
        case 'd':
            index += 1;
            structural_index += 2;
            break;
        default:
            structural_index += 2;
            break;
        }
    }
    at = csj_place{end, structural_index};
    return csj_result_ok;
}

/// Checks the depth, the number of members and the keys of a container.
/// - Parameter here: the container's word on the tape.
csj_result csj_parser::check_container(uint64_t here, uint32_t tape_index, uint32_t depth) {
    if (depth > CSJ_MAX_DEPTH) { return csj_result_too_deep; }
    if (type_of(here) == '[') { return csj_result_ok; }
    const uint32_t member_count = static_cast<uint32_t>(here >> 32) & 0xFFFFFF;
    if (member_count > CSJ_MAX_MEMBERS) { return csj_result_too_many_members; }
    csj_key_marks marks;
    uint32_t at = tape_index + 1;
    for (uint32_t index = 0; index < member_count; index++) {
        marks.add(key(at));
        at = after(at + 1);
    }
    const bool is_repeated = marks.has_twins && has_repeated_key(tape_index, member_count);
    return is_repeated ? csj_result_duplicate_key : csj_result_ok;
}

bool csj_parser::has_repeated_key(uint32_t tape_index, uint32_t member_count) {
    uint32_t at = tape_index + 1;
    for (uint32_t index = 0; index < member_count; index++) {
        keys[index] = key(at);
        at = after(at + 1);
    }
    const csj_key *twin = member_count <= few_members ? first_twin(member_count) : sorted_twin(member_count);
    if (!twin) { return false; }
    root.document.error_key = twin->bytes;
    root.document.error_key_length = twin->length;
    root.document.error_offset = place_of(*twin);
    return true;
}

/// Returns the offset of a key in the text: the strings of the tape are in the order of those of the text.
uint32_t csj_parser::place_of(const csj_key &wanted) const {
    uint32_t before = 0;
    for (uint32_t index = 1; !(type_of(word(index)) == '"' && key(index).bytes == wanted.bytes); index++) {
        const uint8_t type = type_of(word(index));
        if (type == '"') { before += 1; }
        if (type == 'l' || type == 'u' || type == 'd') { index += 1; }
    }
    uint32_t index = 0;
    for (;; index++) {
        if (text[structural(index)] != '"') { continue; }
        if (before == 0) { return structural(index); }
        before -= 1;
    }
}

const csj_key *csj_parser::first_twin(uint32_t count) const {
    for (uint32_t index = 1; index < count; index++) {
        for (uint32_t other = 0; other < index; other++) {
            if (keys[other] == keys[index]) { return &keys[index]; }
        }
    }
    return nullptr;
}

const csj_key *csj_parser::sorted_twin(uint32_t count) {
    csj_key *end = keys.get() + count;
    std::sort(keys.get(), end);
    const csj_key *first = nullptr;
    for (const csj_key *key = keys.get() + 1; key < end; key++) {
        if (key[-1] == *key && (!first || key->bytes < first->bytes)) { first = key; }
    }
    return first;
}
