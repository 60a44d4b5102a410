#pragma once
#include <libpq-fe.h>

// libpq writes notices to the standard error by itself; they tell nothing that matters.
static inline void clibpq_ignore_notice(void *context, const char *message) { (void)context, (void)message; }
static inline void clibpq_silence(PGconn *connection) { PQsetNoticeProcessor(connection, clibpq_ignore_notice, 0); }

// Character constants, which Swift does not import as integers.
static inline const char *clibpq_sqlstate(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_SQLSTATE); }
static inline const char *clibpq_message(const PGresult *result) { return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY); }
