#pragma once
#include <libpq-fe.h>

// Character constants, which Swift does not import as integers.
static inline const char *clibpq_sqlstate(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }
static inline const char *clibpq_message(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY); }
