/** A host that sends no more, and the newest epoch then. */
export type Gone = { name: string; journal: string; epoch: number };

/** What a journal tells when it reports. */
export type Told = {
  journal: string;
  /** Of its host now; `names` are all that it has borne. */
  name: string;
  names: string[];
  /** The hosts that send, by the configuration with which its host runs. */
  list: string[];
  /** All hosts that it was ever run with, and the newest epoch of each. */
  listed: Record<string, number>;
  /** Journals that ledgers knew when it reported to them. */
  knows: string[];
  /** Hosts of which all calls were taken over into this journal. */
  retired: Gone[];
  /** Whether it has sent from this ledger, or taken part in an opening of it. */
  isWitness: boolean;
};

/** What the ledger knows itself. */
export type Remembered = {
  senders: { journal: string; name: string; epoch: number }[];
  /** By the word of a person, after the service was asked what it has of them. This is true of this ledger alone. */
  lost: Gone[];
  retired: Gone[];
  /** Whether it may be an older state of itself: it was not made in this run of its server, and holds batches. */
  mayBeCopy: boolean;
};

/** Why a ledger stays closed. */
export type Wait =
  /** A host has not reported. */
  | { why: 'host'; name: string }
  /** A journal that its host replaced by another has not reported. */
  | { why: 'journal'; name: string; journal: string }
  /** A host runs with another list than the others. */
  | { why: 'lists'; names: string[] }
  /** Two journals bear one name. */
  | { why: 'same-name'; name: string }
  /** None of those that have reported has ever sent from this ledger. */
  | { why: 'stranger' };

export type Decision = { members: Told[]; waits: Wait[] };

/**
 * Whether a closed ledger opens: every journal that may know more than it has to have reported. It needs every host of the
 * configuration, every host that a reporter was ever run with, and every journal that the ledger or a reporter knows, less
 * those that were retired with what they sent, or declared lost to this ledger.
 *
 * Played by test/admission/model.ts with each rule left out.
 * @returns the journals that may send when it opens, and what is waited for; it opens when that is nothing
 */
export function decideOpening(reports: readonly Told[], ledger: Remembered): Decision {
  const retired = [...ledger.retired, ...reports.flatMap((report) => report.retired)];
  const isRetired = (journal: string) => retired.some((one) => one.journal === journal);
  const heard = reports.filter((report) => !isRetired(report.journal));
  const gone = [...retired, ...ledger.lost];
  return {
    // One that is not listed any more has told what it knows, and sends nothing.
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

/** Of a sender that the ledger knows, its journal is waited for, or a person has said that it is lost. */
function findStrangers(heard: readonly Told[], { mayBeCopy, senders, lost }: Remembered): Wait[] {
  const isNew = senders.length === 0 && lost.length === 0;
  return mayBeCopy && isNew && !heard.some(({ isWitness }) => isWitness) ? [{ why: 'stranger' }] : [];
}

function findDiffering(heard: readonly Told[]): Wait[] {
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

function findMissingHosts(heard: readonly Told[], ledger: Remembered, gone: readonly Gone[]): Wait[] {
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

function findMissingJournals(heard: readonly Told[], { senders }: Remembered, gone: readonly Gone[]): Wait[] {
  const known = new Set([...senders.map(({ journal }) => journal), ...heard.flatMap(({ knows }) => knows)]);
  return [...known]
    .filter((journal) => ![...heard, ...gone].some((one) => one.journal === journal))
    .map((journal) => {
      const name = senders.find((sender) => sender.journal === journal)?.name ?? 'not known';
      return { why: 'journal', name, journal };
    });
}

/**
 * Those that will send have to know every journal that has sent: a ledger that goes back behind this opening may have
 * forgotten it, and would open without it.
 */
function findUnaware(heard: readonly Told[]): Wait[] {
  const witnesses = heard.filter(({ isWitness }) => isWitness).map(({ journal }) => journal);
  return heard
    .filter(({ name, list }) => list.includes(name))
    .filter(({ journal, knows }) => witnesses.some((one) => one !== journal && !knows.includes(one)))
    .map(({ name }) => ({ why: 'host', name }));
}

export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
