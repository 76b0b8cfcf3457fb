import { readFaults, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { lines, upTo } from '../../support/payment-rows.ts';
import { openStepWorld, type StepWorld } from './step-world.ts';
import { takeIn } from './story.ts';

const ACCOUNTS = 40;
const LIMITED = { limits: { dayTotal: 100 } };
/** Folders of every account, each with its own choice of checks. */
const FOLDERS = {
  hold: { sameTotals: 'hold', chargedBefore: 'hold', unusualFactor: 0 },
  warn: { sameTotals: 'warn', chargedBefore: 'warn', unusualFactor: 0 },
  off: { sameTotals: 'off', chargedBefore: 'off', unusualFactor: 0 },
  short: { sameTotals: 'off', chargedBefore: 'hold', unusualFactor: 0, duplicateDays: 3 },
  usual: { sameTotals: 'off', chargedBefore: 'off' },
  any: { sameTotals: 'off', chargedBefore: 'off', unusualFactor: 0 },
  refund: { sameTotals: 'hold', chargedBefore: 'hold', unusualFactor: 0, operation: 'ach-refund' },
};

export type EarlierPaymentsWorld = StepWorld & {
  /** @returns the file id */
  take(account: string, folder: keyof typeof FOLDERS, rows: readonly string[] | string): Promise<string>;
  verdictOf(fileId: string): ReturnType<typeof readVerdict>;
  /** Makes a file older by this many days. */
  age(fileId: string, days: number): Promise<void>;
};

/** Opens accounts whose folders check for earlier payments differently, and `limited`, with a daily limit. */
export async function openEarlierPaymentsWorld(): Promise<EarlierPaymentsWorld> {
  const names = [...upTo(ACCOUNTS).map((n) => `account-${n}`), 'limited'];
  const folders = names.flatMap((account) =>
    Object.entries(FOLDERS).map(([name, settings]) => ({
      path: `drop/${account}/${name}`,
      account,
      operation: 'ach-charge',
      complete: { by: 'quiet', quietMs: 50, probes: 2 },
      ...settings,
    })),
  );
  const world = await openStepWorld({ accounts: ACCOUNTS, special: { limited: LIMITED }, settings: { folders } });
  let taken = 0;
  return {
    ...world,
    take: (account, folder, rows) => {
      taken += 1;
      const content = typeof rows === 'string' ? rows : lines(rows);
      return takeIn(world.app, `drop/${account}/${folder}`, content, `file-${taken}.csv`);
    },
    verdictOf: (fileId) => readVerdict(world, fileId),
    age: async (fileId, days) => {
      await world.app.ledger.pool.query(
        `UPDATE file SET claimed_at = claimed_at - make_interval(days => $2), aged_from = aged_from - make_interval(days => $2),
                         accepted_at = accepted_at - make_interval(days => $2)
         WHERE file_id = $1`,
        [fileId, days],
      );
    },
  };
}

async function readVerdict(world: StepWorld, fileId: string) {
  const {
    state,
    reason_code: code,
    reason,
    duplicate_of: duplicateOf,
    file_no: fileNo,
  } = await readFileRow(world.app.ledger, fileId);
  const faults = [];
  for await (const page of readFaults(world.app.ledger, fileNo)) faults.push(...page);
  return { state, code, reason, duplicateOf, codes: [...new Set(faults.map((fault) => fault.code))], faults };
}
