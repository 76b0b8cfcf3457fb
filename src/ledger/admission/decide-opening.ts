/** A host that no longer sends, and the newest epoch at that time. */
export type RetiredSender = { name: string; journal: string; epoch: number };

/** What a journal reports. */
export type JournalReport = {
  journal: string;
  /** Current name of its host; `names` holds all names so far. */
  name: string;
  names: string[];
  /** The sending hosts, as configured on its host. */
  list: string[];
  /** Every host that was ever listed with it, with its newest epoch. */
  listed: Record<string, number>;
  /** Journals that ledgers knew when it reported to them. */
  knows: string[];
  /** Hosts whose calls were all copied into this journal. */
  retired: RetiredSender[];
  /** Whether it has sent from this ledger, or taken part in opening it. */
  isWitness: boolean;
};

/** What the ledger itself knows. */
export type Remembered = {
  senders: { journal: string; name: string; epoch: number }[];
  /** Declared lost by an operator, after comparing with the service. Valid for this ledger only. */
  lost: RetiredSender[];
  retired: RetiredSender[];
  /** Whether the ledger may be an older copy: it holds batches and was not created in this run of its server. */
  mayBeCopy: boolean;
};

/** Why a ledger stays closed. */
export type Wait =
  /** A host has not reported. */
  | { why: 'host'; name: string }
  /** A journal that its host has replaced has not reported. */
  | { why: 'journal'; name: string; journal: string }
  /** A host runs with a different list. */
  | { why: 'lists'; names: string[] }
  /** Two journals have the same name. */
  | { why: 'same-name'; name: string }
  /** No journal that has reported ever sent from this ledger. */
  | { why: 'stranger' };

export type Decision = { members: JournalReport[]; waits: Wait[] };

/**
 * Decides whether a closed ledger opens: every journal that may know more than the ledger must have reported. Required
 * are all configured hosts, all hosts ever listed with a reporter, and all journals known to the ledger or a reporter.
 * Exempt are journals that were retired with their calls, or declared lost to this ledger.
 *
 * `test/admission/model.ts` simulates these rules, leaving out each one in turn.
 * @returns the journals that may send once it opens, and what it waits for; it opens when that list is empty
 */
export function decideOpening(reports: readonly JournalReport[], ledger: Remembered): Decision {
  const retired = [...ledger.retired, ...reports.flatMap((report) => report.retired)];
  const isRetired = (journal: string) => retired.some((one) => one.journal === journal);
  const heard = reports.filter((report) => !isRetired(report.journal));
  const gone = [...retired, ...ledger.lost];
  return {
    // A journal whose host is no longer listed has reported, but sends nothing.
    members: heard.filter(({ name, list }) => list.includes(name)),
    waits: [
      ...findStrangers(heard, ledger),
      ...findDiffering(heard),
      ...findMissingHosts(heard, ledger, gone),
      ...findUnaware(heard),
      ...findMissingJournals(heard, ledger, gone),
    ],
  };
}

/** Finds a possible copy from which no reporter ever sent. A known sender is waited for, or was declared lost. */
function findStrangers(heard: readonly JournalReport[], { mayBeCopy, senders, lost }: Remembered): Wait[] {
  const isNew = senders.length === 0 && lost.length === 0;
  return mayBeCopy && isNew && !heard.some(({ isWitness }) => isWitness) ? [{ why: 'stranger' }] : [];
}

function findDiffering(heard: readonly JournalReport[]): Wait[] {
  const [first] = heard;
  const differing = heard.filter(({ list }) => !isSame(list, first!.list));
  const twice = heard.filter(({ name, journal }) =>
    heard.some((other) => other.name === name && other.journal < journal),
  );
  return [
    ...(differing.length > 0
      ? [{ why: 'lists' as const, names: [first!.name, ...differing.map(({ name }) => name)] }]
      : []),
    ...twice.map(({ name }) => ({ why: 'same-name' as const, name })),
  ];
}

function findMissingHosts(heard: readonly JournalReport[], ledger: Remembered, gone: readonly RetiredSender[]): Wait[] {
  const needed = new Map<string, number>();
  const need = (name: string, epoch: number) => needed.set(name, Math.max(needed.get(name) ?? 0, epoch));
  for (const { name, epoch } of ledger.senders) need(name, epoch);
  for (const { list, listed } of heard) {
    for (const [name, epoch] of Object.entries(listed)) need(name, epoch);
    for (const name of list) need(name, Number.POSITIVE_INFINITY);
  }
  return [...needed]
    .filter(([name, epoch]) => !gone.some((one) => one.name === name && one.epoch >= epoch))
    .filter(([name]) => !heard.some(({ names }) => names.includes(name)))
    .map(([name]) => ({ why: 'host', name }));
}

function findMissingJournals(
  heard: readonly JournalReport[],
  { senders }: Remembered,
  gone: readonly RetiredSender[],
): Wait[] {
  const known = new Set([...senders.map(({ journal }) => journal), ...heard.flatMap(({ knows }) => knows)]);
  return [...known]
    .filter((journal) => ![...heard, ...gone].some((one) => one.journal === journal))
    .map((journal) => {
      const name = senders.find((sender) => sender.journal === journal)?.name ?? 'not known';
      return { why: 'journal', name, journal };
    });
}

/**
 * Finds senders that do not know every journal that has sent. A ledger restored to a state before this opening may have
 * forgotten that journal, and would open without it.
 */
function findUnaware(heard: readonly JournalReport[]): Wait[] {
  const witnesses = heard.filter(({ isWitness }) => isWitness).map(({ journal }) => journal);
  return heard
    .filter(({ name, list }) => list.includes(name))
    .filter(({ journal, knows }) => witnesses.some((one) => one !== journal && !knows.includes(one)))
    .map(({ name }) => ({ why: 'host', name }));
}

export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
