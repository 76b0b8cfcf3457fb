import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outcome, OUTCOMES, OUTPUT_KINDS, type OutputKind } from '../../../schemas/lifecycle.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { readOutputs } from '../../../src/ledger/file/read-file.ts';
import type { ReadFileRow } from '../../../src/ledger/engine/records.ts';
import { writeOutputFiles } from '../../support/write-outputs.ts';
import { cutAtStatement, POWER_CUT, stepWorld } from '../support/step-world.ts';
import { titlesOf } from '../../../src/reconcile/outputs/result-row.ts';
import { countDelivered } from '../../../workers/deliver/count-delivered.ts';
import { figuresOfFile } from '../../../workers/deliver/summary-of-file.ts';

const world = stepWorld({ accounts: 30 });

async function freshFile(): Promise<ReadFileRow> {
  return world.file(await world.takeInCharges(world.freshAccount(), 1));
}

/** Writes one output and returns its path. */
async function write(file: ReadFileRow, text: string, kind: OutputKind = 'result', app = world.app): Promise<string> {
  await writeOutputFiles(app, file, async (outputs) => {
    await outputs.appendText(kind, text, 3);
    await outputs.publish([kind]);
  });
  const output = (await readOutputs(app.ledger, file.file_id)).find((noted) => noted.kind === kind)!;
  return join(app.settings.paths.out, output.name);
}

