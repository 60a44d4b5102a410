"""The intake a careful developer would write in an afternoon: FastAPI, Apple's own library, SQLite.

It does what the desk must do before it acknowledges, and nothing more: verifies all three signatures, remembers the notification by its id,
and commits with `synchronous=FULL`. Two worker processes share the port, as there are two cores.

usage: server.py FOLDER    listens on a free port of 127.0.0.1 and prints it; FOLDER has root.pem and app.json once the first message comes
"""

import json
import os
import socket
import sqlite3
import sys
from pathlib import Path

import uvicorn
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from fastapi import FastAPI, HTTPException

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(".")
app = FastAPI()
state = {}


def prepared():
    """The verifier and the database of this worker, made on its first message."""
    if not state:
        about = json.loads((folder / "app.json").read_text())
        root = x509.load_pem_x509_certificate((folder / "root.pem").read_bytes()).public_bytes(Encoding.DER)
        state["verifier"] = SignedDataVerifier([root], False, Environment.PRODUCTION, about["bundleId"], about["appAppleId"])
        database = sqlite3.connect(folder / "peer.db", isolation_level=None, timeout=30, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE IF NOT EXISTS notifications (id TEXT PRIMARY KEY, type TEXT, transaction_id TEXT, body BLOB)")
        state["database"] = database
    return state["verifier"], state["database"]


@app.post("/notifications")
async def receive(message: dict):
    verifier, database = prepared()
    try:
        notification = verifier.verify_and_decode_notification(message["signedPayload"])
        transaction = renewal = None
        if notification.data and notification.data.signedTransactionInfo:
            transaction = verifier.verify_and_decode_signed_transaction(notification.data.signedTransactionInfo)
        if notification.data and notification.data.signedRenewalInfo:
            renewal = verifier.verify_and_decode_renewal_info(notification.data.signedRenewalInfo)
    except (KeyError, VerificationException) as error:
        raise HTTPException(400) from error
    row = (
        notification.notificationUUID,
        notification.rawNotificationType,
        transaction.transactionId if transaction else renewal.originalTransactionId if renewal else None,
        json.dumps(message),
    )
    inserted = database.execute("INSERT INTO notifications VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", row).rowcount
    return {"result": "accepted" if inserted else "duplicate"}


def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(512)
    print(listener.getsockname()[1], flush=True)
    os.fork()  # a second worker on the same socket
    uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[listener])


if __name__ == "__main__":
    main()
