// A form with a file first shows what would happen; a second submit does it. Without this script the user must choose
// the file again. With it, the answer replaces the page content and the file stays chosen.

document.addEventListener('submit', (event) => {
  const form = event.target;
  const chosen = form.querySelector('input[type="file"]');
  if (!chosen) return;
  event.preventDefault();
  // If this fails, the browser submits the form itself.
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