describe('writeOutputFiles', () => {
  it.each(Object.keys(OUTPUT_KINDS) as OutputKind[])(
    'names a file of kind %s after its sender and its id',
    async (kind) => {
      const file = await freshFile();
      const path = await write(file, 'text', kind);
      expect(basename(path)).toBe(`june-1__${file.file_id.slice(0, 8)}.${OUTPUT_KINDS[kind].suffix}`);
      expect(await readFile(path, 'utf8')).toBe('text');
    },
  );

  it('notes name, hash, bytes and rows, with a link in the audit trail', async () => {
    const file = await freshFile();
    const path = await write(file, 'text');
    expect(await readOutputs(world.app.ledger, file.file_id)).toMatchObject([
      { kind: 'result', name: basename(path), sha256: sha256Of(Buffer.from('text')), bytes: 4, rows: 3 },
    ]);
    expect((await world.movesOf({ fileId: file.file_id })).at(-1)).toBe('output');
  });

  it.each([
    ['result', ['Zo', 'ë, ', 'Zoë'], '\ufeffZoë, Zoë'],
    ['nak', ['ë'], '\ufeffë'],
    ['result', ['Zoe'], 'Zoe'],
    ['summary-txt', ['Zoë'], 'Zoë'],
  ] as const)('puts a byte order mark before a table of letters beyond ASCII: %s of %j', async (kind, parts, text) => {
    const file = await freshFile();
    await writeOutputFiles(world.app, file, async (outputs) => {
      for (const part of parts) await outputs.appendText(kind, part);
      await outputs.publish([kind]);
    });
    const [{ name, sha256 } = { name: '', sha256: '' }] = await readOutputs(world.app.ledger, file.file_id);
    expect(await readFile(join(world.settings.paths.out, name), 'utf8')).toBe(text);
    expect(sha256).toBe(sha256Of(Buffer.from(text)));
    const drafts = (await readdir(world.settings.paths.out)).filter((entry) => entry.startsWith('.'));
    expect(drafts.filter((entry) => entry.includes(name))).toEqual([]);
  });

  it('may be done again with the same content, and is noted once', async () => {
    const file = await freshFile();
    expect(await write(file, 'same')).toBe(await write(file, 'same'));
    expect((await world.movesOf({ fileId: file.file_id })).filter((move) => move === 'output')).toHaveLength(1);
  });

  it('is noted by the next try when the process died in between', async () => {
    const file = await freshFile();
    const cut = cutAtStatement(world.app, /commit_outputs/);
    await expect(write(file, 'same', 'result', cut.app)).rejects.toThrow(POWER_CUT);
    expect(await readOutputs(world.app.ledger, file.file_id)).toEqual([]);
    await write(file, 'same');
    expect(await readOutputs(world.app.ledger, file.file_id)).toHaveLength(1);
  });

  it('never touches an output that the ledger knows, whatever became of it', async () => {
    const file = await freshFile();
    const path = await write(file, 'ours');
    await writeFile(path, 'edited');
    await expect(write(file, 'ours')).rejects.toThrow('exists with other content');
    expect(await readFile(path, 'utf8')).toBe('edited');
  });

  it('sets aside what the ledger has forgotten, and deletes nothing', async () => {
    const file = await freshFile();
    const { out } = world.settings.paths;
    const name = `june-1__${file.file_id.slice(0, 8)}.result.csv`;
    await mkdir(out, { recursive: true });
    await writeFile(join(out, name), 'of a ledger that was put back');
    expect(await readFile(await write(file, 'ours'), 'utf8')).toBe('ours');
    const [aside] = (await readdir(out)).filter((other) => other.startsWith(`${name}.`));
    expect(aside).toMatch(/\.forgotten$/);
    expect(await readFile(join(out, aside!), 'utf8')).toBe('of a ledger that was put back');
    expect(await readOutputs(world.app.ledger, file.file_id)).toMatchObject([{ kind: 'result', name }]);
  });

  it('leaves nothing behind when the content cannot be made', async () => {
    const file = await freshFile();
    const broken = writeOutputFiles(world.app, file, async (outputs) => {
      await outputs.appendText('result', 'half');
      throw new Error('the original cannot be read');
    });
    await expect(broken).rejects.toThrow('the original cannot be read');
    const left = (await readdir(world.settings.paths.out)).filter((name) => name.includes(file.file_id.slice(0, 8)));
    expect(left).toEqual([]);
  });

  it('publishes several together, notes them at once, and counts the rows of each', async () => {
    const file = await freshFile();
    const seen: string[] = [];
    const result = 'a line of the result\n'.repeat(20_000);
    const before = (await world.movesOf({ fileId: file.file_id })).length;
    await writeOutputFiles(world.app, file, async (outputs) => {
      await outputs.appendText('rejects', 'a');
      for (let part = 0; part < 4; part += 1) await outputs.appendText('result', result, 20_000);
      await outputs.append('rejects', Buffer.from('b'), 1);
      await outputs.publish(['result', 'rejects', 'retry'], async (kind, bytes) => {
        let read = 0;
        for await (const piece of bytes) read += piece.length;
        seen.push(`${kind} ${read}`);
      });
    });
    expect(seen.toSorted()).toEqual(['rejects 2', `result ${4 * result.length}`]);
    const outputs = await readOutputs(world.app.ledger, file.file_id);
    expect(outputs.map(({ kind, rows, bytes }) => [kind, rows, bytes])).toEqual([
      ['rejects', 1, 2],
      ['result', 80_000, 4 * result.length],
    ]);
    expect((await world.movesOf({ fileId: file.file_id })).slice(before)).toEqual(['output', 'output']);
  });

  it('drops what was begun and not published', async () => {
    const file = await freshFile();
    await writeOutputFiles(world.app, file, async (outputs) => {
      await outputs.appendText('result', 'a');
      await outputs.appendText('retry', 'b');
      await outputs.publish(['result']);
    });
    const left = (await readdir(world.settings.paths.out)).filter((name) => name.includes(file.file_id.slice(0, 8)));
    expect(left).toEqual([`june-1__${file.file_id.slice(0, 8)}.result.csv`]);
  });
});

const TITLES =
  'Line,Invoice #,First Name,Last Name,Account Type,Account #,Amount,Comment,Outcome,Code,Message,Authorization,Batch Id,Sent At,Result At,Attempt';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'paydrop-count-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function count(rows: string[], delimiter?: 'semicolon' | 'tab') {
  const path = join(dir, 'result.csv');
  await writeFile(path, [TITLES, ...rows, ''].join('\r\n'));
  return countDelivered(createReadStream(path), { titles: titlesOf('ach'), amountAt: 5 }, delimiter);
}

function row(amount: string, outcome: string, comment = 'June dues'): string {
  return `1,A-1,Ada,Byron,CHECKING,***1,${amount},${comment},${outcome},,Received,,1,,,1`;
}

