import { type Recalled, recallForgotten } from '../doubt/recall-batch.ts';
import { lockForStop } from '../account/pause-account.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Fence, type JournalSelf, readJournal, type SendJournal } from './send-journal.ts';
import { type Queryable, transact, type Transaction } from '../engine/transaction.ts';
import { closeLedger, type Closing, readState, type State } from './close-ledger.ts';
import {
  decideOpening,
  type Decision,
  type RetiredSender,
  isSame,
  type JournalReport,
  type Wait,
} from './decide-opening.ts';

/** The journal of this host, and the opening for which it may send. */
export type Sender = { journal: string; epoch: number };

/** This host as a sender, as configured. `senders` is omitted when only one host sends. */
export type Host = { name: string; senders?: readonly string[] | undefined };

/** @param recalled calls that the journal knew and the ledger did not */
export type Admission = { recalled: Recalled[] } & ({ sender: Sender } | { waits: (Wait | OwnTrouble)[] });

/** Why this journal has not reported. */
export type OwnTrouble =
  /** It lacks calls that the ledger saw answered. */
  | { why: 'older'; journal: string }
  /** It belongs to another installation. */
  | { why: 'foreign'; journal: string }
  /** It was retired. */
  | { why: 'retired'; journal: string }
  /** Other hosts reported first on every try. */
  | { why: 'busy' }
  /** It is the journal of another listed host, or a copy of it. */
  | { why: 'of-another'; journal: string; name: string }
  /** The ledger is open for other hosts. */
  | { why: 'not-listed'; name: string; list: string[] };

const OWN: readonly string[] = [
  'older',
  'foreign',
  'retired',
  'busy',
  'of-another',
  'not-listed',
] satisfies OwnTrouble['why'][];

/** Returns whether the problem is on this host. The ledger itself shows what else it waits for. */
export function isOwn(wait: Wait | OwnTrouble): wait is OwnTrouble {
  return OWN.includes(wait.why);
}

/** Most tries of `admit`. Other hosts may report or raise the epoch meanwhile; each try makes progress. */
const TRIES = 10;

/**
 * Lets this host send, or returns what the ledger waits for. An open ledger is used as it is. The journal reports to a
 * closed ledger, which opens once every journal that may know more has reported (decide-opening.ts).
 *
 * Safe to repeat at any time, by several processes of a host.
 */
export async function admit(ledger: Ledger, journal: SendJournal, host: Host): Promise<Admission> {
  const recalled: Recalled[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const self = await journal.readSelf(host.name, ledger.clock);
    const name = host.senders ? host.name : nameOf(self);
    const list = [...(host.senders ?? [name])];
    const state = await adopt(ledger, self);
    const trouble = findTrouble(self, state) ?? findOther(self, name, list) ?? (await findRetired(ledger, self));
    if (trouble) return { recalled, waits: [trouble] };
    const fence = newestFence(self);
    const sender = fence && isSame(fence.list, list) ? { journal: self.id, epoch: fence.epoch } : undefined;
    if (sender && (await isAdmitted(ledger, sender))) {
      // The journal was compared when the ledger opened. This finds manual changes to either since then.
      const older = await compare(ledger, journal, self.id, recalled);
      return older ? { recalled, waits: [older] } : { recalled, sender };
    }
    // A host started by mistake, or with the wrong list, must not stop the right ones.
    if (state.isOpen && state.isOfThisRun && (!state.senders.includes(name) || !list.includes(name)))
      return { recalled, waits: [{ why: 'not-listed', name, list: state.senders }] };
    const closing = await close(ledger, fence, sender);
    if (!closing) continue;
    const noted = tellOf(self, name, list).knows;
    const isFenced =
      fence?.closing === closing.id &&
      isSame(fence.list, list) &&
      fence.name === name &&
      closing.knows.every((one) => noted.includes(one));
    if (!isFenced || !(await hasReported(ledger, self, closing))) {
      if (!isFenced)
        await journal.append({
          kind: 'fence',
          at: ledger.clock.now().toISOString(),
          ledger: state.ledger,
          epoch: closing.epoch,
          closing: closing.id,
          name,
          list,
          knows: closing.knows,
        });
      // No call declared before the fence can leave after it, so the journal is complete from here on.
      const older = await compare(ledger, journal, self.id, recalled);
      if (older) return { recalled, waits: [older] };
    }
    const told = await journal.readSelf(host.name, ledger.clock).then((now) => tellOf(now, name, list));
    const decision = await report(ledger, closing.id, told);
    if (decision === undefined) continue;
    if (decision.waits.length > 0) return { recalled, waits: decision.waits };
  }
  return { recalled, waits: [{ why: 'busy' }] };
}

