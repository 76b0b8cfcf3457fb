// Checks and drops payment files. Server texts enter the page as text, never as HTML.

const form = document.querySelector('#drop-form');
const results = document.querySelector('#drop-results');
const csrf = document.querySelector('meta[name="csrf"]')?.content ?? '';
let cards = 0;

/** Makes an element with attributes and children; undefined and empty children are skipped. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== ''));
  return element;
}

function announce(text) {
  document.querySelector('#drop-status').textContent = text;
}

/** Returns whether a name may hold a card number, which must not appear in an address, because proxies log it. */
function mayHoldNumber(name) {
  return /(?<!\d)(?:3[47]|4|5|2[2-7]|6)(?:[ -]?\d){11,}/.test(name);
}

/** Sends the bytes of a file. Only XMLHttpRequest reports upload progress. */
function send(path, file, onProgress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('x-csrf-token', csrf);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded, total));
    request.addEventListener('load', () => resolve(readAnswer(request)));
    request.addEventListener('error', () => resolve({ fault: 'The dashboard did not answer. Try again.' }));
    request.send(file);
  });
}

function readAnswer({ status, responseText }) {
  try {
    const answer = JSON.parse(responseText);
    return status < 300 ? { answer } : { fault: answer.error?.says ?? `The dashboard answered ${status}.` };
  } catch {
    return { fault: `The dashboard answered ${status}.` };
  }
}

function pathOf(action, { folder, file, sha256 }) {
  const query = new URLSearchParams({ folder, name: file.name });
  if (sha256) query.set('sha256', sha256);
  if (sha256 && form.dataset.replaces) query.set('replaces', form.dataset.replaces);
  return `/drop/${action}?${query}`;
}

/** Sends a file and shows the progress meanwhile. */
async function sendShown(card, label, path, file) {
  const id = `progress-${card.dataset.card}`;
  const bar = make('progress', { id, max: '100', value: '0' });
  const box = make('div', {}, make('label', { for: id }, label), bar);
  card.append(box);
  const said = await send(path, file, (loaded, total) => {
    // After the upload the server still reads the file, for an unknown time.
    if (loaded < total) bar.value = (100 * loaded) / total;
    else bar.removeAttribute('value');
  });
  box.remove();
  return said;
}

function openCard(title) {
  cards += 1;
  const id = `drop-title-${cards}`;
  const card = make('section', { class: 'card', 'aria-labelledby': id, 'data-card': String(cards) });
  card.append(make('div', { class: 'card-head' }, make('h2', { id }, title)));
  results.prepend(card);
  return card;
}

const MARKS = { bad: '✕', warn: '!', info: 'i', good: '✓' };

