// The dashboard works without this file. It adds the viewer's own time zone, countdowns, live pages and the keyboard.
"use strict";

(() => {
  const words = document.body.dataset;

  // Times

  const local = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

  function localize(root) {
    for (const time of root.querySelectorAll("time[data-local]")) {
      const instant = new Date(time.dateTime);
      if (!Number.isNaN(instant.getTime())) time.textContent = local.format(instant);
    }
  }

  function spanText(milliseconds) {
    const seconds = Math.floor(milliseconds / 1000);
    const parts = [
      [Math.floor(seconds / 86400), words.days], [Math.floor(seconds / 3600) % 24, words.hours],
      [Math.floor(seconds / 60) % 60, words.minutes], [seconds % 60, words.seconds],
    ];
    const first = Math.max(parts.findIndex(([count]) => count > 0), 0);
    return parts.slice(first, first + 2).filter(([count], index) => count > 0 || index === 0).map(([count, unit]) => `${count}\u00a0${unit}`).join(" ");
  }

  function count() {
    const now = Date.now();
    for (const time of document.querySelectorAll("time[data-countdown]")) {
      const left = new Date(time.dateTime).getTime() - now;
      const text = left > 0 ? spanText(left) : words.over;
      if (time.textContent !== text) time.textContent = text;
    }
    for (const time of document.querySelectorAll("time[data-ago]")) {
      const text = words.ago.replace("{time}", spanText(Math.max(now - new Date(time.dateTime).getTime(), 0)));
      if (time.textContent !== text) time.textContent = text;
    }
  }

  // Pages that keep themselves up to date

  const pause = 4000;
  let shown = "";

  // What a page says apart from times that go on by themselves.
  const sense = (main) => main.innerHTML.replace(/<time[^>]*>[^<]*<\/time>/g, "").replace(/<rect[^>]*>/g, "");

  async function refresh() {
    const main = document.querySelector("main[data-live]");
    if (!main || document.hidden || document.querySelector("dialog[open]") || main.querySelector("details[open]")) return;
    if (main.querySelector("form[data-sent]")) return; // An act is on its way: its button stays pressed.
    let answer;
    try {
      const here = new URL(location.href);
      here.searchParams.delete("done");
      here.searchParams.delete("refused");
      answer = await fetch(here, { headers: { "Refund-Desk-Live": "1" }, credentials: "same-origin" });
    } catch {
      return; // The desk is being restarted; the next round asks again.
    }
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("main[data-live]");
    if (!fresh) return location.reload(); // Nobody is logged in any more.
    const text = sense(fresh);
    if (text === shown) return;
    if (shown !== "") replace(main, fresh);
    shown = text;
  }

  function replace(main, fresh) {
    const focused = document.activeElement;
    const isInside = main.contains(focused) && focused !== main;
    if (isInside && focused.matches("input, textarea, select")) return;
    const row = isInside ? focused.closest("[id]") : null;
    const chosenRow = main.querySelector("[data-chosen]")?.id;
    const notice = main.querySelector(":scope > .notice");
    main.replaceChildren(...fresh.childNodes);
    if (notice) main.prepend(notice);
    if (chosenRow) document.getElementById(chosenRow)?.setAttribute("data-chosen", "");
    if (row && row.id) (document.getElementById(row.id)?.querySelector("a, button") ?? main).focus({ preventScroll: true });
    prepare(main);
  }

  // The keyboard

  const rows = () => [...document.querySelectorAll("main [data-open]")];
  let chosen = -1;
  let waitsForPlace = false;

  function choose(step) {
    const links = rows();
    if (links.length === 0) return;
    const focused = links.indexOf(document.activeElement);
    chosen = Math.min(Math.max((focused >= 0 ? focused : chosen) + step, 0), links.length - 1);
    for (const row of document.querySelectorAll("[data-chosen]")) delete row.dataset.chosen;
    const row = links[chosen].closest("li, tr");
    if (row) row.dataset.chosen = "";
    links[chosen].focus({ preventScroll: true });
    (row ?? links[chosen]).scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    const help = document.getElementById("keys");
    if (help?.open) return;
    if (waitsForPlace && event.key === "q") {
      document.querySelector(".side nav a")?.click();
    } else if (event.key === "j") choose(1);
    else if (event.key === "k") choose(-1);
    else if (event.key === "/") {
      const search = document.getElementById("q");
      if (!search) return;
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "?") help?.showModal();
    waitsForPlace = event.key === "g";
  });

  // Forms

  function prepare(root) {
    localize(root);
    count();
    for (const button of root.querySelectorAll("button[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const field = document.getElementById(button.dataset.copy);
        field.select();
        try { await navigator.clipboard.writeText(field.value); } catch { document.execCommand("copy"); }
        button.textContent = button.dataset.copied;
      });
    }
  }

  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (event.target.dataset.sent) return event.preventDefault(); // One click, one act.
    if (event.target.method !== "post") return;
    event.target.dataset.sent = "1";
    if (button?.dataset.slow) button.textContent = button.dataset.slow;
  });

  const language = document.getElementById("language");
  if (language) {
    language.form.querySelector("button").hidden = true;
    language.addEventListener("change", () => language.form.requestSubmit());
  }

  // A link with the token behind `#`, which browsers send nowhere, fills the form in.
  const token = document.getElementById("token");
  if (token && location.hash.length > 1) {
    token.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname + location.search);
    token.form.querySelector("button").focus();
  }

  // The outcome of an act is told once, not again on a reload.
  if (/[?&](done|refused)=/.test(location.search)) {
    const here = new URL(location.href);
    here.searchParams.delete("done");
    here.searchParams.delete("refused");
    history.replaceState(null, "", here);
  }

  // On a phone the pages' names are wider than the window.
  document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

  prepare(document);
  setInterval(count, 1000);
  refresh();
  setInterval(refresh, pause);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
})();
