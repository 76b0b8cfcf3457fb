import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { achRow, CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { sendFile } from '../support/send-file.ts';
import { changeRole, disablePerson } from '../../../src/ledger/person/change-person.ts';

const world = dashboardForTests();
let operator: TestBrowser;
let viewer: TestBrowser;
beforeAll(async () => {
  operator = await world.as('operator');
  viewer = await world.as('viewer');
});

let made = 0;
/** Returns rows that no other test uses. */
function freshRows(count: number): string[] {
  made += 100;
  return upTo(count).map((n) => cardRow(made + n));
}

const inFolder = (folder = 'card') => readdir(join(world.root, 'drop', folder));

describe('POST /drop/check', () => {
  it('says the verdict with its figures and its faults, and keeps nothing', async () => {
    const content = lines([...freshRows(30), cardRow(9_999, { amount: 'ten', card: CARD })]);
    const { status, json, text } = await sendFile(viewer, 'check', { content });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: 'june.csv',
      folder: 'drop/card',
      verdict: 'accept',
      title: 'Ready to send',
      says: '1 row would be withheld, the others sent.',
      rows: { records: 31, valid: 30, withheld: 1, totalCents: 75_000, total: '750.00', currency: 'USD' },
      faultCount: 1,
      taking: expect.stringContaining('unchanged'),
    });
    expect(json.faults).toEqual([
      {
        line: 31,
        column: 'Amount',
        code: 'AMOUNT_FORMAT',
        effect: 'row withheld',
        means: expect.stringContaining('plain decimal'),
        value: 'ten',
        remedy: expect.stringContaining('25.00'),
      },
    ]);
    expect(text).not.toContain(CARD);
    expect(await inFolder()).toEqual([]);
    expect(await world.states()).toEqual({});
  });

  it('never shows more of a number than its last four digits', async () => {
    const rows = [
      cardRow(1, { card: '4222222222222221' }),
      cardRow(2, { street: `${CARD} Mill Lane` }),
      cardRow(3, { expiry: '01/20' }),
      `${cardRow(4)},123`,
    ];
    for (const content of [lines(rows), lines([`Date,Invoice,CVV,${CARD}`, ...rows])]) {
      const { status, text } = await sendFile(viewer, 'check', { content });
      expect(status).toBe(200);
      expect(text).not.toMatch(/\d{12}(?=2220|2221)/);
    }
  });

  it('takes a file without bytes for what it is', async () => {
    expect((await sendFile(viewer, 'check', { content: '' })).json).toMatchObject({
      verdict: 'reject',
      code: 'EMPTY',
      rows: null,
    });
  });

  it('says of encrypted files what shows from outside', async () => {
    const said = await sendFile(viewer, 'check', { name: 'june.csv.pgp', content: 'x' });
    expect(said.json).toMatchObject({ verdict: 'reject', code: 'PGP_NO_KEY' });
  });
});

describe('requests that are refused before a byte is read', () => {
  it.each<[string, Parameters<typeof sendFile>[2], number, RegExp]>([
    ['a folder that there is not', { folder: 'drop/none' }, 404, /does not exist/],
    ['a path of the disk', { folder: '/etc' }, 404, /does not exist/],
    ['a path as name', { name: '../../etc/passwd' }, 400, /it contains a path/],
    ['a hidden name', { name: '.june.csv' }, 400, /begins with a dot/],
    ['a name of an unfinished file', { name: 'june.csv.part' }, 400, /still being written/],
    ['a control file', { name: 'june.csv.ctl' }, 400, /control files/],
    ['a name with a NUL', { name: 'june\0.csv' }, 400, /characters that no text has/],
    [
      'a name with a card number',
      { name: `${CARD}.csv` },
      400,
      /"\*{12}2220\.csv": it contains what looks like a card/,
    ],
    ['a compressed body', { headers: { 'content-encoding': 'gzip' } }, 400, /compressed for transport/],
    ['another kind of content', { headers: { 'content-type': 'text/csv' } }, 415, /not accepted/],
    ['the token of nobody', { headers: { 'x-csrf-token': 'x' } }, 403, /did not come from a page/],
    ['another origin', { headers: { origin: 'https://evil.example' } }, 403, /did not come from a page/],
  ])('%s', async (_, file, status, words) => {
    for (const action of ['check', 'submit'] as const) {
      const said = await sendFile(operator, action, { content: lines(freshRows(1)), ...file });
      expect([action, said.status]).toEqual([action, status]);
      expect(said.json.error?.says).toMatch(words);
      expect(said.text).not.toContain(CARD);
    }
    expect(await inFolder()).toEqual([]);
  });

  it('a drop by a viewer, and by an approver', async () => {
    for (const person of ['viewer', 'approver'] as const) {
      const browser = await world.as(person);
      const content = lines(freshRows(1));
      expect((await sendFile(browser, 'check', { content })).status).toBe(200);
      expect((await sendFile(browser, 'submit', { content })).status).toBe(403);
    }
    expect((await sendFile(world.stranger(), 'check', { content: 'x' })).status).toBe(401);
    expect(await inFolder()).toEqual([]);
  });

  it('a drop that was not checked', async () => {
    const said = await sendFile(operator, 'submit', { content: 'x', sha256: 'abc' });
    expect([said.status, said.json.error?.says]).toEqual([400, expect.stringContaining('Check it first.')]);
  });
});

