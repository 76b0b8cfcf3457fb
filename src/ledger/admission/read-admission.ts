import type { Ledger } from '../engine/open-ledger.ts';
import { decide, type OwnTrouble } from './admit.ts';
import { readState } from './close-ledger.ts';
import type { Wait } from './decide-opening.ts';

/** Whether sending is allowed, for which hosts, and what the ledger waits for. */
export type AdmissionView = {
  isOpen: boolean;
  /** It was created in this run of its server and has not been opened yet. */
  isNew: boolean;
  since: Date;
  /** Number of the newest opening. */
  epoch: number;
  /** Sentences that say what to do; empty when it is open. */
  waits: string[];
  senders: SenderView[];
};

export type SenderView = {
  journal: string;
  name: string;
  /** `sends` took part in the current opening; `reported` has done its part while the ledger is closed. */
  state: 'sends' | 'reported' | 'waited for' | 'lost' | 'retired';
  calls: number;
  lastCallAt: Date | null;
};

export async function readAdmission({ pool }: Pick<Ledger, 'pool'>): Promise<AdmissionView> {
  const state = await readState({ pool });
  const { closing, epoch, since, isMadeHere } = state;
  const now = { isOpen: state.isOpen && state.isOfThisRun, isNew: isMadeHere && epoch === 0, since, epoch };
  const { rows: senders } = await pool.query<SenderView>(
    `SELECT s.journal, s.name, a.calls, a.last AS "lastCallAt",
            CASE WHEN s.state <> 'known' THEN s.state WHEN $1 AND s.epoch = $2 THEN 'sends'
                 WHEN NOT $1 AND s.closing = $3 THEN 'reported' ELSE 'waited for' END AS state
     FROM sender s CROSS JOIN LATERAL
       (SELECT count(*)::int AS calls, max(started_at) AS last FROM attempt WHERE journal = s.journal) a
     WHERE s.epoch > 0 OR s.closing = $3 ORDER BY s.name, s.journal`,
    [now.isOpen, now.epoch, closing],
  );
  const { waits } = now.isOpen ? { waits: [] } : await decide({ client: pool }, state);
  return { ...now, waits: sayWaits(waits), senders };
}

/** Returns why a ledger is closed, in sentences that say what to do. */
export function sayWaits(waits: readonly (Wait | OwnTrouble)[]): string[] {
  const silent = new Set(waits.flatMap((wait) => (wait.why === 'host' ? [wait.name] : [])));
  return waits.filter((wait) => wait.why !== 'journal' || !silent.has(wait.name)).map(sayWait);
}

function sayWait(wait: Wait | OwnTrouble): string {
  switch (wait.why) {
    case 'host':
      return `Waiting for host ${wait.name}, whose send journal may have more calls than the ledger. Start paydrop there; it reports automatically. If you have a copy of the journal: "paydrop sender report --from FILE". If its disk is lost: "paydrop sender lost ${wait.name}".`;
    case 'journal':
      return `The send journal ${short(wait.journal)} of host ${wait.name} is missing; another one has its place. Restore it, or report a copy of it: "paydrop sender report --from FILE". If it is lost: "paydrop sender lost ${short(wait.journal)}".`;
    case 'lists':
      return `The hosts ${wait.names.join(', ')} have different lists of senders. Set the same "senders" in the configuration of each, and restart them.`;
    case 'same-name':
      return `Two send journals have the name ${wait.name}. Give each host its own name with PAYDROP_HOST, and list the names as "senders" in the configuration. If one of the journals is lost: "paydrop sender list" shows its id, then "paydrop sender lost ID".`;
    case 'stranger':
      return 'The ledger holds batches, but no host that sent them has reported: it may be an older copy. Start a sending host with its send journal. If nothing was ever sent: "paydrop sender first"; if the journals are lost: "paydrop sender lost NAME" with the name of the host that sent.';
    case 'older':
      return `The send journal of this host (${short(wait.journal)}) lacks calls that the ledger saw answered: it is an older copy. Restore the newer one. If it is lost: "paydrop sender lost ${short(wait.journal)}", and move this one away, so that a new one is made.`;
    case 'foreign':
      return `The send journal of this host (${short(wait.journal)}) belongs to another installation. Restore the right one, or check DATABASE_URL.`;
    case 'retired':
      return `The send journal of this host (${short(wait.journal)}) was retired. Move it away, so that a new one is made.`;
    case 'busy':
      return 'Other hosts are reporting now; this host retries automatically.';
    case 'of-another':
      return `The send journal of this host (${short(wait.journal)}) belongs to host ${wait.name}, or is a copy. Restore its own journal. If it never had one, move this one away, so that a new one is made.`;
    case 'not-listed':
      return `This host, ${wait.name}, is not among the senders: ${wait.list.join(', ')}. List all of them as "senders" in the configuration of each host, and restart those first.`;
  }
}

function short(journal: string): string {
  return journal.slice(0, 8);
}
