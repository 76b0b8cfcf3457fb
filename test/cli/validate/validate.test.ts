import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { achRow, CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { encrypt, makeKey, type TestKey, writeKey } from '../../support/openpgp.ts';
import { PROFILE_TEXT } from '../../ledger/support/put-version.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { type Ran, runHere } from '../support/run-here.ts';
import { checkFile } from '../../../src/cli/validate/validate.ts';
import { chooseRules, type DropRules, openDrop } from '../../../src/cli/validate/choose-rules.ts';
import { readPiecesNow } from '../../../src/kernel/file-bytes.ts';
import type { Fault } from '../../../src/rows/rows.ts';

let root = '';
async function write(name: string, text: string | Buffer): Promise<string> {
  const path = join(root, name);
  await writeFile(path, text);
  return path;
}

function validate(path: string, ...words: string[]): Promise<Ran> {
  return runHere(['--dir', root, 'validate', path, '--operation', 'card', ...words]);
}

const TWENTY = upTo(20).map((n) => cardRow(n));
const ONE_BAD = [...TWENTY, cardRow(21, { amount: 'ten' })];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-validate-'));
});
afterAll(() => rm(root, { recursive: true }));

describe('validate: the verdict is the exit status', () => {
  it.each([
    [
      'a good file',
      TWENTY,
      0,
      /^the\.csv: ACCEPTED\. 20 rows, 20 valid with a total of 500\.00, 0 withheld\.\nNot compared with other files; .*\.\n$/,
    ],
    [
      'a row that is withheld',
      ONE_BAD,
      2,
      /^line 21, Amount: row withheld: .* \[ten\] \(AMOUNT_FORMAT\)\. Write .*\n.*ACCEPTED/,
    ],
    [
      'a refused file',
      ['one,cell,less'],
      2,
      /^line 1: file refused: .*\(COLUMN_COUNT\)[^]*\nthe\.csv: REJECTED \(COLUMN_COUNT\): /,
    ],
    [
      'a held file',
      [cardRow(1), cardRow(1)],
      3,
      /^line 2: file held: .*\(DUPLICATE_ROW\)[^]*\nthe\.csv: HELD \(DUPLICATE_ROW\): /,
    ],
  ])('%s', async (_what, rows, code, text) => {
    const { status, out, err } = await validate(await write('the.csv', lines(rows)));
    expect({ status, err }).toEqual({ status: code, err: '' });
    expect(out).toMatch(text);
    expect(out).not.toContain(CARD);
  });

  it('reads the file by the text of an import profile', async () => {
    const profile = await write('dues.yaml', PROFILE_TEXT);
    const path = await write('dues.csv', 'Number,Customer,Memo,Due\nR-1,C001,June,25.00\nR-2,C002,,30.00\n');
    const { status, out } = await validate(path, '--profile', profile);
    expect({ status, out }).toEqual({ status: 0, out: expect.stringContaining('2 valid with a total of 55.00') });
    const other = await validate(
      await write('more.csv', 'Number,Customer,Due\nR-1,C001,25.00\n'),
      '--profile',
      profile,
    );
    expect(other).toMatchObject({ status: 2, out: expect.stringContaining('TITLES_DIFFER') });
  });

  it('names the line of a profile that cannot be read', async () => {
    const profile = await write('bad.yaml', PROFILE_TEXT.replace('separator', 'seperator'));
    const { status, err } = await validate(await write('a.csv', 'a\n'), '--profile', profile);
    expect({ status, err }).toEqual({ status: 1, err: expect.stringMatching(/line 2.*separator/s) });
  });

  it('is JSON alone on request, with every fault', async () => {
    const path = await write('json.csv', lines(upTo(150).map((n) => cardRow(n, { amount: 'ten' }))));
    const { status, out, err } = await validate(path, '--json');
    expect({ status, err }).toEqual({ status: 2, err: '' });
    const report = JSON.parse(out) as { faults: unknown[] };
    expect(report).toMatchObject({
      file: 'json.csv',
      decision: { verdict: 'reject', code: 'NO_ROWS' },
      check: { records: 150, valid: { rows: 0, cents: 0 } },
    });
    expect(report.faults).toHaveLength(152);
    expect(report.faults[0]).toMatchObject({ code: 'AMOUNT_FORMAT', line: 1, column: 'amount' });
  });

  it('prints --max-faults of them for people', async () => {
    const path = await write('many.csv', lines(upTo(10).map((n) => cardRow(n, { amount: 'ten' }))));
    const { out } = await validate(path, '--max-faults', '2');
    expect(out.split('\n').slice(2, 3)).toEqual(['… and 10 more; --max-faults or --json shows them']);
  });

  it('compares with the control file beside it', async () => {
    const text = lines(TWENTY);
    const path = await write('control.csv', text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    await writeFile(`${path}.ctl`, `rows=20\ntotal=500.00\nsha256=${sha256}\n`);
    expect(await validate(path)).toMatchObject({ status: 0 });
    await writeFile(`${path}.ctl`, 'rows=21\n');
    expect(await validate(path)).toMatchObject({ status: 3, out: expect.stringContaining('it says 21 rows') });
  });

  it('opens an encrypted file with the key of the account, and says why it would be refused', async () => {
    const own = await makeKey();
    await mkdir(join(root, 'encrypted'));
    const key = await writeKey(root, 'own.asc', own.privateKey.armor());
    const account = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'P', openpgp: { key } };
    const config = {
      accounts: { main: account },
      folders: [{ path: 'drop/card', account: 'main', operation: 'card', encryption: 'required' }],
    };
    await writeFile(join(root, 'encrypted', 'paydrop.yaml'), JSON.stringify(config));
    const message = await encrypt(lines(TWENTY), { to: own });
    const check = (path: string) =>
      runHere(['--dir', join(root, 'encrypted'), 'validate', path, '--operation', 'card']);

    const path = await write('june.csv.pgp', message);
    await writeFile(`${path}.ctl`, `rows=20\nsha256=${createHash('sha256').update(message).digest('hex')}\n`);
    expect(await check(path)).toMatchObject({
      status: 0,
      out: expect.stringContaining('june.csv.pgp: ACCEPTED. 20 rows'),
    });
    const cut = await check(await write('cut.csv.pgp', message.subarray(0, -20)));
    expect(cut).toMatchObject({
      status: 2,
      out: expect.stringMatching(/^file refused: .*\(PGP_MESSAGE\).*\ncut\.csv\.pgp: REJECTED /),
    });
    expect(await check(await write('plain.csv', lines(TWENTY)))).toMatchObject({ status: 2 });
    expect(await validate(path)).toMatchObject({ status: 2, out: expect.stringContaining('PGP_NO_KEY') });
  });

  it('says nothing of the queue, the ledger or the folders, because it touches none', async () => {
    await mkdir(join(root, 'bare'));
    const { status } = await runHere([
      '--dir',
      join(root, 'bare'),
      'validate',
      'samples/ach-charge/ach.csv',
      '--operation',
      'ach-charge',
    ]);
    expect(status).toBe(0);
    await expect(rm(join(root, 'bare', 'data'))).rejects.toThrow('ENOENT');
  });
});

