// The small part that pages do by themselves. Everything else is a link or a form.

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

async function refresh() {
  const answer = await fetch(location.href, { headers: { 'x-live': '1' } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-part]')) {
    const twin = fresh.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
    // A part with the keyboard focus stays, so that the user keeps their place.
    if (!twin || part.innerHTML === twin.innerHTML || part.contains(document.activeElement)) continue;
    part.replaceChildren(...twin.childNodes);
  }
}

if (document.body.dataset.live === 'on') liveParts();
