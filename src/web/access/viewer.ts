import { type DeedName, mayDo, type PersonRole } from '../../../schemas/desk.ts';

/** Who sends the request, determined before a route runs. */
export type Viewer = {
  /** Without `operator:`. */
  readonly person: string;
  readonly role: PersonRole;
  /** Token that forms send back; empty for a program, which has no session to hijack. */
  readonly csrf: string;
  /** What an API token permits. Undefined for a person, whose role decides. */
  readonly deeds: readonly DeedName[] | undefined;
};

export function viewerMay({ role, deeds }: Viewer, deed: DeedName): boolean {
  return mayDo(role, deed) && (deeds === undefined || deeds.includes(deed));
}

/** Returns the actor for the audit trail, the same as for the operating system user of that name. */
export function actorOf({ person }: Viewer): string {
  return `operator:${person}`;
}
