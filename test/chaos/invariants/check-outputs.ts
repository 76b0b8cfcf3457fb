import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../../../src/app.ts';
import { loadSettings } from '../../../src/config/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import type { Drop } from '../support/make-drops.ts';
import type { StoryHost } from '../support/story-world.ts';
import type { Check } from './check-rows.ts';

type Output = { name: string; kind: string; sha256: string; bytes: number; drop: string; state: string };

/** Checks that due files exist, whole and as noted in the ledger, and that results have all rows in input order. */
export const checkOutputs: Check = async ({ roots, drops, ledger, accounts: { forgotten } }) => {
  const outputs = await ledger.query<Output>(
    `SELECT o.name, o.kind, o.sha256, o.bytes::float8 AS bytes, f.name AS drop, f.state
     FROM output o JOIN file f USING (file_id)`,
  );
  const texts = new Map((await Promise.all(roots.map((root) => readAll(join(root, 'out'))))).flat());
  const kept = new Set((await ledger.query<{ name: string }>('SELECT name FROM file')).map(({ name }) => name));
  const known = drops.filter((drop) => kept.has(drop.name) || !forgotten.has(drop.account));
  const noted = new Set(outputs.map((output) => output.name));
  // With an older ledger in place, the outputs it forgot are still there.
  const strange = forgotten.size > 0 ? [] : [...texts.keys()].filter((name) => !noted.has(name));
  return [
    ...outputs.flatMap((output) => checkBytes(output, texts.get(output.name))),
    ...strange.map((name) => `output ${name} is not in the ledger`),
    ...known.flatMap((drop) =>
      checkDue(
        drop,
        outputs.filter((output) => output.drop === drop.name),
        forgotten.has(drop.account),
      ),
    ),
    ...known.flatMap((drop) => {
      const result = outputs.find((output) => output.drop === drop.name && output.kind === 'result');
      return result ? checkOrder(drop, String(texts.get(result.name))) : [];
    }),
  ];
};

/** Reads all outputs but the unfinished ones, which begin with a dot. */
async function readAll(out: string): Promise<(readonly [string, Buffer])[]> {
  const names = (await readdir(out)).filter((name) => !name.startsWith('.'));
  return Promise.all(names.map(async (name) => [name, await readFile(join(out, name))] as const));
}

function checkBytes({ name, sha256, bytes }: Output, text: Buffer | undefined): string[] {
  if (text === undefined) return [`output ${name} is in the ledger and not on the disk`];
  const isSame = text.length === bytes && createHash('sha256').update(text).digest('hex') === sha256;
  return isSame ? [] : [`output ${name} is not as it was written`];
}

function checkDue({ name, verdict }: Drop, outputs: readonly Output[], isForgotten: boolean): string[] {
  const kinds = new Set(outputs.map((output) => output.kind));
  const isRefused = kinds.has('nak') || kinds.has('held');
  const notice = verdict === 'refuse' || isForgotten ? isRefused || kinds.has('ack') : kinds.has('ack');
  const isDone = outputs[0]?.state === 'completed';
  const missing = isDone ? ['result', 'summary-json', 'summary-txt'].filter((kind) => !kinds.has(kind)) : [];
  return [
    ...(notice ? [] : [`${name} has no notice`]),
    ...missing.map((kind) => `${name} is completed without ${kind}`),
  ];
}

function checkOrder({ name, rows }: Drop, text: string): string[] {
  const [, ...lines] = text.trimEnd().split('\r\n');
  if (lines.length !== rows.length) return [`the result of ${name} has ${lines.length} rows of ${rows.length}`];
  const wrong = rows.filter((row, index) => {
    const cells = lines[index]!.split(',');
    return cells[0] !== String(row.line) || !cells.includes(row.invoice);
  });
  return wrong.map((row) => `line ${row.line} of ${name} is not in its place in the result`);
}

/** Checks that every output, rebuilt from the ledger and the sealed original, has the same bytes. */
export async function checkRebuilt(hosts: readonly StoryHost[]): Promise<string[]> {
  const wrong = await Promise.all(hosts.map(checkHost));
  return wrong.flat();
}

/** Checks one host, because the originals of a site lie on its host. */
async function checkHost({ root, env }: StoryHost): Promise<string[]> {
  const settings = loadSettings(root, env);
  const app = await openApp(settings, { log: silentLog(), env });
  try {
    const wrong: string[] = [];
    const { rows: files } = await app.ledger.pool.query<FileRow>(
      'SELECT * FROM file LEFT JOIN file_secret USING (file_id) WHERE site = $1 ORDER BY file_no',
      [settings.site],
    );
    for (const file of files) {
      const checks = await rebuildOutputs(app, file).catch((error: unknown) => {
        wrong.push(
          `outputs of ${file.name} of ${file.site}, claimed ${file.claimed_at.toISOString()}: ${String(error)}`,
        );
        return [];
      });
      for (const { name, onDisk, rebuilt } of checks) {
        if (onDisk !== 'same' || rebuilt !== 'same')
          wrong.push(`output ${name}: on the disk ${onDisk}, again ${rebuilt}`);
      }
    }
    return wrong;
  } finally {
    await app.close();
  }
}
