#pragma once

/// Nothing to call: the linker puts this library's functions in the place of two of the sanitizer's own.
