import { ERRORS } from '../../schemas/errors.ts';
import { effectOf } from '../../src/csv/check/fault-effect.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import { describeFault } from '../../src/kernel/errors.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { checkByBytes } from '../csv/compare/check-by-bytes.ts';
import { chooser, type MadePayment, TODAY } from '../csv/profile/support/made-payments.ts';
import { chunksOf, rulesWith } from '../csv/support.ts';
import { type Export, makeExports } from './made/exports.ts';
import { sentCells, truthOf, writeSheet } from './made/sheet.ts';
import type { Mutated, Mutation } from './mutations/mutation.ts';
import { AMOUNT_MUTATIONS } from './mutations/amount-mutations.ts';
import { CELL_MUTATIONS } from './mutations/cell-mutations.ts';
import { COLUMN_MUTATIONS } from './mutations/column-mutations.ts';
import { ROW_MUTATIONS } from './mutations/row-mutations.ts';
import { TITLE_MUTATIONS } from './mutations/title-mutations.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...TITLE_MUTATIONS,
  ...COLUMN_MUTATIONS,
  ...AMOUNT_MUTATIONS,
  ...ROW_MUTATIONS,
  ...CELL_MUTATIONS,
];

/**
 * What became of a changed file.
 *
 * `true`      accepted with the true payments
 * `withheld`  the same, without rows that are withheld
 * `said`      accepted with what the file says since the change, which nothing in it contradicts
 */
export type Ending = 'held' | 'refused' | 'true' | 'withheld' | 'said';

export type Played = {
  readonly mutation: string;
  readonly ending: Ending;
  /** Undefined when all is right. */
  readonly complaint?: string;
};

/** Changes an export in one way that the seed chooses, and checks what becomes of it. */
export async function playExport(made: Export, seed: number): Promise<Played> {
  const { mutation, mutated } = mutateExport(made, seed);
  const judged = await judgeFile(made, writeSheet(mutated.file));
  return { mutation, ...judgeEnding(made, mutated, judged) };
}

/** Changes an export in one way that the seed chooses. */
export function mutateExport(made: Export, seed: number): { mutation: string; mutated: Mutated } {
  const choose = chooser(seed);
  for (;;) {
    const { name, mutate } = choose.from(MUTATIONS);
    const mutated = mutate(made, choose);
    if (mutated) return { mutation: name, mutated };
  }
}

function judgeEnding(made: Export, { says }: Mutated, judged: Judged): Omit<Played, 'mutation'> {
  const { system, sheet } = made;
  const secrets = truthOf(sheet).flatMap(({ cardNumber, account }) => [cardNumber, account.join('')]);
  const reason = complainOfReasons(
    judged,
    secrets.filter((secret) => secret !== ''),
  );
  if (reason !== undefined) return { ending: 'held', complaint: reason };
  if (judged.verdict !== 'accept') return { ending: judged.verdict === 'hold' ? 'held' : 'refused' };
  const truth = sentBy(system, truthOf(sheet));
  const isOddExport = made.variant.verdict !== 'accept';
  const others = typeof says === 'string' ? [] : says.map((payments) => sentBy(system, payments));
  const ways = says === 'never' && !isOddExport ? [] : [truth, ...others];
  const way = ways.findIndex((sent) => isSentOrWithheld(sent, judged));
  if (way < 0) return { ending: 'said', complaint: `accepted with ${judged.sent.join(' and ')}` };
  if (judged.sent.length < ways[way]!.length) return { ending: 'withheld' };
  return { ending: way === 0 ? 'true' : 'said' };
}

/** Returns whether each payment is sent as it is, or withheld, and no other is sent. */
function isSentOrWithheld(payments: readonly string[], { sent, withheld }: Judged): boolean {
  const left = [...payments];
  for (const payment of sent) {
    const place = left.indexOf(payment);
    if (place < 0) return false;
    left.splice(place, 1);
  }
  return left.length === 0 || left.length === withheld;
}

/** What became of many changed files. */
export type PlayedAll = {
  readonly files: number;
  readonly endings: Readonly<Record<Ending, number>>;
  /** By the name of the change: how often it was tried, and how often the file was accepted with what it says since. */
  readonly mutations: ReadonlyMap<string, { readonly tried: number; readonly said: number }>;
  readonly complaints: readonly string[];
};

/** Changes each of the two hundred exports in so many ways. The seed chooses the exports and the changes. */
export async function playExports(seed: number, changes: number): Promise<PlayedAll> {
  const endings: Record<Ending, number> = { held: 0, refused: 0, true: 0, withheld: 0, said: 0 };
  const mutations = new Map<string, { tried: number; said: number }>();
  const complaints: string[] = [];
  let turn = seed;
  for (const made of makeExports(seed)) {
    for (let change = 0; change < changes; change += 1, turn += 1) {
      const { mutation, ending, complaint } = await playExport(made, turn);
      const { tried, said } = mutations.get(mutation) ?? { tried: 0, said: 0 };
      mutations.set(mutation, { tried: tried + 1, said: said + (ending === 'said' ? 1 : 0) });
      endings[ending] += 1;
      if (complaint !== undefined)
        complaints.push(`seed ${seed}, ${made.name}, ${mutation}, turn ${turn}: ${complaint}`);
    }
  }
  return { files: turn - seed, endings, mutations, complaints };
}

/** What the check says of a file. */
export type Judged = {
  readonly verdict: FileCheck['verdict'];
  /** The cells that would be sent, sorted. */
  readonly sent: readonly string[];
  readonly withheld: number;
  readonly faults: readonly Fault[];
};

/** Checks the bytes of an export by its profile, as intake does. */
export async function judgeFile(
  { system, profile }: Pick<Export, 'system' | 'profile'>,
  bytes: Uint8Array,
): Promise<Judged> {
  const rules = rulesWith({ ...system.place, profile, today: TODAY });
  // Groups of one line let the scanner see small files too.
  const { payments, withheld, faults, check } = await checkByBytes(
    chunksOf(bytes),
    rules,
    bytes.length % 2 === 0 ? 1 : 512,
  );
  return {
    verdict: check.verdict,
    sent: payments.map(({ canonical }) => canonical.join('|')).toSorted(),
    withheld: withheld.length,
    faults: [...faults, ...check.faults],
  };
}

/** Returns payments as `Judged` has those that are sent. */
export function sentBy(system: Export['system'], payments: readonly MadePayment[]): string[] {
  return payments.map((payment) => sentCells(system, payment).join('|')).toSorted();
}

/** Returns what is wrong with the reasons of a file: without any, or with a number that must not be shown. */
export function complainOfReasons({ verdict, faults }: Judged, secrets: readonly string[]): string | undefined {
  const reasons = faults.filter(({ code }) => effectOf(code, rulesWith().folder) === verdict);
  const said = reasons.map((fault) => `${describeFault(fault)} ${ERRORS[fault.code].remedy}`);
  if (verdict !== 'accept' && !said.some((sentence) => sentence.length > 20)) return `${verdict} without a reason`;
  const shown = JSON.stringify(faults);
  return secrets.some((secret) => shown.includes(secret)) ? 'a fault shows a number' : undefined;
}