/** Adds calls that only the journal knows to the ledger. Rejects the journal for good when it is an older copy. */
async function compare(
  ledger: Ledger,
  journal: SendJournal,
  id: string,
  recalled: Recalled[],
): Promise<OwnTrouble | undefined> {
  recalled.push(...(await recallForgotten(ledger, journal.path)));
  if (!(await lacksAnswered(ledger, id, journal.path))) return undefined;
  await journal.append({ kind: 'older', at: ledger.clock.now().toISOString() });
  return { why: 'older', journal: id };
}

/** Returns the name with which the journal was begun. A host without a list keeps it when renamed. */
function nameOf({ notes }: JournalSelf): string {
  return notes.find((note) => note.kind === 'begin')!.name;
}

/**
 * Assigns a ledger that was never opened to the installation whose journal comes first, so that a new database can take
 * the place of a lost one. Earlier reports to it become void.
 */
async function adopt(ledger: Ledger, self: JournalSelf): Promise<State> {
  const state = await readState(ledger);
  const fence = newestFence(self);
  if (state.epoch > 0 || fence === undefined || fence.ledger === state.ledger) return state;
  await ledger.pool.query(
    'UPDATE admission SET ledger = $1, closing = gen_random_uuid() WHERE ledger = $2 AND epoch = 0 AND NOT is_open',
    [fence.ledger, state.ledger],
  );
  return readState(ledger);
}

/** Returns the last fence of the highest epoch; an earlier one may be for another ledger. */
function newestFence({ notes }: JournalSelf): Fence | undefined {
  const fences = notes.filter((note) => note.kind === 'fence');
  const newest = Math.max(...fences.map(({ epoch }) => epoch));
  return fences.findLast(({ epoch }) => epoch === newest);
}

function findTrouble({ id, notes }: JournalSelf, { ledger }: State): OwnTrouble | undefined {
  if (notes.some(({ kind }) => kind === 'older')) return { why: 'older', journal: id };
  if (notes.some((note) => note.kind === 'fence' && note.ledger !== ledger)) return { why: 'foreign', journal: id };
  return undefined;
}

/** Finds a folder copied to set up a second host: its report would count for both. Renaming is allowed. */
function findOther({ id, notes }: JournalSelf, name: string, list: readonly string[]): OwnTrouble | undefined {
  const borne = notes.flatMap((note) => (note.kind === 'begin' || note.kind === 'fence' ? [note.name] : []));
  const other = borne.find((one) => one !== name && list.includes(one));
  return other ? { why: 'of-another', journal: id, name: other } : undefined;
}

/** Finds a retired journal. It must not close a ledger that is open for its successors. */
async function findRetired({ pool }: Ledger, { id }: JournalSelf): Promise<OwnTrouble | undefined> {
  const { rowCount } = await pool.query(`SELECT FROM sender WHERE journal = $1 AND state = 'retired'`, [id]);
  return rowCount ? { why: 'retired', journal: id } : undefined;
}

/** Returns whether this journal may send now. */
export async function isAdmitted({ pool }: { pool: Queryable }, { journal, epoch }: Sender): Promise<boolean> {
  const { rows } = await pool.query<{ yes: boolean }>('SELECT is_admitted($1, $2) AS yes', [journal, epoch]);
  return rows[0]!.yes;
}

/** @returns undefined when the ledger was opened for this sender meanwhile */
function close(ledger: Ledger, fence: Fence | undefined, sender: Sender | undefined): Promise<Closing | undefined> {
  return transact(ledger, async (tx) => {
    await lockForStop(tx);
    return sender && (await isAdmitted({ pool: tx.client }, sender)) ? undefined : closeLedger(tx, fence);
  });
}

async function hasReported({ pool }: Ledger, { id }: JournalSelf, closing: Closing): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM sender WHERE journal = $1 AND closing = $2', [id, closing.id]);
  return rowCount === 1;
}

/** Number of newest calls to compare; an older copy of a journal lacks its end. */
const COMPARED_CALLS = 1_000;

/** Finds an older copy: the line of an answered call was on disk before the first byte left. */
async function lacksAnswered({ pool }: Ledger, journal: string, path: string): Promise<boolean> {
  const { rows } = await pool.query<{ call: string }>(
    `SELECT call FROM (SELECT call, verdict FROM attempt WHERE journal = $1 ORDER BY call_no DESC LIMIT $2) newest
     WHERE verdict IN ('submitted', 'refused')`,
    [journal, COMPARED_CALLS],
  );
  if (rows.length === 0) return false;
  const answered = new Set(rows.map((row) => row.call));
  for await (const entry of readJournal(path)) if (entry.call !== undefined) answered.delete(entry.call);
  return answered.size > 0;
}

