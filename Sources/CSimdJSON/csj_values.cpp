#include "csj_parser.h"

// The tape knows what the values are, the structural indexes know where they stand: both are walked side by side.
csj_result csj_parser::list(csj_list &into, const csj_value &container) {
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
            const csj_key name = key(tape_index);
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
        const csj_key text = key(tape_index);
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
        while (csj_is_space(text[end - 1])) { end -= 1; }
    }
    value.raw_offset = start;
    value.raw_length = end - start;
}
