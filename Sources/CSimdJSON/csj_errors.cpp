#include "csj_parser.h"

#include <charconv>
#include <system_error>

namespace {

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

}  // namespace

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

// simdjson has one error for `01` and for `1e999`: a well-formed number that was refused does not fit.
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
        const bool is_ended = at >= length || csj_is_space(text[at]) || is_closing(text[at]);
        root.document.error_offset = static_cast<uint32_t>(start);
        if (!is_spelled_well || !is_ended) { return csj_result_not_json; }
        const char *first = reinterpret_cast<const char *>(text + start);
        const char *last = reinterpret_cast<const char *>(text + at);
        if (!fits(first, last, is_integer)) { return csj_result_number_does_not_fit; }
    }
    root.document.error_offset = 0;
    return csj_result_not_json;
}
