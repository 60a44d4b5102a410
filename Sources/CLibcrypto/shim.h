// OpenSSL's libcrypto, 3.0 or newer, with a function for each macro and variadic function that Swift cannot import.
#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

static inline EVP_PKEY *crypto_generate_ec(const char *curve) { return EVP_EC_gen(curve); }
static inline EVP_PKEY *crypto_generate_rsa(unsigned bits) { return EVP_RSA_gen(bits); }

static inline long crypto_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

static inline STACK_OF(X509) *crypto_certificates_new(void) { return sk_X509_new_null(); }
static inline int crypto_certificates_push(STACK_OF(X509) *stack, X509 *certificate) { return sk_X509_push(stack, certificate); }
static inline int crypto_certificates_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *crypto_certificates_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
static inline void crypto_certificates_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }

static inline int crypto_strings_count(const STACK_OF(OPENSSL_STRING) *stack) { return sk_OPENSSL_STRING_num(stack); }
static inline const char *crypto_strings_at(const STACK_OF(OPENSSL_STRING) *stack, int index) { return sk_OPENSSL_STRING_value(stack, index); }