describe('countDelivered', () => {
  it.each(Object.keys(OUTCOMES) as Outcome[])('knows the label of %s', async (outcome) => {
    expect(await count([row('25.00', OUTCOMES[outcome].label)])).toEqual({ [outcome]: { rows: 1, cents: 2_500 } });
  });

  it('adds rows and money per outcome', async () => {
    const rows = [row('25.00', 'APPROVED'), row('0.01', 'APPROVED'), row('-5.5', 'DECLINED'), row('7', 'UNKNOWN')];
    expect(await count(rows)).toEqual({
      approved: { rows: 2, cents: 2_501 },
      declined: { rows: 1, cents: -550 },
      unknown: { rows: 1, cents: 700 },
    });
  });

  it('reads quoted cells as people would', async () => {
    expect(await count([row('25.00', 'APPROVED', '"APPROVED, ""yes"""')])).toEqual({
      approved: { rows: 1, cents: 2_500 },
    });
  });

  it('counts a row whose amount is none, without money', async () => {
    expect(await count([row("'=1+1", 'INVALID'), row('', 'INVALID')])).toEqual({ invalid: { rows: 2, cents: 0 } });
  });

  it.each([
    ['an outcome that is none', row('25.00', 'PAID')],
    ['a row that was cut', '1,A-1,Ada'],
    ['the title once more', TITLES],
  ])('does not count %s, so that the totals differ', async (_what, line) => {
    expect(await count([row('25.00', 'APPROVED'), line])).toEqual({ approved: { rows: 1, cents: 2_500 } });
  });

  it.each([
    ['quoted amounts', row('"25.00"', 'APPROVED'), 2_500],
    ['quoted outcomes', row('25.00', '"APPROVED"'), 2_500],
    ['blanks around an amount', row(' 25.00 ', 'APPROVED'), 2_500],
    ['a refund', row('-25.00', 'APPROVED'), -2_500],
    ['one decimal', row('25.5', 'APPROVED'), 2_550],
    ['no decimals', row('25', 'APPROVED'), 2_500],
    ['a large amount', row('12345678.90', 'APPROVED'), 1_234_567_890],
    ['an amount over the limit', row('99999999.99', 'APPROVED'), 0],
    ['an amount that begins with a point', row('.50', 'APPROVED'), 0],
    ['other letters in the row', row('25.00', 'APPROVED', 'Zoë'), 2_500],
    ['a comma in quotes before it', row('25.00', 'APPROVED').replace('Byron', '"Byron, Lady"'), 2_500],
  ])('reads %s', async (_what, line, cents) => {
    expect(await count([row('1.00', 'DECLINED'), line])).toEqual({
      declined: { rows: 1, cents: 100 },
      approved: { rows: 1, cents },
    });
  });

  it.each([
    ['semicolon', ';'],
    ['tab', '\t'],
  ] as const)('reads cells separated by a %s', async (delimiter, sign) => {
    const rows = [
      row('25.00', 'APPROVED', 'Zoë'),
      row('-5.50', 'DECLINED', `"a${sign}""b"`),
      row("'=1", 'INVALID'),
      row('1.5', 'APPROVED'),
    ];
    const separated = rows.map((line) => line.replaceAll(',', sign));
    expect(await count(separated, delimiter)).toEqual({
      approved: { rows: 2, cents: 2_650 },
      declined: { rows: 1, cents: -550 },
      invalid: { rows: 1, cents: 0 },
    });
  });

  it('finds nothing in a file of titles only', async () => {
    expect(await count([])).toEqual({});
  });
});

const FILE = {
  state: 'accepted',
  reason_code: null,
  control: { rows: 3 },
  sha256: 'hash',
  physical_lines: 6,
  blank_lines: 1,
  header_line: 2,
  profile_lines: null,
  records: 4,
  valid_rows: 3,
  valid_cents: 7_500,
  invalid_rows: 1,
} as unknown as ReadFileRow;

describe('figuresOfFile', () => {
  it('has what was counted at the intake', () => {
    expect(figuresOfFile(FILE)).toEqual({
      control: { rows: 3 },
      approved: false,
      sha256: 'hash',
      physicalLines: 6,
      blankLines: 1,
      headerLines: 1,
      readLines: null,
      records: 4,
      valid: { rows: 3, cents: 7_500 },
      invalidRows: 1,
    });
    expect(figuresOfFile({ ...FILE, header_line: null }).headerLines).toBe(0);
  });

  it('counts as approved what was held and is not any more', () => {
    const held = { ...FILE, reason_code: 'CONTROL_TOTALS' };
    expect(figuresOfFile({ ...held, state: 'held' }).approved).toBe(false);
    expect(figuresOfFile({ ...held, state: 'in_progress' }).approved).toBe(true);
  });
});
