"""Receivers of alerts that take what their service documents, and nothing else."""

import email.header
import json
import re
import threading
import time

from appstore import LocalServer


class Service(LocalServer):
    """``decide(number)`` gets which message it is, from 1, and answers (status, body, headers), or None to take it."""

    def __init__(self, decide=lambda number: None):
        self.decide, self.lock = decide, threading.Lock()
        self.messages, self.faults, self.times = [], [], []
        super().__init__()

    def answer(self, method, path, headers, raw):
        with self.lock:
            self.times.append(time.monotonic())
            answer = self.decide(len(self.times))
        if answer:
            return answer
        try:
            assert method == "POST", method
            message = self.read(path, headers, raw)
        except (AssertionError, KeyError, ValueError) as fault:
            self.faults.append(repr(fault))
            return 400, {"ok": False, "error": "invalid_payload"}
        with self.lock:
            self.messages.append(message)
        return 200, {"ok": True}

    @staticmethod
    def json(headers, raw, allowed, required) -> dict:
        assert headers["content-type"].split(";")[0] == "application/json", headers
        body = json.loads(raw)
        assert set(required) <= set(body) <= set(allowed), sorted(body)
        return body

    def texts(self) -> list[str]:
        with self.lock:
            return [each["text"] for each in self.messages]


class Slack(Service):
    def configuration(self):
        return {"kind": "slack", "url": self.url + "/services/T0/B0/secret"}

    def read(self, path, headers, raw):
        assert path == "/services/T0/B0/secret", path
        text = self.json(headers, raw, {"text", "blocks", "attachments", "mrkdwn", "thread_ts"}, {"text"})["text"]
        assert 0 < len(text) <= 40_000 and not re.search(r"[<>]|&(?!amp;|lt;|gt;)", text), text
        return {"text": text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")}


class Discord(Service):
    def configuration(self):
        return {"kind": "discord", "url": self.url + "/api/webhooks/1/secret"}

    def read(self, path, headers, raw):
        body = self.json(headers, raw, {"content", "username", "allowed_mentions", "embeds", "flags", "tts"}, {"content"})
        assert 0 < len(body["content"].encode("utf-16-le")) // 2 <= 2_000, len(body["content"])
        assert body["allowed_mentions"] == {"parse": []}, "an @everyone in a name would ring everyone"
        return {"text": re.sub(r"\\(.)", r"\1", body["content"])}


class Telegram(Service):
    def configuration(self):
        return {"kind": "telegram", "url": self.url, "token": "123:secret", "chatId": "-100200"}

    def read(self, path, headers, raw):
        assert path == "/bot123:secret/sendMessage", path
        body = self.json(headers, raw, {"chat_id", "text", "parse_mode", "link_preview_options", "disable_notification"}, {"chat_id", "text"})
        assert body["chat_id"] == "-100200" and 0 < len(body["text"].encode("utf-16-le")) // 2 <= 4_096 and "parse_mode" not in body, body
        return {"text": body["text"]}


class Ntfy(Service):
    def configuration(self):
        return {"kind": "ntfy", "url": self.url + "/topic-secret"}

    def read(self, path, headers, raw):
        assert path == "/topic-secret" and len(raw) <= 4_096, (path, len(raw))
        assert headers["priority"] in ("1", "2", "3", "4", "5") and headers["tags"], headers
        assert headers["title"].isascii(), headers["title"]
        title = str(email.header.make_header(email.header.decode_header(headers["title"])))
        return {"text": raw.decode(), "title": title, "click": headers.get("click"), "priority": headers["priority"]}


class PlainWebhook(Service):
    def configuration(self):
        return {"kind": "webhook", "url": self.url + "/alerts"}

    def read(self, path, headers, raw):
        members = {"event", "app", "environment", "transactionId", "text", "url"}
        body = self.json(headers, raw, members, members)
        assert all(isinstance(body[each], str) for each in ("event", "app", "environment", "text")), body
        return body

    def events(self) -> list[str]:
        with self.lock:
            return [each["event"] for each in self.messages]
