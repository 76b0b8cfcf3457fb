// The small part that pages do by themselves. Everything else is a link or a form.
import { install } from './vendor/hotkey.js';
import { Idiomorph } from './vendor/idiomorph.js';

/** A change of the file that a page is about is shown soon, one of others later; all viewers do not ask at once. */
const SOON_MS = 400;
const LATER_MS = 15_000;
const SPREAD_MS = 500;
/** Between two refreshes, and while nobody sees the page: its title still counts what needs attention. */
const REST_MS = 2_000;
const HIDDEN_REST_MS = 60_000;

/** Refreshes the parts of this page that changed, often while it is seen, never while it is paused. */
function liveParts() {
  const [, about] = /^\/(?:files|payments)\/([^/]+)/.exec(location.pathname) ?? [];
  const pause = document.querySelector('#pause');
  const hashes = new Map();
  let dueAt = Infinity;
  let lastAt = 0;
  let timer;

  function take(files) {
    if (files.includes('drops') && !document.querySelector('[data-part="drops"]')) return;
    const isAbout = !about || files.includes('*') || files.includes(about);
    const at = Date.now() + (isAbout ? SOON_MS : LATER_MS) + Math.random() * SPREAD_MS;
    dueAt = Math.min(dueAt, Math.max(at, lastAt + REST_MS));
    plan();
  }

  function plan() {
    clearTimeout(timer);
    if (dueAt === Infinity || pause.checked) return;
    const at = document.hidden ? Math.max(dueAt, lastAt + HIDDEN_REST_MS) : dueAt;
    timer = setTimeout(run, at - Date.now());
  }

  async function run() {
    dueAt = Infinity;
    lastAt = Date.now();
    // Without an answer, the page stays as it is; the next change asks again.
    await refresh(hashes).catch(() => {});
  }

  document.addEventListener('visibilitychange', plan);
  pause.addEventListener('change', plan);
  pause.parentElement.hidden = false;
  listenToChanges(take);
  // The page may be older than the stream, which another tab may have opened.
  take(['*']);
}

/** A browser opens few connections to a server, so all its tabs share one stream where it lets them. */
function listenToChanges(take) {
  const channel = new BroadcastChannel('paydrop.live');
  // The session has ended. The event stream cannot redirect, so the reload leads to the log-in.
  channel.addEventListener('message', ({ data }) => (data === 'over' ? location.reload() : take(data)));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its origin
  const tell = (data) => channel.postMessage(data);
  const listen = () =>
    new Promise((resolve) => {
      const source = new EventSource('/live');
      source.addEventListener('change', ({ data }) => {
        const files = data.split(' ');
        tell(files);
        take(files);
      });
      source.addEventListener('over', () => {
        tell('over');
        location.reload();
      });
      // Refused for good; another tab may try.
      source.addEventListener('error', () => source.readyState === EventSource.CLOSED && resolve());
    });
  // Held until this tab is closed; the next one in the line goes on.
  if (navigator.locks) void navigator.locks.request('paydrop.live', listen);
  else void listen();
}

/** What belongs to the user of this page and not to the server: ticks, open details, what is typed. */
const OWN_ATTRIBUTES = new Set(['checked', 'open', 'value', 'aria-expanded']);

/** @param hashes of the parts as this page last got them; sent, so that only others come back */
async function refresh(hashes) {
  const known = [...hashes].map(([name, hash]) => `${name}=${hash}`).join(',');
  const answer = await fetch(location.href, { headers: { 'x-live': '1', 'x-parts': known, accept: 'text/html' } });
  if (!answer.ok || answer.redirected) return;
  const { title, icon, parts } = await answer.json();
  for (const { name, hash, html } of parts) {
    const part = document.querySelector(`[data-part="${CSS.escape(name)}"]`);
    // What a person has ticked stays in its place until they have sent it.
    if (part?.querySelector('[data-select] :checked')) {
      part.querySelector('[data-stale]').hidden = false;
      continue;
    }
    hashes.set(name, hash);
    // Changes what differs and leaves the rest, so that focus and selection stay where they are.
    if (part) Idiomorph.morph(part, html, MORPH);
  }
  document.querySelector('title').innerHTML = title;
  notifyOfMore();
  document.querySelector('link[rel="icon"]').href = icon;
}

const NOTICES = 'paydrop.notices';
const NEEDS = 'paydrop.needs';

/** Returns the number with which the title begins. */
function countNeeds() {
  return Number(/^\((\d+)\)/.exec(document.title)?.[1] ?? 0);
}

/** Shows a notice of the browser when more needs attention than any tab has told. Others may see it: it says no more. */
function notifyOfMore() {
  const count = countNeeds();
  const before = Number(localStorage.getItem(NEEDS) ?? count);
  localStorage.setItem(NEEDS, String(count));
  if (count <= before || !areNoticesOn()) return;
  const body = count === 1 ? '1 thing needs attention.' : `${count} things need attention.`;
  const notice = new Notification('paydrop', { body, tag: 'paydrop' });
  notice.addEventListener('click', () => window.focus());
}

function areNoticesOn() {
  return 'Notification' in window && Notification.permission === 'granted' && localStorage.getItem(NOTICES) === 'on';
}

