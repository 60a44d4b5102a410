// libcurl's option and information calls are variadic, which Swift cannot call: one typed inline function for each kind of value.
#pragma once
#include <curl/curl.h>
#include <stdint.h>
#include <string.h>

static inline CURLcode shim_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode shim_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
// From some version on these are macros instead of an enumeration: Swift sees another type.
static inline CURLcode shim_curl_use_ssl(CURL *easy, int isRequired) {
    return curl_easy_setopt(easy, CURLOPT_USE_SSL, (long)(isRequired ? CURLUSESSL_ALL : CURLUSESSL_TRY));
}
static inline CURLcode shim_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode shim_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
// Copies `size` bytes as the request's body.
static inline CURLcode shim_curl_copy_body(CURL *easy, const void *bytes, size_t size) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}
static inline CURLcode shim_curl_set_write(CURL *easy, curl_write_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
}
static inline CURLcode shim_curl_set_read(CURL *easy, curl_read_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_READDATA, context);
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, function);
}
static inline CURLcode shim_curl_set_upload_size(CURL *easy, size_t size) {
    return curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)size);
}
// The certificates that the peer showed, one after the other as PEM; NULL past the last.
static inline const char *shim_curl_certificate(CURL *easy, int index) {
    struct curl_certinfo *chain = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL || index >= chain->num_of_certs) return NULL;
    for (struct curl_slist *field = chain->certinfo[index]; field != NULL; field = field->next)
        if (strncmp(field->data, "Cert:", 5) == 0) return field->data + 5;
    return NULL;
}
static inline CURLcode shim_curl_set_open_socket(CURL *easy, curl_opensocket_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}
static inline CURLcode shim_curl_set_prerequest(CURL *easy, curl_prereq_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

// A number of the caller's own kept with the handle.
static inline CURLcode shim_curl_set_tag(CURL *easy, uintptr_t tag) {
    return curl_easy_setopt(easy, CURLOPT_PRIVATE, (void *)tag);
}
static inline uintptr_t shim_curl_tag(CURL *easy) {
    char *tag = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &tag) == CURLE_OK ? (uintptr_t)tag : 0;
}
static inline long shim_curl_status(CURL *easy) {
    long status = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

static inline CURLMcode shim_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
// The next finished transfer, or NULL.
static inline CURL *shim_curl_multi_finished(CURLM *multi, CURLcode *code) {
    int left = 0;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
