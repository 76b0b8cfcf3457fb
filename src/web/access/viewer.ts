import { type ActionName, mayDo, type PersonRole } from '../../../schemas/actions.ts';
import type { PersonSettings } from '../../ledger/person/people.ts';
import type { Badges } from '../../ledger/overview/overview.ts';

/** Who sends the request, determined before a route runs. */
export type Viewer = {
  /** Without `operator:`. */
  readonly person: string;
  readonly role: PersonRole;
  /** Token that forms send back; empty for a program, which has no session to hijack. */
  readonly csrf: string;
  /** What an API token permits. Undefined for a person, whose role decides. */
  readonly actions: readonly ActionName[] | undefined;
  /** When the person last proved who they are. */
  readonly provedAt?: Date;
  /** Whether they must set up a second factor before anything else. */
  readonly mustSetUp?: boolean;
  /** How pages look for this person; undefined for a program. */
  readonly settings?: PersonSettings;
  /** What surrounds the page; undefined where the answer is no page, or an error before one. */
  readonly shell?: Shell;
};

/** What surrounds each page of a person. */
export type Shell = {
  readonly now: Date;
  /** Zone of all times on the page. */
  readonly timeZone: string;
  readonly accounts: readonly string[];
  /** The account to which the person has limited the lists; undefined for all. */
  readonly account: string | undefined;
  readonly badges: Badges;
};

export function viewerMay({ role, actions }: Viewer, action: ActionName): boolean {
  return mayDo(role, action) && (actions === undefined || actions.includes(action));
}

/** Returns the actor for the audit trail, the same as for the operating system user of that name. */
export function actorOf({ person }: Viewer): string {
  return `operator:${person}`;
}
