#ifndef STORYKEEP_COPENSSL_SHIM_H
#define STORYKEEP_COPENSSL_SHIM_H

// SHA-256 is called without OpenSSL's EVP layer, which allocates a context at each beginning: a record needs two or three.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// OpenSSL has macros for the calls below, which Swift does not see.

// Lets a context speak TLS 1.3 only; returns 1, or 0 on failure.
static inline int storykeep_tls_only_13(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
}

// Frees the buffers of idle connections.
static inline void storykeep_tls_release_buffers(SSL_CTX *context) { SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS); }

// Resumes no sessions: each connection shows its certificates.
static inline void storykeep_tls_no_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
}

// Refuses chains of certificates that are longer than so many bytes.
static inline void storykeep_tls_longest_chain(SSL_CTX *context, long bytes) { SSL_CTX_set_max_cert_list(context, bytes); }

// Tells the server which name is meant; returns 1, or 0 on failure.
static inline int storykeep_tls_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

static inline void storykeep_tls_note_message(
    int is_sent, int version, int kind, const void *bytes, size_t count, SSL *session, void *messages) {
    (void)version, (void)bytes, (void)count, (void)session;
    if (!is_sent && kind == SSL3_RT_HANDSHAKE) ++*(uint32_t *)messages;
}

// Counts the handshake messages that come from the peer; after the handshake these are changes of keys.
static inline void storykeep_tls_count_messages(SSL *session, uint32_t *messages) {
    SSL_set_msg_callback(session, storykeep_tls_note_message);
    SSL_set_msg_callback_arg(session, messages);
}

// Gets the time at which the first of the certificates expires, in seconds since 1970; returns 1, or 0 where there is none.
static inline int storykeep_tls_expiry(STACK_OF(X509) *chain, int64_t *expiry) {
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int found = 0;
    for (int index = 0; epoch && index < sk_X509_num(chain); ++index) {
        int days = 0, seconds = 0;
        if (!ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(sk_X509_value(chain, index)))) continue;
        int64_t end = (int64_t)days * 86400 + seconds;
        if (!found || end < *expiry) *expiry = end;
        found = 1;
    }
    ASN1_TIME_free(epoch);
    return found;
}

// Gets the time at which the first of a session's certificates expires, the authority's included; returns 1, or 0 where
// the session has verified none.
static inline int storykeep_tls_session_expiry(const SSL *session, int64_t *expiry) {
    return storykeep_tls_expiry(SSL_get0_verified_chain(session), expiry);
}

// Verifies the peer's certificate of a session once more, by the authorities of another context; returns 1 where it is
// accepted, with the time at which the first of the certificates expires; or 0 and the reason as a number of
// X509_verify_cert_error_string.
static inline int storykeep_tls_verify(
    SSL_CTX *context, const SSL *session, const char *purpose, int64_t *expiry, int *reason) {
    X509_STORE_CTX *verification = X509_STORE_CTX_new();
    int result = verification
        && X509_STORE_CTX_init(
            verification, SSL_CTX_get_cert_store(context), SSL_get0_peer_certificate(session),
            SSL_get_peer_cert_chain(session))
        && X509_STORE_CTX_set_default(verification, purpose);
    if (result) {
        X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(verification);
        X509_VERIFY_PARAM_set_depth(parameters, SSL_CTX_get_verify_depth(context));
        X509_VERIFY_PARAM_set_auth_level(parameters, SSL_CTX_get_security_level(context));
        result = X509_verify_cert(verification) == 1
            && storykeep_tls_expiry(X509_STORE_CTX_get0_chain(verification), expiry);
    }
    *reason = verification ? X509_STORE_CTX_get_error(verification) : X509_V_ERR_OUT_OF_MEM;
    X509_STORE_CTX_free(verification);
    ERR_clear_error();
    return result;
}

static inline int storykeep_tls_no_passphrase(char *buffer, int size, int is_writing, void *argument) {
    (void)buffer, (void)size, (void)is_writing, (void)argument;
    return -1;
}

// Asks nobody for the passphrase of a key: such a key is refused.
static inline void storykeep_tls_ask_nobody(SSL_CTX *context) {
    SSL_CTX_set_default_passwd_cb(context, storykeep_tls_no_passphrase);
}

#endif
