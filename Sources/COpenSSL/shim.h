// SHA-256 is called without OpenSSL's EVP layer, which allocates a context at each beginning: a record needs two or three.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
