import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { lockForStop } from '../account/pause-account.ts';
import type { AuditReason } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { readJournal, type SendJournal } from './send-journal.ts';
import { readMarks } from './send-marks.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { decide } from './admit.ts';
import { closeBeyondLost, closeLedger, readState } from './close-ledger.ts';

type KnownSender = { journal: string; name: string; state: 'known' | 'lost' | 'retired' };

/** Finds journals by host name or the first letters of their id. */
async function findKnown(tx: Transaction, words: string): Promise<KnownSender[]> {
  const { rows } = await tx.client.query<KnownSender>(
    `SELECT journal, name, state FROM sender WHERE name = $1 OR (length($1) >= 8 AND starts_with(journal::text, $1))
     ORDER BY journal`,
    [words],
  );
  return rows;
}

/**
 * Returns whether the ledger waits for this host. An older ledger may know it only from reports; one of an older
 * version knows no hosts.
 */
async function isWaitedFor(tx: Transaction, name: string): Promise<boolean> {
  const { waits } = await decide(tx, await readState({ pool: tx.client }));
  return waits.some((wait) => wait.why === 'stranger' || (wait.why === 'host' && wait.name === name));
}

/**
 * Lets the ledger open without a journal that no longer exists. Only the service knows what its host sent since the
 * ledger's current state, so every account stops until an operator has compared.
 * @param words name of the host, or id of the journal as the ledger shows it
 * @param accounts all that may have sent
 * @returns the accounts that were stopped
 * @throws PipelineError MOVE_REFUSED when it has reported, NOT_FOUND when it is not waited for
 */
export function declareLost(
  ledger: Ledger,
  words: string,
  accounts: readonly string[],
  { actor, reason }: AuditReason,
): Promise<string[]> {
  const action = `declare ${words} lost`;
  return transact(ledger, async (tx) => {
    await lockForStop(tx);
    const known = await findKnown(tx, words);
    if (known.length === 0 && !(await isWaitedFor(tx, words)))
      throw new PipelineError('NOT_FOUND', action, 'no missing host or send journal has that name', {
        next: 'See "paydrop sender list".',
      });
    const closing = await closeLedger(tx);
    // Of two journals with one name, one may have been lost after it reported.
    const { rows: reported } = await tx.client.query<{ journal: string }>(
      `SELECT journal FROM sender s WHERE closing = $1 AND NOT EXISTS (SELECT FROM sender other
         WHERE other.closing = $1 AND other.name = s.name AND other.journal <> s.journal)`,
      [closing.id],
    );
    const lost = known.filter(({ journal }) => !reported.some((one) => one.journal === journal));
    if (known.length > 0 && lost.length === 0)
      throw new PipelineError('MOVE_REFUSED', action, 'its send journal has reported', { next: SEE_LIST });
    const epoch = await closeBeyondLost(tx, closing);
    if (known.length === 0)
      await tx.client.query(
        `INSERT INTO sender (journal, name, state, epoch, actor, reason) VALUES (gen_random_uuid(), $1, 'lost', $2, $3, $4)`,
        [words, epoch, actor, reason],
      );
    await tx.client.query(
      `UPDATE sender SET state = 'lost', epoch = $2, closing = NULL, report = NULL, actor = $3, reason = $4
       WHERE journal = ANY ($1)`,
      [lost.map(({ journal }) => journal), epoch, actor, reason],
    );
    const why = `what host ${lost[0]?.name ?? words} sent that the ledger does not know is known to the service alone: ${reason}`;
    await tx.client.query(
      `INSERT INTO account_stop (account, kind, reason, actor, since)
       SELECT account, 'journal', $2, $3, $4 FROM unnest($1::text[]) account ON CONFLICT (account, kind) DO NOTHING`,
      [accounts, why, actor, tx.at],
    );
    tx.audit({
      actor,
      move: 'lose-sender',
      reason,
      evidence: { sender: words, journals: lost.map(({ journal }) => journal), accounts },
    });
    return [...accounts];
  });
}

/** After a refusal about hosts. */
const SEE_LIST = 'See "paydrop sender list".';

/** Records an operator's word that nothing was ever sent from this ledger, so that a host may begin. */
export function vouchForFirst(ledger: Ledger, { actor, reason }: AuditReason): Promise<void> {
  return transact(ledger, async (tx) => {
    await lockForStop(tx);
    const { rowCount } = await tx.client.query('SELECT FROM attempt LIMIT 1');
    if (rowCount)
      throw new PipelineError('MOVE_REFUSED', 'begin to send', 'the ledger already holds calls', { next: SEE_LIST });
    await closeLedger(tx);
    await tx.client.query(
      `UPDATE admission SET made_in = pg_postmaster_start_time(),
         made_database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())`,
    );
    tx.audit({ actor, move: 'begin-sending', reason });
  });
}

/**
 * Retires a host. This host copies all of its calls into its own journal and answers for them from now on.
 * @param from send journal of that host
 * @returns the name of the host, and how many calls were copied
 * @throws PipelineError MOVE_REFUSED when the file is not its journal, or lacks calls that the ledger knows
 */
export async function retireSender(
  ledger: Ledger,
  { own, from }: { own: SendJournal; from: SendJournal },
  { actor, reason }: AuditReason,
): Promise<{ name: string; calls: number }> {
  const refuse = (why: string) => new PipelineError('MOVE_REFUSED', 'retire the host', why, { next: SEE_LIST });
  const { sender } = ledger.admitted;
  if (!sender) throw refuse('this host is not allowed to send now; "paydrop status" shows why');
  const { id } = await from.readSelf('', ledger.clock);
  if (id === sender.journal) throw refuse('that is the send journal of this host');
  const taken = new Set<string>();
  for await (const { call } of readJournal(from.path)) if (call !== undefined) taken.add(call);
  const marks = await readMarks(from.path, taken);
  for await (const entry of readJournal(from.path)) {
    const ofCall = marks.get(entry.call ?? '');
    if (ofCall) await own.keepMarks(entry.call!, ofCall, new Date(entry.at));
    await own.append({ ...entry, from: id });
  }
  const retired = await transact(ledger, async (tx) => {
    await lockForStop(tx);
    const [known] = await findKnown(tx, id);
    if (!known) throw refuse('that send journal is not in the ledger');
    const { rows } = await tx.client.query<{ call: string }>('SELECT call FROM attempt WHERE journal = $1', [id]);
    const missing = rows.filter(({ call }) => !taken.has(call)).length;
    if (missing > 0)
      throw refuse(`it lacks ${counted(missing, 'call')} that the ledger has; stop paydrop there and try again`);
    const { rows: now } = await tx.client.query<{ epoch: number }>(
      `UPDATE sender SET state = 'retired', actor = $2, reason = $3, epoch = (SELECT epoch FROM admission)
       WHERE journal = $1 RETURNING epoch`,
      [id, actor, reason],
    );
    tx.audit({
      actor,
      move: 'retire-sender',
      reason,
      evidence: { sender: known.name, journal: id, calls: taken.size },
    });
    return { kind: 'retired' as const, name: known.name, journal: id, epoch: now[0]!.epoch };
  });
  await own.append({ ...retired, at: ledger.clock.now().toISOString() });
  return { name: retired.name, calls: taken.size };
}
