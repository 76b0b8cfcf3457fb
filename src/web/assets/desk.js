// The little that pages do by themselves. Everything else is a link or a form.

/** Brings every `data-part` of this page up to date when the server says that something has changed. */
function liveParts() {
  const source = new EventSource('/live');
  let waiting = false;
  source.addEventListener('change', () => {
    if (waiting) return;
    waiting = true;
    // Changes come in flocks; one look at the end of each is enough.
    setTimeout(() => {
      waiting = false;
      void refresh();
    }, 400);
  });
  // Logged out meanwhile: the server sends nobody away who only watches, so the page asks for the log-in itself.
  source.addEventListener('over', () => location.reload());
}

async function refresh() {
  const answer = await fetch(location.href, { headers: { 'x-live': '1' } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-part]')) {
    const twin = fresh.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
    // Whoever stands in a part with the keyboard must not lose his place.
    if (!twin || part.innerHTML === twin.innerHTML || part.contains(document.activeElement)) continue;
    part.replaceChildren(...twin.childNodes);
  }
}

if (document.body.dataset.live === 'on') liveParts();
