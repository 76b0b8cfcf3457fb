import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { verifyAudit } from '../../src/ledger/overview/verify-audit.ts';
import {
  fileNamed,
  goodRows,
  keptLog,
  ledgerText,
  leftOver,
  readNotice,
  readOriginal,
  sayingOf,
} from '../support/bad-input.ts';
import { BAD_FILE_FOLDERS, BAD_FILES, CODE_TITLES, SECURITY_CODE } from '../support/bad-files.ts';
import { CARD } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

/**
 * Drops faulty files all at once, each with a good file beside it. Every faulty file gets the right notice and its
 * original is kept as it came; the good one goes through.
 */

const NAMED = BAD_FILES.map((one, index) => ({ ...one, index, name: `bad-${index}.csv`, good: `good-${index}.csv` }));
const NOTICES = { rejected: 'nak', held: 'held', completed: 'ack' } as const;
const { log, text: logText } = keptLog();
let world: PipelineWorld;

beforeAll(async () => {
  const folders = Object.entries(BAD_FILE_FOLDERS).map(([name, settings]) => ({
    path: `drop/${name}`,
    account: 'main',
    complete: { by: 'quiet', quietMs: 20, probes: 2 },
    sameTotals: 'off',
    unusualFactor: 0,
    ...settings,
  }));
  world = await openPipelineWorld({ settings: { folders }, log });
  for (const { folder, name, good, bytes, control, index } of NAMED) {
    const rows = goodRows(index, folder === 'ach-refund' ? '-' : '');
    await world.drop(folder, good, folder === 'with-header' ? `${CODE_TITLES}\n${rows}` : rows);
    if (control !== undefined) await world.drop(folder, `${name}.ctl`, control);
    await world.drop(folder, name, bytes);
    for (const marked of folder === 'marked' ? [name, good] : []) await world.drop(folder, `${marked}.done`, '');
  }
  await world.finish(50_000);
});

afterAll(() => world?.close());

describe.each(NAMED)('a file with $title', ({ name, folder, good, bytes, control, ends, code, says, index }) => {
  it(`ends as ${ends}${code ? ` with ${code}` : ''}, and the notice says what to do`, async () => {
    const file = await fileNamed(world, name);
    const { head, faults } = await readNotice(world, file, NOTICES[ends]);
    expect(file.state).toBe(ends);
    expect(file.reason_code).toBe(ends === 'completed' ? null : code);
    expect(head).toMatchObject({ Code: file.reason_code ?? '', 'File Name': name, 'File Id': file.file_id });
    expect(head['Completeness']).toContain(control ? 'control file' : folder === 'marked' ? 'marker' : 'inferred');
    if (code) expect(faults).toContainEqual(expect.objectContaining(sayingOf(code)));
    else expect(faults).toEqual([]);
    if (says) expect(faults.find((fault) => fault.code === code)?.reason).toMatch(says);
    if (ends !== 'completed') expect(head['Reason']).not.toBe('');
  });

  it('is kept as it came', async () => {
    const file = await fileNamed(world, name);
    const path = join(world.settings.paths.archive, file.archive);
    if (code === 'SECURITY_CODE') {
      expect(file.wrapped_key).toBeNull();
      expect(existsSync(path)).toBe(false);
    } else {
      expect((await readOriginal(world, file)).equals(Buffer.from(bytes))).toBe(true);
    }
  });

  it('does not touch the file beside it', async () => {
    expect((await fileNamed(world, good)).state).toBe('completed');
    expect(world.sandbox.books().filter((row) => row.invoice.startsWith(`G${index}-`))).toHaveLength(3);
  });
});

describe('all of them together', () => {
  it('leave nothing behind in the drop and work folders', async () => {
    expect(await leftOver(world)).toEqual([]);
    expect(await readdir(world.settings.paths.quarantine)).toEqual([]);
  });

  it('send nothing of what was refused or held', () => {
    const marks = new Set(world.sandbox.books().map((row) => row.invoice.split('-')[0]!));
    const bad = [...marks].filter((mark) => !mark.startsWith('G'));
    expect(bad.toSorted()).toEqual(['CA', 'CC', 'HA', 'JF', 'ML', 'UB', 'UL']);
  });

  it('leave service, ledger and outputs in agreement', async () => {
    expect(await compareBooks(world.app, world.sandbox.books())).toEqual([]);
    expect((await verifyAudit(world.app.ledger)).brokenAt).toBeUndefined();
  });

  it('leave no card number and no security code in any output, in the ledger or in the log', async () => {
    const { out } = world.settings.paths;
    const names = await readdir(out);
    const texts = await Promise.all(
      (['ack', 'nak', 'held', 'result', 'rejects', 'summary-json', 'summary-txt'] as const).map((kind) =>
        world.outputs(kind),
      ),
    );
    const all = [...names, JSON.stringify(texts), await ledgerText(world), logText()].join('\n');
    expect(all).toContain('CARD_NUMBER_IN_TEXT');
    expect(all).not.toContain(CARD);
    // The digits alone may occur in a hash by chance.
    expect(all).not.toMatch(new RegExp(`(?<![0-9a-z])${SECURITY_CODE}(?![0-9a-z])`));
  });
});
