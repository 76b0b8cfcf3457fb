import type { z } from 'zod';
import type { BoundFact, PersonRole } from './actions.ts';
import type { Role } from './jobs.ts';
import type { SettingEffect } from './setting-effects.ts';

/**
 * What a row of each table is, for the tables of the core and for the rows that features add to them
 * (`src/features/<name>/rows.ts`). A file of rows imports this one, and no table.
 */

/** Who may do an action. */
export const EVERYBODY = ['viewer', 'operator', 'approver', 'admin'] as const;
export const MAKERS = ['operator', 'admin'] as const;
export const CHECKERS = ['approver', 'admin'] as const;
export const WORKERS = ['operator', 'approver', 'admin'] as const;
export const ADMINS = ['admin'] as const;

export type ActionRow = {
  readonly may: readonly PersonRole[];
  /** What it acts on; its number or name is in the address. */
  readonly to: 'dashboard' | 'file' | 'batch' | 'account' | 'proposal' | 'schedule' | 'run' | 'profile' | 'selection';
  /** Text of the button. */
  readonly label: string;
  /** Whether the audit trail needs a reason. */
  readonly reason: 'asked' | 'none';
  /** Whether it moves money or can never be taken back; only the button of the latter is red. */
  readonly destructive: 'money' | 'irreversible' | false;
  /**
   * What its plan binds. Stopping binds nothing: it must work while payments are in progress, and the less is left
   * to stop, the better. What sends money or lifts a stop binds what makes it right.
   */
  readonly binds: readonly BoundFact[];
};

export function action<To extends ActionRow['to']>(
  to: To,
  may: readonly PersonRole[],
  label: string,
  {
    binds,
    reason = 'asked',
    destructive = false,
  }: Pick<ActionRow, 'binds'> & Partial<Pick<ActionRow, 'reason' | 'destructive'>>,
): ActionRow & { readonly to: To } {
  return { to, may, label, reason, destructive, binds };
}

/**
 * An alarm. `means` follows the name in a heading, `next` ends the message.
 *
 * `lasts`  raised once while it lasts, and cleared when it is over; other alarms are sent once
 * `asked`  the setting by which a target asks for it; the others are sent unasked
 */
export type AlarmRow = {
  readonly means: string;
  readonly next: string;
  readonly lasts: boolean;
  readonly asked: 'kinds' | 'digest' | false;
};

export function lasting(means: string, next: string) {
  return { means, next, lasts: true, asked: false } as const;
}

export function once(means: string, next: string) {
  return { means, next, lasts: false, asked: false } as const;
}

/**
 * Every metric of `GET /metrics` besides those of the process itself (`process_…`, `nodejs_…`). `account` is the name in
 * the configuration. No label grows with the number of files.
 */
export type MetricRow = { readonly help: string; readonly labels: readonly string[] };

/**
 * A code that paydrop reports.
 *
 * `scope`   where it is found: in a row, in a payment file as a whole, in the drop folder, or in the installation
 * `effect`  what follows from it:
 *           `row`    the row is invalid and withheld; the rest of the file goes on
 *           `reject` the whole file is refused with a NAK
 *           `hold`   the whole file needs approval
 *           `warn`   the acknowledgement reports it; nothing else follows
 *           `quarantine` the drop is quarantined unopened
 *           `stop`   the command or the worker step fails and says why
 * `who`     who can fix it: the sender of the file, the operator, or the administrator of the installation
 */
export type ErrorRow = {
  readonly scope: 'row' | 'file' | 'drop' | 'system';
  readonly effect: 'row' | 'reject' | 'hold' | 'warn' | 'quarantine' | 'stop';
  readonly who: 'sender' | 'operator' | 'administrator';
  readonly means: string;
  readonly remedy: string;
};

export function row(means: string, remedy: string) {
  return { scope: 'row', effect: 'row', who: 'sender', means, remedy } as const;
}

export function rejected<Scope extends 'row' | 'file'>(scope: Scope, means: string, remedy: string) {
  return { scope, effect: 'reject', who: 'sender', means, remedy } as const;
}

export function held<Scope extends 'row' | 'file'>(scope: Scope, means: string, remedy: string) {
  return { scope, effect: 'hold', who: 'operator', means, remedy } as const;
}

export function misfit(means: string) {
  return held(
    'row',
    means,
    'Compare the cell with the profile. If the export has changed, change the profile, not the file.',
  );
}

export function warned<Scope extends 'row' | 'file'>(scope: Scope, means: string, remedy: string) {
  return { scope, effect: 'warn', who: 'sender', means, remedy } as const;
}

export function quarantined(means: string, remedy: string) {
  return { scope: 'drop', effect: 'quarantine', who: 'sender', means, remedy } as const;
}

export function stopped<Who extends 'operator' | 'administrator' = 'administrator'>(
  means: string,
  remedy: string,
  who?: Who,
) {
  return { scope: 'system', effect: 'stop', who: who ?? 'administrator', means, remedy } as const;
}

export type DutyRow = {
  readonly role: Role;
  /** Follows "No process". */
  readonly does: string;
  /** What waits while no process does it, and for what. */
  readonly thing: string;
  readonly waitsFor: string;
};

/**
 * What paydrop does by itself and retries after a failure. `doing` is followed by what it is about. `next` says what
 * helps when it keeps failing, as a `Step` of schemas/steps.ts; its commands get their ids later.
 */
export type WorkRow = { readonly doing: string; readonly next: readonly (string | Readonly<Record<string, string>>)[] };

/** Settings at one place of `paydrop.yaml`, by name. */
type Shape = Readonly<Record<string, z.ZodType>>;

/** What a feature adds to the tables. A table names the part that it takes (`withRows`). */
export type FeatureRows = {
  /** Its file of statements, as those of `schemas/ledger`. */
  readonly tables?: URL;
  /** Settings of the file as a whole, of an account, and of a drop folder. */
  readonly settings?: Shape;
  readonly accountSettings?: Shape;
  readonly folderSettings?: Shape;
  /** Paths of the secrets among them: their text may be `env:NAME` or `file:PATH`. */
  readonly secrets?: readonly string[];
  /** What a change of each does, by its path (schemas/setting-effects.ts). */
  readonly settingEffects?: Readonly<Record<string, SettingEffect>>;
  readonly actions?: Readonly<Record<string, ActionRow>>;
  /** What only the command line on the host can do (schemas/steps.ts). */
  readonly hostCommands?: Readonly<Record<string, string>>;
  readonly alarms?: Readonly<Record<string, AlarmRow>>;
  readonly errors?: Readonly<Record<string, ErrorRow>>;
  readonly duties?: Readonly<Record<string, DutyRow>>;
  readonly work?: Readonly<Record<string, WorkRow>>;
  /** Moments when tests may crash a process (src/kernel/crash-point.ts). */
  readonly crashPoints?: Readonly<Record<string, string>>;
  /** Metrics that are read on request, of a process; and those that are counted as they happen. */
  readonly gauges?: Readonly<Record<string, MetricRow>>;
  readonly counters?: Readonly<Record<string, MetricRow>>;
};
