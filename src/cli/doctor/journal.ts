import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import type { Settings } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { readAccountStates } from '../../ledger/account/read-holds.ts';
import { checkMirror } from '../../ledger/admission/journal-mirror.ts';
import { COMPARE, findPutBack, sayPutBack } from '../../ledger/admission/folder-mark.ts';
import { findForgottenSends, findJournalTrouble } from '../../ledger/admission/send-journal.ts';
import { bad, type Check, type Finding, ok, warn } from './check.ts';

/** The start opens the send journal and its mirror; without them nothing may be sent. */
export const journalFiles: Check = {
  name: 'Journal files',
  needs: 'nothing',
  async look({ settings: { paths } }) {
    const findings: Finding[] = [];
    const trouble = await findJournalTrouble(paths.journal);
    if (trouble && trouble !== MISSING)
      findings.push(bad(`the send journal cannot be used: ${trouble}`, 'Check its free space and permissions.'));
    const away = paths.mirror && (await findJournalTrouble(paths.mirror));
    if (paths.mirror && !away) await checkMirror(paths.mirror, paths.journal);
    // The first start makes both.
    if (away && (away !== MISSING || trouble !== MISSING))
      findings.push(
        bad(
          `its mirror, "${paths.mirror}", cannot be used: ${away}`,
          'Check its free space and permissions, or connect its drive.',
        ),
      );
    return findings.length > 0 ? findings : [ok('the send journal can be written')];
  },
};

/** What `findJournalTrouble` says of a journal that the first start makes. */
const MISSING = 'it is missing';

/** The send journal must know no call that the ledger does not. */
export const journal: Check = {
  name: 'Send journal',
  needs: 'ledger',
  async look({ settings, ledger, clock }) {
    const path = settings.paths.journal;
    const trouble = await findJournalTrouble(path);
    if (trouble === MISSING) return [(await hasSent(ledger)) ? GONE : ok('nothing was sent yet')];
    const findings: Finding[] = [];
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
    const putBack = await findPutBack(path, clock);
    if (putBack) findings.push(warn(sayPutBack(putBack), COMPARE));
    findings.push(...(await findUnseen(ledger, settings)));
    return findings.length > 0 ? findings : [ok('it matches the ledger')];
  },
};

/** Lists forgotten calls that the ledger has since recorded; they stay open until an operator acknowledges them. */
async function findUnseen(ledger: Ledger, { accounts }: Settings): Promise<Finding[]> {
  const findings: Finding[] = [];
  // Also of former names, which no configuration has: their calls were made as well.
  for (const { account, forgotten: unseen } of await readAccountStates(ledger, [...accounts.keys()])) {
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
