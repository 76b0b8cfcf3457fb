import type { Ledger } from '../engine/open-ledger.ts';
import { decide } from './admit.ts';
import { readState } from './close-ledger.ts';
import { sayWaits } from './say-waits.ts';

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