describe('validate: what cannot be checked is usage, 1', () => {
  it('names a missing file, a folder, a link and a pipe, without waiting for a writer', async () => {
    const path = await write('real.csv', lines(TWENTY));
    await symlink(path, join(root, 'link.csv'));
    execFileSync('mkfifo', [join(root, 'pipe.csv')]);
    for (const [name, reason] of [
      [join(root, 'missing.csv'), 'there is no such file'],
      [root, 'it is not a plain file'],
      [join(root, 'link.csv'), 'it is not a plain file'],
      [join(root, 'pipe.csv'), 'it is not a plain file'],
      ['', 'there is no such file'],
    ] as const) {
      const { status, out, err } = await validate(name, '--json');
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toContain(reason);
    }
  });

  it('hides a number in the name of the file', async () => {
    const { err } = await validate(join(root, `${CARD}.csv`));
    expect(err).toContain('************2220.csv');
    expect(err).not.toContain(CARD);
  });

  it.each([
    [['--max-faults', 'all'], 'Cannot use --max-faults "all"'],
    [['--operation', 'cash'], 'Cannot validate as "cash": it must be one of card, ach-charge, ach-refund'],
    [['--account', 'nobody'], 'this folder has no configuration'],
  ])('%j', async (words, sentence) => {
    const { status, out, err } = await validate(await write('any.csv', lines(TWENTY)), ...words);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(sentence);
  });

  it('refuses what is larger than the folder of the configuration takes', async () => {
    const small = join(root, 'small');
    await mkdir(small);
    const account = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'P' };
    const folders = [{ path: 'drop', account: 'us', operation: 'card', maxBytes: 500 }];
    await writeFile(join(small, 'paydrop.yaml'), JSON.stringify({ accounts: { us: account }, folders }));
    const path = await write('large.csv', lines(TWENTY));
    const { status, out } = await runHere(['--dir', small, 'validate', path, '--operation', 'card']);
    expect(status).toBe(2);
    expect(out).toMatch(/^large\.csv: REJECTED \(FILE_TOO_LARGE\): .* bytes, at most 500\./m);
    expect((await validate(path)).status).toBe(0);
  });

  it('gives the message of the service for ACH on a UK account', async () => {
    const uk = join(root, 'uk');
    await mkdir(uk);
    const account = { server: 'UK', country: 'UK', currency: 'GBP', agentCode: 'A', password: 'P' };
    const folders = [{ path: 'drop', account: 'uk', operation: 'card' }];
    await writeFile(join(uk, 'paydrop.yaml'), JSON.stringify({ accounts: { uk: account }, folders }));
    const path = await write('ach.csv', lines([achRow(1)]));
    const words = ['--dir', uk, 'validate', path, '--operation', 'ach-charge', '--account', 'uk'];
    const { status, out, err } = await runHere(words);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toBe(
      'Cannot validate as "ach-charge": Service cannot be used on this server. Use an account for which the service offers it.\n',
    );
  });
});

