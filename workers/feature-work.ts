import { type AlarmKind, isCoreAlarm } from '../schemas/alarms.ts';
import type { Duty, Role } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import type { Settings } from '../src/config/config.ts';
import type { AlarmCause, AlarmFigures } from '../src/ledger/alarm/find-alarm-causes.ts';
import type { DueSum } from '../src/ledger/batch/due-work.ts';
import type { Ledger } from '../src/ledger/engine/open-ledger.ts';

/** What a feature does in a process that stays, beside the stages. */
export type FeatureWork = {
  /** Starts its own work, for the roles of this process. */
  start?(app: App, roles: ReadonlySet<Role>): Started;
  /**
   * Removes what it no longer needs, once an hour. Repeatable.
   * @param isStopping asked between two steps
   */
  tidy?(app: App, isStopping: () => boolean): Promise<void>;
  /** What waits for each of its duties (`duties` in its rows). */
  readonly due?: DutyCounters;
  /** Its alarms (`alarms` in its rows). */
  readonly alarms?: FeatureAlarms;
};

/** Counts what waits for a duty at a site. */
export type DutyCounters = Readonly<
  Partial<Record<Duty, (ledger: Ledger, settings: Settings, site: string) => Promise<DueSum>>>
>;

export type Started = {
  /** Does what is due now. @returns how many things are still arriving */
  look(): Promise<number>;
  /** Takes up folders that were exchanged. */
  follow(): Promise<void>;
  /** Takes nothing new and waits for what is running. */
  stop(): Promise<void>;
};

export type FeatureAlarms = Readonly<Partial<Record<AlarmKind, FeatureAlarm>>>;

export type FeatureAlarm = {
  /** Finds the causes that exist now. What only this process can see has a subject of `localSubject`. */
  find(app: App): AlarmCause[];
  /** Returns whether this process has seen the end of a cause that only it can see. @param thing of `localSubject` */
  isOver(app: App, thing: string): boolean;
  /** Returns the sentence of the message: ids, counts and what to do, no name of a file and no data of a row. */
  describe(subject: string, figures: AlarmFigures): string;
};

declare module '../src/feature.ts' {
  interface Feature {
    work?(): Promise<FeatureWork>;
  }
}

/** Returns the work of the features that are on. */
export async function workOf({ features }: Pick<Settings, 'features'>): Promise<FeatureWork[]> {
  const found = await Promise.all(features.map(async ({ work }) => work?.()));
  return found.filter((work) => work !== undefined);
}

/** Returns the alarms of features by their kinds; none has a kind of the core. */
export function alarmsOf(works: readonly FeatureWork[]): FeatureAlarms {
  const entries = works.flatMap(({ alarms = {} }) => Object.entries(alarms));
  return Object.fromEntries(entries.filter(([kind]) => !isCoreAlarm(kind as AlarmKind)));
}