describe('POST /drop/submit', () => {
  it('puts the file into its folder, whole and ours alone, notes who made it, and says where it is until it is taken', async () => {
    const content = lines(freshRows(3));
    const dropped = await sendFile(operator, 'submit', { name: 'followed.csv', content });
    expect(dropped.status).toBe(200);
    expect(dropped.json.says).toMatch(/^Received\. It is taken after it is unchanged/);
    const path = join(world.root, 'drop', 'card', 'followed.csv');
    expect(await readFile(path, 'utf8')).toBe(content);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(path)).nlink).toBe(1);
    const follow = async () => JSON.parse((await viewer.get(`/drop/uploads/${dropped.json.uploadNo}`)).text);
    expect(await follow()).toMatchObject({ name: 'followed.csv', fileId: null, state: null, path: null });

    await world.finish();
    const { fileId, ...followed } = await follow();
    expect(followed).toMatchObject({ state: 'completed', path: `/files/${fileId}` });
    const { rows } = await world.app.ledger.pool.query(
      `SELECT u.actor, f.state FROM upload u JOIN file f USING (file_id) WHERE f.name = 'followed.csv'`,
    );
    expect(rows).toEqual([{ actor: 'operator:operator', state: 'completed' }]);
    expect(await readAuditOf('drop')).toContainEqual({
      actor: 'operator:operator',
      reason: 'dropped on the dashboard',
    });
  });

  it('comes to what the check has said', async () => {
    const files: Record<string, { content: string; folder?: string }> = {
      'good.csv': { content: lines(freshRows(3)) },
      'bad.csv': { content: 'one,cell,less\n' },
      'twice.csv': { content: lines([cardRow(7_001), cardRow(7_001)]) },
      'sign.csv': { content: lines([achRow(7_002)]), folder: 'drop/ach-refund' },
    };
    const foretold: Record<string, string> = {};
    for (const [name, file] of Object.entries(files)) {
      const { json } = await sendFile(operator, 'check', { name, ...file });
      foretold[name] = { accept: 'completed', hold: 'held', reject: 'rejected', later: '?' }[json.verdict!];
      expect((await sendFile(operator, 'submit', { name, ...file, sha256: json.sha256! })).status).toBe(200);
    }
    expect(new Set(Object.values(foretold))).toEqual(new Set(['completed', 'held', 'rejected']));
    await world.finish();
    expect(await world.states()).toMatchObject(foretold);
  });

  it('is told before that the same bytes or rows came already', async () => {
    const rows = freshRows(2);
    await sendFile(operator, 'submit', { name: 'first.csv', content: lines(rows) });
    const lying = await sendFile(viewer, 'check', { name: 'second.csv', content: lines(rows) });
    expect(lying.json).toMatchObject({
      verdict: 'accept',
      waiting: expect.stringMatching(/^operator dropped the same bytes as "first\.csv" at /),
    });
    await world.finish();
    const { rows: found } = await world.app.ledger.pool.query(`SELECT file_id FROM file WHERE name = 'first.csv'`);
    const same = await sendFile(viewer, 'check', { name: 'second.csv', content: lines(rows) });
    expect(same.json).toMatchObject({
      verdict: 'reject',
      code: 'DUPLICATE_FILE',
      duplicateOf: found[0].file_id,
      waiting: null,
    });
    const turned = await sendFile(viewer, 'check', { name: 'second.csv', content: lines(rows.toReversed()) });
    expect(turned.json).toMatchObject({ verdict: 'hold', code: 'SAME_ROWS', duplicateOf: found[0].file_id });
    expect(turned.json.faults?.map(({ code }) => code)).toContain('CHARGED_BEFORE');
  });

  it('refuses other bytes than those that were checked', async () => {
    const { json } = await sendFile(operator, 'check', { content: lines(freshRows(2)) });
    const said = await sendFile(operator, 'submit', { content: lines(freshRows(2)), sha256: json.sha256! });
    expect([said.status, said.json.error?.code]).toEqual([409, 'OTHER_BYTES']);
    expect(await inFolder()).toEqual([]);
  });

  it('never replaces a file, and names one that is free', async () => {
    const path = join(world.root, 'drop', 'card', 'taken.csv');
    await writeFile(path, 'theirs');
    const said = await sendFile(operator, 'submit', { name: 'taken.csv', content: lines(freshRows(1)) });
    expect([said.status, said.json.error?.code]).toEqual([409, 'NAME_TAKEN']);
    expect(said.json.error?.says).toContain('"taken-2.csv"');
    expect(await readFile(path, 'utf8')).toBe('theirs');
    expect(await inFolder()).toEqual(['taken.csv']);
  });

  it('has no number that nobody dropped', async () => {
    for (const number of ['999999', 'x', '-1', '1e3'])
      expect((await viewer.get(`/drop/uploads/${number}`)).status).toBe(404);
  });
});

