import { chooser } from '../csv/profile/support/made-payments.ts';
import { complainOfReasons, judgeFile, type Judged, sentBy } from './judge-file.ts';
import type { Export } from './made/exports.ts';
import { truthOf, writeSheet } from './made/sheet.ts';
import type { Mutated } from './mutations/mutation.ts';
import { MUTATIONS } from './mutations/mutations.ts';

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
