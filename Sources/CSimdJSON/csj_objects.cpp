#include "csj_parser.h"

#include <algorithm>

namespace {

// Objects with no more members than this are compared pair by pair: it is faster than sorting and needs no list.
constexpr uint32_t few_members = 16;

}  // namespace

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
        const csj_key mine = key(at);
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
    const csj_key *last = sorted.get() + member_count;
    const csj_key *twin = std::adjacent_find(static_cast<const csj_key *>(sorted.get()), last);
    if (twin == last) { return false; }
    root.document.error_key = twin->bytes;
    root.document.error_key_length = twin->length;
    return true;
}
