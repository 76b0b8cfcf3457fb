import { type RetiredSender, isSame, type JournalReport } from '../../src/ledger/admission/decide-opening.ts';

/**
 * The rules by which a ledger lets anything be sent, played on small worlds. These have hosts with journals, persons,
 * database servers that are restarted, restored and copied, and processes that die between any two steps. A walk fails
 * when one batch leaves twice. Each rule can be left out, to show that it is needed.
 */
export const RULES = {
  run: 'a ledger that was opened for another run of its server is closed',
  fence: 'a call whose line stands behind a newer fence does not leave',
  oneEpoch: 'all reports of an opening bear one epoch',
  listed: 'hosts that were listed before have to report until they are retired',
  sameLists: 'hosts whose lists differ do not open',
  witness: 'a host that took part before opens, unless the ledger was made in this run',
  knownJournals: 'a journal that the ledger or a reporter knows cannot be replaced by a new one',
  answeredCalls: 'a journal without the line of a call that was answered is an older copy, for good',
  inheritance: 'the host that retires a journal takes over its calls',
  membersOnly: 'a journal that was retired is out of the opening at once',
  reconcile: 'before an opening without a lost journal the books of the service are asked',
  aware: 'those that will send have noted every journal that has sent',
  leap: 'after a loss all report again, at an epoch that the lost journal cannot have reported at',
  callIds: 'calls are known by a name of their own',
} as const;

/** Rules of a host whose ledger and journal lie in one data folder, which can be put back as a whole. */
export const FOLDER_RULES = {
  ahead: 'before the first call in each opening the service is asked for batches that the ledger does not know',
  rows: 'rows of forgotten calls are known again in a file that was cut in another way',
} as const;

/** Rules of accounts that get other names, or come to mean other merchants. */
export const NAME_RULES = {
  merchant: 'what was sent is known by its merchant, and what waits for a merchant is sent to no other',
  asked: 'an agent code at another address is asked about, and nothing is taken or sent before the answer',
} as const;

export type Rule = keyof typeof RULES | keyof typeof FOLDER_RULES | keyof typeof NAME_RULES;

export type Line =
  | { k: 'fence'; epoch: number; closing: number; list: string[]; knows: string[] }
  | { k: 'send'; call: string; batch: number }
  | { k: 'retired'; name: string; journal: string; epoch: number };
export type Journal = { id: string; lines: Line[]; isRefused: boolean };
/** `journal` is missing for a call known from the service's books; a forgotten one was not declared in this ledger. */
export type Call = { batch: number; journal?: string; became?: 'answered' | 'withheld'; isForgotten?: true };
export type Closing = { id: number; epoch: number; run: number; reports: Record<string, JournalReport> };
export type Sender = { journal: string; epoch: number };
/** Contents of the database, which are copied and put back as a whole. */
export type Ledger = {
  madeIn: number;
  epoch: number;
  openFor: number | undefined;
  members: Record<string, Sender>;
  senders: Record<string, Sender>;
  closing: Closing | undefined;
  calls: Record<string, Call>;
  attempts: Record<number, number>;
  lost: RetiredSender[];
  retired: RetiredSender[];
  /** The opening in which the service was asked for later batches. */
  lookedIn?: number;
  /** Batches of altered files that were dropped again. */
  again: number[];
};
export type Server = { run: number; ledger: Ledger };
export type Flight = { step: 'declared' | 'noted' | 'sent'; batch: number; call: string; epoch: number; at: Server };
export type Host = {
  name: string;
  list: string[];
  journal: Journal;
  isUp: boolean;
  at: number;
  flights: Flight[];
};

export function tellOf(
  { name, list, journal: { id, lines } }: { name: string; list: string[]; journal: Journal },
  { senders }: Ledger,
): JournalReport {
  const listed: Record<string, number> = {};
  const fences = lines.filter((line) => line.k === 'fence');
  for (const fence of fences) for (const one of fence.list) listed[one] = Math.max(listed[one] ?? 0, fence.epoch);
  const knows = [...new Set(fences.flatMap((fence) => fence.knows))];
  return {
    journal: id,
    name,
    names: [name],
    list: [...list],
    listed,
    knows,
    isWitness:
      knows.includes(id) ||
      lines.some(({ k }) => k === 'send') ||
      Object.values(senders).some(({ journal }) => journal === id),
    retired: lines
      .filter((line) => line.k === 'retired')
      .map(({ name: gone, journal, epoch }) => ({ name: gone, journal, epoch })),
  };
}

export function newHost(name: string, list: readonly string[], journal: Journal): Host {
  return { name, list: [...list], journal, isUp: true, at: 0, flights: [] };
}

export function newLedger(run: number): Ledger {
  return {
    madeIn: run,
    epoch: 0,
    openFor: undefined,
    members: {},
    senders: {},
    closing: undefined,
    calls: {},
    attempts: {},
    lost: [],
    retired: [],
    again: [],
  };
}

