import type { Clock } from '../../kernel/clock.ts';
import type { Settings } from '../../config/config.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';

/** `ok`: nothing to do. `warn`: works now, and may soon fail. `bad`: paydrop cannot work, or not safely. */
export type Level = 'ok' | 'warn' | 'bad';

/** Result of one check, and the remedy: a command or a sentence. */
export type Finding = { level: Level; found: string; remedy?: string };

export type Patient = { settings: Settings; env: NodeJS.ProcessEnv; clock: Clock; ledger: Ledger };

/** One check of the installation. It changes nothing. What it throws counts as a finding that is `bad`. */
export type Check = { readonly name: string } & (
  | { readonly needs: 'nothing'; look(patient: Omit<Patient, 'ledger'>): Promise<Finding[]> }
  | { readonly needs: 'ledger'; look(patient: Patient): Promise<Finding[]> }
);

declare module '../../feature.ts' {
  interface Feature {
    /** Checks of `paydrop doctor`. */
    checks?(): Promise<readonly Check[]>;
  }
}

export function ok(found: string): Finding {
  return { level: 'ok', found };
}

export function warn(found: string, remedy: string): Finding {
  return { level: 'warn', found, remedy };
}

export function bad(found: string, remedy: string): Finding {
  return { level: 'bad', found, remedy };
}

/**
 * Turns an error into a finding. Our own errors say what to do. Foreign messages may hold data, so only their code is
 * used.
 */
export function findingOf(error: unknown, judge: (found: string, remedy: string) => Finding): Finding {
  if (error instanceof PipelineError) {
    const [, found = error.message, remedy = ''] = /^Cannot (.*?: .*?)\. ([A-Z].*)$/s.exec(error.message) ?? [];
    return judge(`cannot ${found}`.replace(/^cannot Cannot/, 'cannot'), remedy || 'See the message.');
  }
  return judge(
    `the check itself failed (${systemCode(error) ?? 'unforeseen error'})`,
    'Report this with the output of "paydrop doctor --json".',
  );
}
