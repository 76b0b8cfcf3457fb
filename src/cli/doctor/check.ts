import type { Clock } from '../../kernel/clock.ts';
import type { Settings } from '../../config/config.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';

/** `ok`: nothing to do. `warn`: works now, and may soon fail. `bad`: paydrop cannot work, or not safely. */
export type Level = 'ok' | 'warn' | 'bad';

/** Result of one check, and the remedy: a command or a sentence. */
export type Finding = { level: Level; found: string; mend?: string };

export type Patient = { settings: Settings; env: NodeJS.ProcessEnv; clock: Clock; ledger: Ledger };

/** One check of the installation. It changes nothing. */
export type Check = { readonly name: string } & (
  | { readonly needs: 'nothing'; look(patient: Omit<Patient, 'ledger'>): Promise<Finding[]> }
  | { readonly needs: 'ledger'; look(patient: Patient): Promise<Finding[]> }
);

export function ok(found: string): Finding {
  return { level: 'ok', found };
}

export function warn(found: string, mend: string): Finding {
  return { level: 'warn', found, mend };
}

export function bad(found: string, mend: string): Finding {
  return { level: 'bad', found, mend };
}