function tellOf({ id, notes, hasSends }: JournalSelf, name: string, list: string[]): JournalReport {
  const fences = notes.filter((note) => note.kind === 'fence');
  const listed: Record<string, number> = {};
  for (const fence of fences) for (const one of fence.list) listed[one] = Math.max(listed[one] ?? 0, fence.epoch);
  const knows = [...new Set(fences.flatMap((fence) => fence.knows))];
  return {
    journal: id,
    name,
    names: [...new Set([name, nameOf({ id, notes, hasSends }), ...fences.map((fence) => fence.name)])],
    list,
    listed,
    knows,
    retired: notes
      .filter((note) => note.kind === 'retired')
      .map(({ name: gone, journal, epoch }) => ({ name: gone, journal, epoch })),
    isWitness: hasSends || knows.includes(id),
  };
}

/** @returns undefined when another closing has begun meanwhile */
function report(ledger: Ledger, closing: string, told: JournalReport): Promise<Decision | undefined> {
  return transact(ledger, async (tx) => {
    await lockForStop(tx);
    const state = await readState({ pool: tx.client });
    if (state.isOpen || !state.isOfThisRun || state.closing !== closing) return undefined;
    await tx.client.query(
      `INSERT INTO sender (journal, name, closing, report, reported_at) VALUES ($1, $2, $3, $4, ${tx.databaseNow})
       ON CONFLICT (journal) DO UPDATE SET name = excluded.name, closing = excluded.closing, report = excluded.report,
         reported_at = excluded.reported_at`,
      [told.journal, told.name, closing, JSON.stringify(told)],
    );
    const decision = await decide(tx, state);
    if (decision.waits.length === 0) await open(tx, state, decision);
    return decision;
  });
}

type SenderRow = {
  journal: string;
  name: string;
  epoch: number;
  state: 'known' | 'lost' | 'retired';
  closing: string | null;
  report: JournalReport | null;
};

/** Returns what the ledger waits for now, without changing anything. */
export async function decide(
  { client }: Pick<Transaction, 'client'>,
  { closing, isMadeHere }: Pick<State, 'closing' | 'isMadeHere'>,
): Promise<Decision> {
  const { rows: senders } = await client.query<SenderRow>(
    'SELECT journal, name, epoch, state, closing, report FROM sender ORDER BY name, journal',
  );
  const { rows } = await client.query<{ holds: boolean }>('SELECT EXISTS (SELECT FROM batch) AS holds');
  const known = senders.filter(({ epoch, state }) => epoch > 0 && state === 'known');
  const gone = (wanted: string): RetiredSender[] =>
    senders.filter(({ state }) => state === wanted).map(({ name, journal, epoch }) => ({ name, journal, epoch }));
  const reports = senders.filter((sender) => sender.closing === closing).map((sender) => sender.report!);
  return decideOpening(
    reports.map((report) => ({
      ...report,
      isWitness: report.isWitness || known.some((one) => one.journal === report.journal),
    })),
    { senders: known, lost: gone('lost'), retired: gone('retired'), mayBeCopy: rows[0]!.holds && !isMadeHere },
  );
}

/** Opens the ledger. A lost journal that reported is known again, and required from now on. */
async function open(tx: Transaction, { closingEpoch }: State, { members }: Decision): Promise<void> {
  await tx.client.query(
    `UPDATE sender SET epoch = $1, state = 'known', closing = NULL, report = NULL, actor = NULL, reason = NULL
     WHERE journal = ANY ($2)`,
    [closingEpoch, members.map(({ journal }) => journal)],
  );
  const retired = members.flatMap((member) => member.retired);
  await tx.client.query(
    `INSERT INTO sender (journal, name, epoch, state) SELECT gone.*, 'retired' FROM unnest($1::uuid[], $2::text[], $3::bigint[]) gone
     ON CONFLICT (journal) DO UPDATE SET state = 'retired'`,
    [retired.map(({ journal }) => journal), retired.map(({ name }) => name), retired.map(({ epoch }) => epoch)],
  );
  await tx.client.query(`UPDATE admission SET is_open = true, epoch = $1, senders = $2, since = ${tx.databaseNow}`, [
    closingEpoch,
    members.map(({ name }) => name),
  ]);
  const names = members.map(({ name }) => name).join(', ');
  tx.audit({
    actor: 'system',
    move: 'open-ledger',
    reason: `all send journals that may have more calls have reported: ${names}`,
    evidence: { epoch: closingEpoch, senders: members.map(({ name, journal }) => ({ name, journal })) },
  });
}
