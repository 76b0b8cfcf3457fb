import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { OUTPUT_KINDS, type OutputKind } from '../../schemas/lifecycle.ts';
import type { Profile } from '../../schemas/profiles.ts';
import { profileText } from '../../src/csv/profile/profile-text.ts';
import { approveFile } from '../../src/ledger/file/release-held.ts';
import { changeOutcomes } from '../../src/ledger/row/change-outcomes.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import { profileOf, someDialect, somePayment, writeFile } from '../csv/profile/support/random-file.ts';
import { freshSeed } from '../support/random.ts';
import { logIntoLines } from '../queue/support/queue-world.ts';
import { putConfirmed } from '../ledger/support/put-version.ts';
import { fileNamed } from '../support/bad-input.ts';
import { findCanaries } from '../support/canaries.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { CARD, MAGIC_CARD } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { deliverFile } from '../support/work-alone.ts';

/**
 * Drops every output of files that profiles read again, into the folder that they came through and into a plain one.
 * Nothing that was charged is charged again; what was corrected is, once.
 */

const seed = freshSeed();
const ROWS = 12;
const NAMES = ['one', 'two', 'three'];

const FILES = fc.sample(someDialect(), { seed, numRuns: NAMES.length }).map((dialect, file) => {
  const payments = fc.sample(somePayment(), { seed: seed + file, numRuns: ROWS }).map((payment, row) => {
    const invoice = `${['-R', 'R', '=R', "'+R"][row % 4]}${file}${row}`;
    const cents = 1_000 + 10 * file + row;
    if (row === 3) return { ...payment, invoice, cents: 200, card: ['VISA', MAGIC_CARD] as const };
    if (row === 5) return { ...payment, invoice, cents: 1_600, card: ['VISA', MAGIC_CARD] as const };
    // Withheld: it is no card of this brand.
    return { ...payment, invoice, cents, card: [row === 7 ? 'MC' : 'VISA', CARD] as const };
  });
  return { name: NAMES[file]!, dialect, profile: profileOf(dialect), payments };
});

describe.each([
  ['whole numbers', true],
  ['masked numbers', false],
])('outputs in the form of the sender with %s, dropped again', (_, clearNumbers) => {
  const world = openedForTests(() => {
    const each = { account: 'main', operation: 'card', clearNumbers, unusualFactor: 0, sameTotals: 'off' };
    const complete = { by: 'quiet', quietMs: 20, probes: 2 };
    const folders = [
      { ...each, complete, path: 'drop/plain', badRows: { maxPercent: 50 } },
      ...NAMES.map((name) => ({
        ...each,
        complete,
        path: `drop/${name}`,
        profile: `${name}-dues`,
        badRows: { maxPercent: 50 },
      })),
    ];
    return openPipelineWorld({ log, settings: { folders, batch: { maxRows: 5 } } });
  });
  const { log, lines: logged } = logIntoLines();
  let before: string[];
  let after: string[];

  beforeAll(async () => {
    for (const { name, dialect, profile, payments } of FILES) {
      await putConfirmed(world.app.ledger, `${name}-dues`, profileText(profile));
      await world.drop(name, `${name}.csv`, writeFile(dialect, payments));
    }
    await world.finish();
    for (const { name } of FILES) await approve(`${name}.csv`);
    await world.finish();
    for (const { name } of FILES) await correctOutcome(name);
    before = booked();
    for (const { name } of FILES) {
      for (const [output, bytes] of await outputsOf(name)) {
        await world.drop(name, `own-${output}`, bytes);
        // Without its last line end it is not a file that was dropped before.
        await world.drop('plain', `plain-${output}`, bytes.subarray(0, -2));
      }
    }
    await world.finish();
    after = booked();
  });

  function booked(): string[] {
    return world.sandbox
      .books()
      .filter(({ charged }) => charged)
      .map(({ invoice }) => invoice)
      .toSorted();
  }

  async function approve(name: string): Promise<void> {
    const { file_id: fileId } = await fileNamed(world, name);
    await approveFile(world.app.ledger, fileId, { actor: 'operator:ada', reason: 'compared with the books' });
  }

  /** Changes an outcome as a person would, so that there is a correction. */
  async function correctOutcome(name: string): Promise<void> {
    const file = await fileNamed(world, `${name}.csv`);
    const row = { line: 2, outcome: 'declined', code: 15, message: 'REJECT: 15', authorization: '' } as const;
    const by = { actor: 'operator:ada', reason: 'seen in the report', source: 'report of the service' };
    const key = { fileId: file.file_id, batchNo: 1 };
    await transact(world.app.ledger, (tx) => changeOutcomes(tx, key, [row], by));
    await deliverFile(world.app, key);
  }

  async function outputsOf(name: string, kind?: OutputKind): Promise<[string, Buffer][]> {
    const { out } = world.settings.paths;
    const ending = kind === undefined ? '.csv' : OUTPUT_KINDS[kind].suffix;
    const names = (await readdir(out)).filter((output) => output.startsWith(`${name}__`) && output.endsWith(ending));
    return Promise.all(names.map(async (output) => [output, await readFile(join(out, output))] as [string, Buffer]));
  }

  it(`charge nothing again (seed ${seed})`, () => {
    expect(before).toHaveLength(FILES.length * (ROWS - 3));
    expect(after).toEqual(before);
  });

  it(`leave a whole number nowhere, unless the folder wants it in what may be dropped again (seed ${seed})`, async () => {
    const { out, data, quarantine } = world.settings.paths;
    const found = await findCanaries([data, quarantine, ...(clearNumbers ? [] : [out])], [CARD, MAGIC_CARD]);
    const ledger = await world.app.ledger.pool.query("SELECT schema_to_xml('paydrop', true, false, '')::text AS text");
    const texts = [JSON.stringify(logged), ledger.rows[0]!.text as string];
    expect([...found, ...texts.filter((text) => text.includes(CARD) || text.includes(MAGIC_CARD))]).toEqual([]);
    expect(texts[1]).toContain(FILES[0]!.payments[1]!.invoice);
  });

  it.each(NAMES)('come from %s as result, sent, rejects, retry and correction', async (name) => {
    const kinds = ['result', 'sent', 'rejects', 'correction'] as const;
    for (const kind of kinds) expect((await outputsOf(name, kind)).length, kind).toBe(1);
  });

  it.each(FILES)(`charge rows of $name once they are corrected, and only those (seed ${seed})`, async (file) => {
    const { name, profile, payments } = file;
    const known = booked();
    const [[, rejects] = ['', Buffer.alloc(0)]] = await outputsOf(name, 'rejects');
    const mended = decode(profile, rejects)
      .replaceAll(/\*+2220/g, CARD)
      .replaceAll(/\*+1111/g, MAGIC_CARD)
      .replace(/(?<=[^A-Z])MC(?=[^A-Z])/, 'VISA');
    await world.drop(name, `mended-${name}.csv`, encode(profile, mended));
    await world.finish();
    expect(booked()).toEqual([...known, payments[7]!.invoice].toSorted());
  });
});

function decode({ read }: Profile, bytes: Buffer): string {
  const charset = read.kind === 'text' ? read.charset : 'utf-8';
  return bytes.toString(charset === 'utf-8' ? 'utf8' : charset === 'utf-16' ? 'utf16le' : 'latin1');
}

function encode({ read }: Profile, text: string): Buffer {
  const charset = read.kind === 'text' ? read.charset : 'utf-8';
  return Buffer.from(text, charset === 'utf-8' ? 'utf8' : charset === 'utf-16' ? 'utf16le' : 'latin1');
}
