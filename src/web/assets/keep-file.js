// A form with a file shows first what would happen, and does it only then. Without this script the file has to be chosen
// a second time, because a page forgets it; with it the answer comes into this page, and the file stays chosen.

document.addEventListener('submit', (event) => {
  const form = event.target;
  const chosen = form.querySelector('input[type="file"]');
  if (!chosen) return;
  event.preventDefault();
  // The form goes its own way when this one is closed.
  send(form, chosen).catch(() => form.submit());
});

async function send(form, chosen) {
  const answer = await fetch(form.action, {
    method: 'POST',
    body: new FormData(form),
    headers: { accept: 'text/html' },
  });
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const main = fresh.querySelector('main');
  document.querySelector('main').replaceWith(main);
  main.querySelector('input[type="file"]')?.replaceWith(chosen);
  document.title = fresh.title;
  main.focus();
}
