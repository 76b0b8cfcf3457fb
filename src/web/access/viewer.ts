import { type DeedName, mayDo, type PersonRole } from '../../../schemas/desk.ts';

/** Who asks, as it was found out before a route runs. */
export type Viewer = {
  /** Without `operator:`. */
  readonly person: string;
  readonly role: PersonRole;
  /** What forms bring along; empty for a program, which has no session that somebody could ride. */
  readonly csrf: string;
  /** Of a token of the API: what it is good for. Undefined for a person, who may do whatever his role may. */
  readonly deeds: readonly DeedName[] | undefined;
};

export function viewerMay({ role, deeds }: Viewer, deed: DeedName): boolean {
  return mayDo(role, deed) && (deeds === undefined || deeds.includes(deed));
}

/** Who acts, for the audit trail: the same as the user of the system of that name. */
export function actorOf({ person }: Viewer): string {
  return `operator:${person}`;
}