/** The button on the page of the user, which asks the browser for the permission. */
function offerNotices() {
  const button = document.querySelector('#notify');
  if (!button || !('Notification' in window)) return;
  const show = () => {
    button.textContent = areNoticesOn() ? 'Stop showing notices' : 'Show notices';
  };
  button.hidden = false;
  const turn = async () => {
    const isAllowed = !areNoticesOn() && (await Notification.requestPermission()) === 'granted';
    localStorage.setItem(NOTICES, isAllowed ? 'on' : 'off');
    show();
  };
  button.addEventListener('click', () => void turn());
  show();
}

const MORPH = {
  morphStyle: 'innerHTML',
  ignoreActiveValue: true,
  callbacks: { beforeAttributeUpdated: (name) => !OWN_ATTRIBUTES.has(name) },
};

/** By how much the clock of this computer is ahead of the server's, in ms. */
const aheadMs = Date.now() - Date.parse(document.body.dataset.now);

/** Keeps "51 min ago" true while the page is open; the words are those of the server (parts/when.ts). */
function tellDistances() {
  for (const span of document.querySelectorAll('[data-distance]')) {
    const passedMs = Date.now() - aheadMs - Date.parse(span.parentElement.dateTime);
    const minutes = Math.floor(Math.abs(passedMs) / 60_000);
    if (minutes === 0) continue;
    const amount = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
    span.textContent = passedMs >= 0 ? ` · ${amount} ago` : ` · in ${amount}`;
  }
}

/** Counts the seconds down that a drop still waits; the words are those of the server. */
function countDown() {
  for (const span of document.querySelectorAll('[data-until]')) {
    const leftMs = Date.parse(span.dataset.until) - (Date.now() - aheadMs);
    const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
    const says = span.textContent.replace(/\d+(?= s )/, seconds);
    if (says !== span.textContent) span.textContent = says;
  }
}

/** Ticks a row of boxes with the shift key, and tells how many are ticked and their sums. */
function tellTicks() {
  let last;
  document.addEventListener('click', ({ target, shiftKey }) => {
    const form = target.name === 'item' && target.closest('[data-select]');
    if (!form) return;
    const boxes = [...form.querySelectorAll('[name="item"]')];
    const [from, to] = [boxes.indexOf(last), boxes.indexOf(target)].toSorted((one, other) => one - other);
    if (shiftKey && from >= 0) for (const box of boxes.slice(from, to + 1)) box.checked = target.checked;
    last = target;
  });
  document.addEventListener('change', ({ target }) => tell(target.closest('[data-select]')));
  // A browser keeps ticks on the way back.
  addEventListener('pageshow', () => tell(document.querySelector('[data-select]')));

  function tell(form) {
    if (!form) return;
    const ticked = [...form.querySelectorAll('[name="item"]:checked')];
    const all = form.querySelector('[name="all"]');
    if (all) all.indeterminate = !all.checked && ticked.length > 0;
    const chosen = all?.checked ? [all] : ticked;
    const count = chosen.reduce((sum, { dataset }) => sum + Number(dataset.count), 0);
    const sums = new Map();
    for (const { dataset } of all?.checked ? [] : ticked)
      sums.set(dataset.currency, (sums.get(dataset.currency) ?? 0) + Number(dataset.cents));
    form.querySelector('.select-bar button').textContent = count === 0 ? 'Reprocess…' : `Reprocess ${count}…`;
    form.querySelector('[data-ticked]').textContent = [...sums].map(sayMoney).join(', ');
  }
}

function sayMoney([currency, cents]) {
  return `${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })} ${currency}`;
}

const SINGLE_KEYS = 'paydrop.single-keys';

/** Keys click links that are on the page anyway. Those without a modifier can be switched off. */
function listenToKeys() {
  const areSingle = localStorage.getItem(SINGLE_KEYS) !== 'off';
  for (const element of document.querySelectorAll('[data-hotkey]')) {
    const keys = element.dataset.hotkey.split(',').filter((key) => areSingle || /^(?:Control|Meta)\+/.test(key));
    if (keys.length > 0) install(element, keys.join(','));
  }
  const box = document.querySelector('#single-keys');
  if (!box) return;
  box.checked = areSingle;
  box.parentElement.hidden = false;
  box.addEventListener('change', () => {
    localStorage.setItem(SINGLE_KEYS, box.checked ? 'on' : 'off');
    location.reload();
  });
}
listenToKeys();
offerNotices();

async function copyTo(button) {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
  button.textContent = 'Copied';
}

/** Lets buttons copy the text of a field, where the browser lets a page do that. */
function offerCopies() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => void copyTo(button));
  }
}
offerCopies();
tellTicks();

/** How long an answer may take before the form can be sent again, in ms. */
const ANSWER_MS = 10_000;

/** Sends a form once for a double click: the second answer would replace the first, with what is shown only once. */
function sendOnce() {
  const sent = new WeakSet();
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute('method') !== 'post') return;
    if (sent.has(form)) {
      event.preventDefault();
      return;
    }
    sent.add(form);
    const again = () => sent.delete(form);
    setTimeout(again, ANSWER_MS);
    // On the way back the page may be as it was left.
    addEventListener('pageshow', again, { once: true });
  });
}
sendOnce();

if (document.body.dataset.now) {
  setInterval(tellDistances, 30_000);
  setInterval(countDown, 1_000);
  localStorage.setItem(NEEDS, String(countNeeds()));
}

if (document.body.dataset.live === 'on') liveParts();
