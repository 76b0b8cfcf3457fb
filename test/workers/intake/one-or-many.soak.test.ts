import { describe, expect, it } from 'vitest';
import { achRow, codeRow, lines, upTo } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { freshSeed, seededRandom } from '../../support/random.ts';
import { INTAKE } from '../../../workers/intake/intake.ts';
import { runOnce } from '../../../workers/stage.ts';
import { openStepWorld } from '../support/step-world.ts';
import { claimContent } from '../support/story.ts';
import { intakeFile, takeClaim } from '../../support/work-alone.ts';

/** Files are decided as they would be one after the other, however many are read together. */

const FOLDERS = {
  hold: { sameTotals: 'hold', chargedBefore: 'hold', unusualFactor: 0 },
  warn: { sameTotals: 'warn', chargedBefore: 'warn', unusualFactor: 2 },
  off: { sameTotals: 'off', chargedBefore: 'off', unusualFactor: 2 },
} as const;

const PAIRS = 12;

const world = openedForTests(() => {
  const limited = upTo(2 * PAIRS).map((n) => [`limited-${n}`, { limits: { dayTotal: 400 } }] as const);
  const names = [...upTo(2 * PAIRS).map((n) => `account-${n}`), ...limited.map(([name]) => name)];
  const folders = names.flatMap((account) =>
    Object.entries(FOLDERS).map(([name, settings]) => ({
      path: `drop/${account}/${name}`,
      account,
      operation: 'ach-charge',
      complete: { by: 'quiet', quietMs: 50, probes: 2 },
      ...settings,
    })),
  );
  return openStepWorld({ accounts: 2 * PAIRS, special: Object.fromEntries(limited), settings: { folders } });
});

type Draws = ReturnType<typeof drawsOf>;

function drawsOf(seed: number) {
  const next = seededRandom(seed);
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    int,
    chance: (share: number) => next() < share,
    pick: <Value>(values: readonly Value[]) => values[int(0, values.length - 1)]!,
  };
}

type Drop = { folder: keyof typeof FOLDERS; name: string; content: string };

/** Makes drops that often have something in common: bytes, rows, totals, names, lines as invoices, codes as invoices. */
function drawDrops(from: Draws, count: number): Drop[] {
  const made: Drop[] = [];
  for (let n = 1; n <= count; n += 1) {
    const earlier = made.length > 0 && from.chance(0.25) ? from.pick(made) : undefined;
    made.push({
      folder: from.pick(Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]),
      name: from.chance(0.1) ? 'same.csv' : `${n}.csv`,
      content: earlier ? alter(from, earlier.content) : drawContent(from, n),
    });
  }
  return made;
}

function alter(from: Draws, content: string): string {
  const rows = content.trimEnd().split('\n');
  return from.pick([
    content,
    lines(rows, '\r\n'),
    lines(rows.toReversed()),
    lines(rows.slice(1).length > 0 ? rows.slice(1) : rows),
    lines(rows.map((row, place) => row.replace(/^[^,]+/, String(place + 1)))),
    lines(rows.map((row) => row.replace(/^([^,]+),([^,]+)/, '$2,$1'))),
  ]);
}

function drawContent(from: Draws, n: number): string {
  const rows = upTo(from.int(1, 5)).map(() => {
    const invoice = from.int(1, 60);
    const amount = from.chance(0.1) ? 'ten' : from.pick(['10.00', '20.00', '35.50']);
    return { invoice, amount };
  });
  if (from.chance(0.1)) return 'no payment\n';
  return from.chance(0.6)
    ? lines(rows.map(({ invoice, amount }) => achRow(invoice, { amount })))
    : lines(
        rows.map(({ invoice, amount }) =>
          codeRow(invoice, { amount, invoice: from.chance(0.5) ? `K-${invoice}` : `2026/${n}/${invoice}` }),
        ),
      );
}

/** Claims these drops for an account. @returns their ids */
async function claimAll(account: string, drops: readonly Drop[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { folder, name, content } of drops) {
    const claim = await claimContent(world.app, `drop/${account}/${folder}`, name, content);
    await takeClaim(world.app, claim);
    ids.push(claim.fileId);
  }
  return ids;
}

/** Returns what the ledger has of these files, each called by its place. */
async function readAll(ids: readonly string[]): Promise<unknown[]> {
  const found = await world.query<{ facts: object }>(
    `SELECT jsonb_build_object('file', to_jsonb(f) - '{file_no,file_id,account,merchant_no,folder,archive,sha256,seen_at,claimed_at,aged_from,compared_from,state_at,known_at,accepted_at,output_form}'::text[],
       'rows', (SELECT jsonb_agg(to_jsonb(r) - 'file_no' ORDER BY line) FROM payment_row r WHERE r.file_no = f.file_no),
       'faults', (SELECT jsonb_agg(to_jsonb(r) - 'file_no' ORDER BY seq) FROM row_fault r WHERE r.file_no = f.file_no),
       'prints', (SELECT count(*) FROM row_fingerprint r WHERE r.file_no = f.file_no),
       'batches', (SELECT jsonb_agg(to_jsonb(b) - '{file_id,account,merchant_no,state_at}'::text[] ORDER BY batch_no) FROM batch b WHERE b.file_id = f.file_id),
       'bodies', (SELECT count(*) FROM sealed_part p WHERE p.file_id = f.file_id),
       'moves', (SELECT jsonb_agg(jsonb_build_array(move, from_state, to_state, reason) ORDER BY seq) FROM audit a WHERE a.file_id = f.file_id),
       'being read', (SELECT count(*) FROM reading r WHERE r.file_id = f.file_id)) AS facts
     FROM file f WHERE file_id = ANY ($1) ORDER BY array_position($1, file_id)`,
    [ids],
  );
  return found.map(({ facts }) => {
    const text = ids.reduce((said, id, place) => said.replaceAll(id, `#${place}`), JSON.stringify(facts));
    return JSON.parse(text.replaceAll(/(account|limited)-\d+/g, '$1'));
  });
}

describe('the same drops, taken in one by one and together', () => {
  it.each(upTo(PAIRS))('are decided alike (%i)', { timeout: 600_000 }, async (pair) => {
    const seed = freshSeed();
    const from = drawsOf(seed);
    const drops = drawDrops(from, 24);
    const kind = pair % 3 === 0 ? 'limited' : 'account';
    const alone = await claimAll(`${kind}-${2 * pair - 1}`, drops);
    for (const fileId of alone) await intakeFile(world.app, { fileId });

    const together = await claimAll(`${kind}-${2 * pair}`, drops);
    const things = from.pick([2, 5, 20]);
    const stage = { ...INTAKE, most: { ...INTAKE.most, things } };
    while ((await runOnce(world.app, stage)) > 0);
    expect({ seed, things, files: await readAll(together) }).toEqual({ seed, things, files: await readAll(alone) });
    const warnings = world.logged.filter(({ level }) => level === 'warn' || level === 'error');
    expect(warnings).toEqual([]);
  });
});