function notice(kind, title, ...paragraphs) {
  const mark = make('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[kind]);
  const texts = paragraphs.filter(Boolean).map((text) => make('p', {}, text));
  const body = texts.length > 0 ? make('div', {}, ...texts) : undefined;
  return make('div', { class: `notice ${kind}` }, make('strong', {}, mark, ' ', title), body);
}

/** Checks one file after another. */
async function checkAll(files) {
  const folder = form.elements.folder.value;
  if (files.length === 0) return announce('Choose a file first.');
  if (folder === '') {
    announce('Choose account and operation first; your files stay selected.');
    return form.elements.folder.focus();
  }
  for (const file of files) await checkOne(folder, file);
}

async function checkOne(folder, file) {
  const isUnsafe = mayHoldNumber(file.name);
  const card = openCard(isUnsafe ? 'A file' : file.name);
  const fault = isUnsafe
    ? 'Its name may contain a card number. Rename the file and choose it again.'
    : findTooLarge(folder, file);
  if (fault) return refuse(card, fault);
  announce(`Checking ${file.name}.`);
  const { answer, fault: trouble } = await sendShown(card, 'Checking', pathOf('check', { folder, file }), file);
  if (trouble) return refuse(card, trouble);
  showVerdict(card, answer);
  const blocked = answer.blockedBy.map(sentenceOf).join(' ');
  announce(`${answer.name}: ${answer.title.toLowerCase()}. ${answer.says} ${blocked} ${answer.waiting ?? ''}`);
  if (form.dataset.mayDrop === 'yes' && answer.verdict !== 'reject') offerDrop(card, file, answer);
}

function findTooLarge(folder, file) {
  const largest = JSON.parse(form.dataset.largest)[folder];
  if (largest === undefined || file.size <= largest) return undefined;
  return `The file is larger than the folder allows: at most ${largest.toLocaleString('en')} bytes. Split it.`;
}

function refuse(card, says) {
  card.append(notice('bad', 'Not checked', says));
  announce(says);
}

const KINDS = { queued: 'good', blocked: 'warn', needs_approval: 'warn', rejected: 'bad', checking: 'info' };

function showVerdict(card, verdict) {
  const { rows } = verdict;
  card.querySelector('h2').textContent = verdict.name;
  card.append(notice(KINDS[verdict.shown], verdict.title, verdict.says));
  if (verdict.blockedBy.length > 0) card.append(notice('warn', 'Blocked', ...verdict.blockedBy.map(sentenceOf)));
  if (verdict.waiting) card.append(notice('warn', 'Dropped before', verdict.waiting));
  if (verdict.duplicateOf) {
    card.append(make('p', {}, make('a', { href: `/files/${verdict.duplicateOf}` }, 'Open the earlier file')));
  }
  const count = (value) => value.toLocaleString('en');
  card.append(
    facts([
      ['Rows', rows && count(rows.records)],
      ['Valid rows', rows && count(rows.valid)],
      ['Withheld rows', rows && count(rows.withheld)],
      ['Total of the valid rows', rows && `${rows.total} ${rows.currency}`],
      ['Layout', rows?.layout],
      ['Folder', verdict.folder],
      ['Size', `${count(verdict.bytes)} bytes`],
      ['SHA-256', make('code', { class: 'wrap' }, verdict.sha256)],
    ]),
  );
  if (verdict.faults.length > 0) showFaults(card, verdict);
}

/** Makes a sentence of a clause. */
function sentenceOf(clause) {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1).replace(/\.$/, '')}.`;
}

function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined);
  return make(
    'dl',
    { class: 'facts' },
    ...shown.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );
}

const COLUMNS = ['Line', 'Column', 'What follows', 'What is wrong', 'Value', 'What to do', 'Code'];

function showFaults(card, { faults, faultCount }) {
  const title = `What was found, ${faultCount.toLocaleString('en')} in all`;
  const head = make('tr', {}, ...COLUMNS.map((column) => make('th', { scope: 'col' }, column)));
  const body = faults.map(({ line, column, effect, means, value, mend, code }) => {
    const cells = [line === null ? 'file' : String(line), column, effect, means, value, mend, code];
    return make('tr', {}, ...cells.map((cell) => make('td', {}, cell)));
  });
  const table = make('table', {}, make('thead', {}, head), make('tbody', {}, ...body));
  const label = `${title}, table ${card.dataset.card}`;
  card.append(
    make('h3', {}, title),
    make('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: '0' }, table),
  );
  const more = faultCount - faults.length;
  if (more > 0)
    card.append(make('p', { class: 'hint' }, `${more.toLocaleString('en')} more are not shown; fix these first.`));
}

const DROP_LABELS = { accept: 'Drop it', hold: 'Drop it to be held', later: 'Drop it' };

function offerDrop(card, file, verdict) {
  const button = make('button', { type: 'button', class: 'main' }, DROP_LABELS[verdict.verdict]);
  const box = make('p', { class: 'actions' }, button);
  button.setAttribute('aria-label', `${button.textContent}: ${verdict.name}`);
  card.append(make('p', { class: 'hint' }, verdict.taking), box);
  button.addEventListener('click', async () => {
    button.disabled = true;
    const path = pathOf('submit', { folder: verdict.folder, file, sha256: verdict.sha256 });
    const { answer, fault } = await sendShown(card, 'Dropping', path, file);
    if (fault) {
      card.append(notice('bad', 'Not dropped', fault));
      button.disabled = false;
      return announce(fault);
    }
    const place = make('p', { tabindex: '-1' }, answer.says);
    card.append(notice(verdict.blockedBy.length > 0 ? 'warn' : 'good', 'Received'), place);
    // Keyboard focus moves from the button to the result.
    place.focus();
    box.remove();
    announce(answer.says);
    void follow(place, answer.uploadNo);
  });
}

/** How often the page queries where a dropped file is, in ms. A folder on a schedule may leave it for a day. */
const LOOK_EACH_MS = 2_000;
const LOOK_LATER_MS = 30_000;

/** Shows where a dropped file is until it is taken and decided. */
async function follow(place, uploadNo, looks = 0) {
  // With this header, the server does not count the request as a sign of user activity.
  const headers = { accept: 'application/json', 'x-live': '1' };
  const answer = await fetch(`/drop/uploads/${uploadNo}`, { headers }).catch(() => undefined);
  if (answer?.status === 401) return;
  const upload = answer?.ok ? await answer.json() : undefined;
  if (upload?.fileId) {
    place.replaceChildren(`${upload.says} `, make('a', { href: upload.path }, 'Open the file'));
    announce(`${upload.name}: ${upload.says}`);
    if (upload.state !== 'claimed') return;
  }
  setTimeout(() => void follow(place, uploadNo, looks + 1), looks < 60 ? LOOK_EACH_MS : LOOK_LATER_MS);
}

function listen() {
  const input = form.querySelector('#f-files');
  const zone = form.querySelector('#dropzone');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void checkAll([...input.files]);
  });
  input.addEventListener('change', () => void checkAll([...input.files]));
  for (const name of ['dragover', 'drop']) {
    // Otherwise a file that misses the zone would open in place of the page.
    document.addEventListener(name, (event) => event.preventDefault());
  }
  zone.addEventListener('dragover', () => zone.classList.add('over'));
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', ({ dataTransfer }) => {
    zone.classList.remove('over');
    // The input keeps the files in case account and operation are still to be chosen. This assignment fires no event.
    input.files = dataTransfer.files;
    void checkAll([...dataTransfer.files]);
  });
}

if (form) listen();