/** Batches of the files as they first came. An altered file has other batches with the same rows. */
const BATCHES = 4;

export function rowOf(batch: number): number {
  return batch % BATCHES;
}

/** Returns a batch with the same row as another one, and other bytes. */
export function alteredOf(batch: number): number {
  return batch + BATCHES;
}

/**
 * The configuration: what its one account is called, whom it charges in truth, and which merchant the ledger takes that
 * for. Undefined until a user has said whether the service at a new address is the former one.
 */
export type Named = { name: string; charges: string; merchant: string | undefined };

/**
 * Returns whether a file that was taken may be sent now. Without the rule, a call counts for its name alone, and work
 * goes where the name leads.
 */
export function sendableNamed(sent: readonly Named[], taken: Named, now: Named, without: Rule | undefined): boolean {
  if (now.merchant === undefined) return false;
  if (without === 'merchant') return taken.name === now.name && sent.every(({ name }) => name !== now.name);
  return taken.merchant === now.merchant && sent.every(({ merchant }) => merchant !== now.merchant);
}

export function readyBatches({ calls, again }: Ledger, without: Rule | undefined): number[] {
  const isFree = (batch: number, call: Call) =>
    call.became === 'withheld' ||
    (without === 'rows' && call.isForgotten ? call.batch !== batch : rowOf(call.batch) !== rowOf(batch));
  return [0, 1, 2, 3, ...again].filter((batch) => Object.values(calls).every((call) => isFree(batch, call)));
}

/** Returns the journals that a reporter writes down. */
export function knownTo({ senders, closing }: Ledger, without: Rule | undefined): string[] {
  const reports = without === 'aware' ? [] : Object.values(closing?.reports ?? {});
  const heard = reports.filter(({ isWitness }) => isWitness);
  return [...new Set([...Object.values(senders), ...heard].map(({ journal }) => journal))];
}

/** Returns whether a host's newest fence belongs to the ledger's present closing. */
export function hasNoted(host: Host, ledger: Ledger, knows: string[]): boolean {
  const newest = newestFence(host.journal);
  const told = tellOf(host, ledger);
  return (
    newest !== undefined &&
    newest.closing === ledger.closing?.id &&
    newest.epoch === ledger.closing.epoch &&
    isSame(newest.list, host.list) &&
    knows.every((one) => told.knows.includes(one))
  );
}

/** Returns whether a journal is an older copy: it lacks an answered call, which was on disk before its first byte. */
export function isOlder({ id, lines }: Journal, ledger: Ledger): boolean {
  const noted = new Set(lines.map((line) => (line.k === 'send' ? line.call : '')));
  return Object.entries(ledger.calls).some(
    ([call, { journal, became }]) => journal === id && became === 'answered' && !noted.has(call),
  );
}

/** Records each call of the journal that the ledger does not know, so that its batch is never sent again. */
export function compare(journal: Journal, ledger: Ledger): void {
  for (const line of journal.lines) {
    if (line.k !== 'send' || ledger.calls[line.call]) continue;
    ledger.calls[line.call] = { batch: line.batch, journal: journal.id, isForgotten: true };
  }
}

/** Returns what a reporter would tell without the rule. */
export function tellWithout(rule: Rule | undefined, told: JournalReport, all: readonly JournalReport[]): JournalReport {
  return {
    ...told,
    ...(rule === 'listed' && { listed: {} }),
    ...(rule === 'sameLists' && { list: [...new Set([...all[0]!.list, told.name])] }),
    ...(rule === 'knownJournals' && { knows: all.map(({ journal }) => journal) }),
    ...(rule === 'aware' && { knows: [...told.knows, ...all.map(({ journal }) => journal)] }),
  };
}

export function newestFence({ lines }: Journal) {
  return lines.filter((line) => line.k === 'fence').at(-1);
}

export function drop<Item>(items: Item[], item: Item): void {
  const place = items.indexOf(item);
  if (place >= 0) items.splice(place, 1);
}

export function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** Returns a generator that gives the same numbers for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Chances and ids of a walk. */
export class Dice {
  protected readonly random: () => number;
  private ids = 0;

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  protected next(): number {
    return (this.ids += 1);
  }

  protected upTo(count: number): number {
    return Math.floor(this.random() * count);
  }

  protected one<Item>(items: readonly Item[]): Item | undefined {
    return items[this.upTo(items.length)];
  }
}

/** Returns whether a batch may leave: what the database checks, and what the host checks of its journal. */
export function isAdmitted({ name, journal, list }: Host, { ledger, run }: Server, without: Rule | undefined): boolean {
  const fence = newestFence(journal);
  return (
    (without === 'answeredCalls' || !isOlder(journal, ledger)) &&
    !journal.isRefused &&
    (without === 'run' ? ledger.openFor !== undefined : ledger.openFor === run) &&
    ledger.epoch === (fence?.epoch ?? 0) &&
    ledger.members[name]?.journal === journal.id &&
    fence !== undefined &&
    isSame(fence.list, list)
  );
}
