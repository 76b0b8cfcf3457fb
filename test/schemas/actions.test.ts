import { describe, expect, it } from 'vitest';
import { type ActionName, ACTIONS, mayDo, PERSON_NAME, PERSON_ROLES, type PersonRole } from '../../schemas/actions.ts';

const names = Object.keys(ACTIONS) as ActionName[];
const roles = Object.keys(PERSON_ROLES) as PersonRole[];

describe('mayDo', () => {
  it('lets a viewer change nothing', () => {
    const changing = names.filter((name) => ACTIONS[name].destructive || ACTIONS[name].reason === 'asked');
    expect(changing.length).toBeGreaterThan(10);
    expect(changing.filter((name) => mayDo('viewer', name))).toEqual([]);
  });

  it('gives nobody but the administrator both what makes and what checks', () => {
    const makes: ActionName[] = ['drop', 'resubmit', 'retry', 'not-received', 'close-in-doubt', 'adopt'];
    const checks: ActionName[] = ['approve', 'confirm'];
    const both = roles.filter((role) => makes.some((n) => mayDo(role, n)) && checks.some((n) => mayDo(role, n)));
    expect(both).toEqual(['admin']);
  });

  it('keeps it to administrators who may use the dashboard', () => {
    expect(roles.filter((role) => mayDo(role, 'people'))).toEqual(['admin']);
  });
});

describe('PERSON_NAME', () => {
  it.each(['ann', 'ann.byron', 'a', '0x', 'a'.repeat(64)])('takes %s', (name) => {
    expect(PERSON_NAME.test(name)).toBe(true);
  });
  it.each(['', 'Ann', '.ann', 'ann byron', 'operator:ann', 'ann/', 'änn', 'a'.repeat(65), 'a\n'])(
    'refuses %j',
    (name) => {
      expect(PERSON_NAME.test(name)).toBe(false);
    },
  );
});
