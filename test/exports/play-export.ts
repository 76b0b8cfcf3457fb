import fc from 'fast-check';
import { ERRORS } from '../../schemas/errors.ts';
import { effectOf } from '../../src/csv/check/fault-effect.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import { describeFault } from '../../src/kernel/errors.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { checkByBytes } from '../csv/compare/check-by-bytes.ts';
import { type Chooser, chooser, drawnChooser, type MadePayment, TODAY } from '../csv/profile/support/made-payments.ts';
import { chunksOf, rulesWith } from '../csv/support.ts';
import { draws } from '../support/draws.ts';
import { type Export, EXPORT_KINDS, makeExport } from './made/exports.ts';
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

type Judgement = {
  readonly ending: Ending;
  /** Undefined when all is right. */
  readonly complaint?: string;
};

/** An export that was changed in one way. */
export type ChangedExport = { readonly made: Export; readonly mutation: string; readonly mutated: Mutated };

const CHANGED_EXPORT: fc.Arbitrary<ChangedExport> = fc
  .record({
    kind: fc.constantFrom(...EXPORT_KINDS),
    // Not shrunk: with equal payments, a change would mean something else.
    payments: fc.noShrink(fc.nat()),
    mutation: fc.nat(MUTATIONS.length - 1),
    change: draws(40),
  })
  .map(({ kind, payments, mutation, change }) => {
    const made = makeExport(kind, chooser(payments));
    const changed = changeExport(made, mutation, () => drawnChooser(change));
    const shown = () => `${made.name}, ${changed.mutation}:\n${writeSheet(changed.mutated.file).toString('latin1')}`;
    return { ...changed, [fc.toStringMethod]: shown };
  });

/** Changes an export in the first way that it can be changed, from this one on. */
export function changeExport(made: Export, first: number, choose: () => Chooser): ChangedExport {
  for (let next = first; ; next += 1) {
    const { name, mutate } = MUTATIONS[next % MUTATIONS.length]!;
    const mutated = mutate(made, choose());
    if (mutated) return { made, mutation: name, mutated };
  }
}

/** What a property has tried: each change by its name, each export by its name, and how often a file ended how. */
export type Tried = {
  readonly mutations: Set<string>;
  readonly exports: Set<string>;
  readonly endings: Record<Ending, number>;
};

export function newTried(): Tried {
  return { mutations: new Set(), exports: new Set(), endings: { held: 0, refused: 0, true: 0, withheld: 0, said: 0 } };
}

/** A changed export is never accepted with payments that it does not say. */
export function neverOtherPayments(tried: Tried) {
  return fc.asyncProperty(CHANGED_EXPORT, async (changed) => {
    const { ending, complaint } = await judgeChange(changed);
    tried.mutations.add(changed.mutation);
    tried.exports.add(changed.made.name);
    tried.endings[ending] += 1;
    if (complaint !== undefined) throw new Error(complaint);
  });
}

/** Checks what becomes of a changed export. */
export async function judgeChange({ made, mutated }: ChangedExport): Promise<Judgement> {
  return judgeEnding(made, mutated, await judgeFile(made, writeSheet(mutated.file)));
}

function judgeEnding(made: Export, { says }: Mutated, judged: Judged): Judgement {
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
