import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import type { Settings } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { readForgottenSends } from '../../ledger/account/read-holds.ts';
import { COMPARE, findPutBack, sayPutBack } from '../../ledger/admission/folder-mark.ts';
import { findForgottenSends, findJournalTrouble } from '../../ledger/admission/send-journal.ts';
import { bad, type Check, type Finding, ok, warn } from './check.ts';

/** The send journal must be writable and know no call that the ledger does not. */
export const journal: Check = {
  name: 'Send journal',
  needs: 'ledger',
  async look({ settings, ledger, clock }) {
    const path = settings.paths.journal;
    const trouble = await findJournalTrouble(path);
    if (trouble === 'it is missing') return [(await hasSent(ledger)) ? GONE : ok('nothing was sent yet')];
    const findings: Finding[] = trouble
      ? [bad(`it cannot be used: ${trouble}`, 'Check its free space and permissions.')]
      : [];
    const forgotten = await findForgottenSends(ledger, path).catch((error: unknown) => {
      if (trouble) return [];
      throw error;
    });
    for (const account of new Set(forgotten.map((send) => send.account))) {
      const calls = forgotten.filter((send) => send.account === account).length;
      findings.push(
        bad(
          `it knows ${counted(calls, 'call')} of account ${account} that the ledger does not have: an older ledger was restored`,
          'paydrop account list',
        ),
      );
    }
    const { mirror } = settings.paths;
    const away = mirror && (await findJournalTrouble(mirror));
    if (away)
      findings.push(
        bad(
          `its mirror, "${mirror}", cannot be used: ${away}`,
          'Check its free space and permissions, or connect its drive.',
        ),
      );
    const putBack = await findPutBack(path, clock);
    if (putBack) findings.push(warn(sayPutBack(putBack), COMPARE));
    findings.push(...(await findUnseen(ledger, settings)));
    return findings.length > 0 ? findings : [ok('it can be written and matches the ledger')];
  },
};

/** Lists forgotten calls that the ledger has since recorded; they stay open until an operator acknowledges them. */
async function findUnseen(ledger: Ledger, { accounts }: Settings): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const account of accounts.keys()) {
    const unseen = (await readForgottenSends(ledger, account)).filter((send) => !send.acknowledgedAt).length;
    if (unseen === 0) continue;
    findings.push(
      bad(
        `${counted(unseen, 'call')} of account ${account} that a restored ledger lacks, and no person has acknowledged`,
        `paydrop account forgotten ${account}`,
      ),
    );
  }
  return findings;
}

async function hasSent(ledger: Ledger): Promise<boolean> {
  const { rows } = await ledger.pool.query('SELECT 1 FROM attempt LIMIT 1');
  return rows.length > 0;
}

const GONE = bad(
  'it is missing although batches were sent: a restored ledger could send them again',
  'Stop paydrop and restore the journal of this installation before it sends again.',
);
