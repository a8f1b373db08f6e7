#include <lmdb.h>
// Not in Swift's Glibc module: the file system's kind, and the kernel's random bytes.
#include <sys/random.h>
#include <sys/vfs.h>