describe('slow uploads', () => {
  /** Begins to send a file and then sends nothing more. @returns closes the connection */
  async function hang(browser: TestBrowser, action: string): Promise<() => void> {
    const headers = {
      cookie: browser.cookie,
      'content-type': 'application/octet-stream',
      'x-csrf-token': await browser.csrf(),
      'content-length': '1000',
    };
    const query = new URLSearchParams({ folder: 'drop/card', name: 'slow.csv', sha256: '0'.repeat(64) });
    const sent = request(`${world.url}/drop/${action}?${query}`, { method: 'POST', headers });
    sent.on('error', () => {});
    await new Promise((resolve) => sent.write('I', resolve));
    return () => sent.destroy();
  }

  it('of one user do not keep others from checking and dropping; the user hears that they are too many', async () => {
    const closers = await Promise.all(Array.from({ length: 7 }, () => hang(viewer, 'check')));
    // One that comes before the server has seen all seven waits, and then counts as well.
    const tried = () =>
      sendFile(viewer, 'check', { content: 'x', signal: AbortSignal.timeout(500) })
        .then(({ status, json }) => [status, json.error?.code])
        .catch(() => 'it waits');
    await expect.poll(tried).toEqual([503, 'BUSY']);
    expect((await sendFile(operator, 'check', { content: lines(freshRows(1)) })).status).toBe(200);
    for (const close of closers) close();
    await expect.poll(tried).toEqual([200, undefined]);
  });
});

describe('a user who is shut out while a file arrives', () => {
  it.each([
    ['by another role', 403, () => changeRole(world.app.ledger, 'second', 'viewer', BECAUSE)],
    ['altogether', 401, () => disablePerson(world.app.ledger, 'second', BECAUSE)],
  ])('%s does not drop it', async (_, status, shutOut) => {
    await changeRole(world.app.ledger, 'second', 'operator', BECAUSE);
    const second = await world.as('second');
    const content = lines(freshRows(1));
    let send: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (send = controller) });
    const said = sendFile(second, 'submit', { name: 'late.csv', content: stream, sha256: sha256Of(content) });
    send?.enqueue(Buffer.from(content));
    await expect.poll(() => inFolder()).toContainEqual(expect.stringMatching(/^\.late\.csv\..*\.tmp$/));
    await shutOut();
    send?.close();
    expect((await said).status).toBe(status);
    expect((await inFolder()).filter((name) => name.includes('late'))).toEqual([]);
  });
});

const BECAUSE = { actor: 'operator:admin', reason: 'left' };

/** Returns who made these moves and why, in order. */
async function readAuditOf(move: string): Promise<{ actor: string; reason: string }[]> {
  const { rows } = await world.app.ledger.pool.query<{ actor: string; reason: string }>(
    'SELECT actor, reason FROM audit WHERE move = $1 ORDER BY seq',
    [move],
  );
  return rows;
}
