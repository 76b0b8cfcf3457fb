// The small part that pages do by themselves. Everything else is a link or a form.
import { install } from './vendor/hotkey.js';
import { Idiomorph } from './vendor/idiomorph.js';

/** Refreshes every `data-part` of this page when the server reports a change. */
function liveParts() {
  const source = new EventSource('/live');
  let waiting = false;
  source.addEventListener('change', () => {
    if (waiting) return;
    waiting = true;
    // Changes come in bursts; one refresh per burst is enough.
    setTimeout(() => {
      waiting = false;
      void refresh();
    }, 400);
  });
  // The session has ended. The event stream cannot redirect, so the reload leads to the log-in.
  source.addEventListener('over', () => location.reload());
}

/** What belongs to the user of this page and not to the server: ticks, open details, what is typed. */
const OWN_ATTRIBUTES = new Set(['checked', 'open', 'value', 'aria-expanded']);

async function refresh() {
  const answer = await fetch(location.href, { headers: { 'x-live': '1', accept: 'text/html' } });
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-part]')) {
    const twin = fresh.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
    if (!twin || part.innerHTML === twin.innerHTML) continue;
    // Changes what differs and leaves the rest, so that focus and selection stay where they are.
    Idiomorph.morph(part, twin.innerHTML, {
      morphStyle: 'innerHTML',
      ignoreActiveValue: true,
      callbacks: { beforeAttributeUpdated: (name) => !OWN_ATTRIBUTES.has(name) },
    });
  }
  document.title = fresh.title;
  document.querySelector('link[rel="icon"]').href = fresh.querySelector('link[rel="icon"]').href;
}

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

if (document.body.dataset.now) setInterval(tellDistances, 30_000);

if (document.body.dataset.live === 'on') liveParts();