it('checkFile tells faults of rows in file order, with the progress line out of their way', async () => {
  const root = await freshFolder();
  const rows = upTo(2_000).map((n) => cardRow(n, n % 1_000 === 0 ? { amount: 'ten' } : {}));
  await writeFile(join(root, 'a.csv'), lines(rows));
  const events: string[] = [];
  const check = await checkFile(await open(join(root, 'a.csv')), chooseRules('card', undefined, root), {
    report: { fault: (fault: Fault) => events.push(`line ${fault.line}`) },
    contentOf: (file) => readPiecesNow(file.fd),
    progress: { show: (text) => events.push(text), clear: () => events.push('clear') },
  });
  expect(check).toMatchObject({ records: 2_000, valid: { rows: 1_998 }, faultCounts: { AMOUNT_FORMAT: 2 } });
  expect(events.filter((event) => event.startsWith('line'))).toEqual(['line 1000', 'line 2000']);
  expect(events.filter((event) => event.includes('rows')).at(-1)).toBe('2000 rows, 100 %');
  expect(events.at(-1)).toBe('clear');
  // The progress line is cleared before anything else appears.
  const shown = events.flatMap((event, index) => (event.includes('rows') ? [events[index + 1]] : []));
  expect(new Set(shown)).toEqual(new Set(['clear']));
});

let dir: string;
let own: TestKey;
let rules: DropRules;

/** Returns what would be read as rows, or the code of the refusal. */
async function opened(name: string, content: string | Buffer, change: Partial<DropRules> = {}): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, content);
  const drop = await openDrop(path, { ...rules, ...change });
  if ('code' in drop) return drop.code;
  const file = await open(path);
  let text = '';
  for await (const piece of drop.contentOf(file)) text += Buffer.from(piece).toString();
  await file.close();
  return text;
}

describe('openDrop', () => {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'paydrop-open-drop-'));
    own = await makeKey();
    const config = { key: own.privateKey.armor(), senders: [] };
    rules = { folder: { encryption: 'optional' }, openpgp: { account: 'main', config }, maxBytes: undefined };
  });
  afterAll(() => rm(dir, { recursive: true }));

  it('gives the rows of a file, whether they are encrypted or not', async () => {
    expect(await opened('plain.csv', 'a,b\n')).toBe('a,b\n');
    expect(await opened('june.csv.pgp', await encrypt('a,b\n', { to: own }))).toBe('a,b\n');
  });

  it('says why a file would be refused', async () => {
    const message = await encrypt('a,b\n', { to: own });
    expect(await opened('june.csv.pgp', message, { openpgp: undefined })).toBe('PGP_NO_KEY');
    expect(await opened('june.csv.pgp', message, { maxBytes: 3 })).toBe('FILE_TOO_LARGE');
    expect(await opened('june.csv.pgp', message.subarray(1))).toBe('PGP_MESSAGE');
    expect(await opened('june.csv', 'a,b\n', { folder: { encryption: 'required' } })).toBe('PGP_PLAIN');
  });
});
