import { describe, expect, it } from 'vitest';
import { type ActionName, ACTIONS, PERSON_ROLES, type PersonRole, mayDo } from '../../../schemas/actions.ts';
import { actorOf, viewerMay } from '../../../src/web/access/viewer.ts';

const names = Object.keys(ACTIONS) as ActionName[];

describe('viewerMay', () => {
  it.each(Object.keys(PERSON_ROLES) as PersonRole[])('a person may what the role %s may', (role) => {
    const viewer = { person: 'ann', role, csrf: '', actions: undefined };
    expect(names.filter((name) => viewerMay(viewer, name))).toEqual(names.filter((name) => mayDo(role, name)));
  });

  it('a token may what it was made for, and never more than its person', () => {
    const token = { person: 'ann', csrf: '', actions: ['look', 'approve', 'drop'] as const };
    expect(names.filter((name) => viewerMay({ ...token, role: 'approver' }, name))).toEqual(['look', 'approve']);
    expect(names.filter((name) => viewerMay({ ...token, role: 'viewer' }, name))).toEqual(['look']);
  });
});

describe('actorOf', () => {
  it('is the user of the system of that name', () => {
    expect(actorOf({ person: 'ann', role: 'viewer', csrf: '', actions: undefined })).toBe('operator:ann');
  });
});
