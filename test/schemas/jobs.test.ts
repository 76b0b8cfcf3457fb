import { describe, expect, it } from 'vitest';
import { EVERY_ROLE, type QueueName, QUEUES, ROLES } from '../../schemas/jobs.ts';
import { type ActionName, ACTIONS, mayDo, PERSON_NAME, PERSON_ROLES, type PersonRole } from '../../schemas/actions.ts';
import { ClockMove, FaultRequest } from '../../schemas/sandbox/control.ts';
import { type NamedPart, stepText, withIds } from '../../schemas/steps.ts';

describe('QUEUES', () => {
  it('are the stages that a ring can make look', () => {
    expect(Object.keys(QUEUES)).toEqual(['intake', 'submit', 'poll', 'deliver', 'schedule', 'reprocess']);
  });
});

describe('ROLES', () => {
  it('has one for each queue, bound to a site where its stage is', () => {
    for (const name of Object.keys(QUEUES) as QueueName[]) {
      // Both write files beside the originals.
      const role = name === 'reprocess' ? 'deliver' : name;
      expect(ROLES[role].atSite).toBe(QUEUES[name].atSite);
    }
  });

  it('are all done by a process that is told nothing', () => {
    expect([...EVERY_ROLE]).toEqual(Object.keys(ROLES));
  });
});

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

describe('ClockMove', () => {
  it.each([{ set: '2026-06-15T09:00:00Z' }, { set: '2026-06-15T09:00:00+02:00' }, { advanceMs: -5 }])(
    'takes %j',
    (move) => {
      expect(ClockMove.parse(move)).toEqual(move);
    },
  );

  it.each([
    {},
    null,
    { set: 'noon' },
    { set: '2026-06-15' },
    { advanceMs: '5' },
    { advanceMs: 0.5 },
    { set: '2026-06-15T09:00:00Z', advanceMs: 5 },
    { advance: 5 },
  ])('refuses %j and shows how', (move) => {
    const read = ClockMove.safeParse(move);
    expect(read.error?.issues[0]?.message).toBe('must be {"set": "2026-06-15T09:00:00Z"} or {"advanceMs": 86400000}');
  });
});

describe('FaultRequest', () => {
  it.each([
    { kind: 'no-answer' },
    { kind: 'no-answer', operation: '*', times: 'always', after: 0, chance: 0.5, seed: -3, delayMs: 0 },
    { kind: 'no-answer', operation: 'processCreditCard', times: 3 },
    { kind: 'no-answer', operation: 'getCreditCardRejectDateRangeCSV' },
  ])('takes %j', (request) => {
    expect(FaultRequest.parse(request)).toEqual(request);
  });

  it.each([
    [null, 'must be an object such as {"kind": "no-answer"}'],
    [{}, 'must name a kind of fault'],
    [{ kind: 'x', operation: 'ProcessCreditCard' }, 'must be an operation in the spelling of the spec, or "*"'],
    [{ kind: 'x', times: 0 }, 'must be a number from 1, or "always"'],
    [{ kind: 'x', times: 'never' }, 'must be a number from 1, or "always"'],
    [{ kind: 'x', after: -1 }, 'must not be negative'],
    [{ kind: 'x', after: 0.5 }, 'must be a whole number'],
    [{ kind: 'x', chance: 1.1 }, 'must be 0 to 1'],
    [{ kind: 'x', seed: 'a' }, 'must be a whole number'],
    [{ kind: 'x', delayMs: 2 ** 31 }, 'must be 2147483647 at most'],
    [{ kind: 'x', delay: 5 }, 'Unrecognized key: "delay"'],
  ])('refuses %j: %s', (request, message) => {
    expect(FaultRequest.safeParse(request).error?.issues[0]?.message).toBe(message);
  });
});

describe('stepText', () => {
  it.each<[NamedPart, string]>([
    [{ action: 'approve', fileId: 'abc' }, '"paydrop approve abc --reason …"'],
    [{ action: 'cancel-batch', fileId: 'abc', batchNo: 2 }, '"paydrop cancel abc/2 --reason …"'],
    [{ action: 'resume', account: 'main' }, '"paydrop account resume main --reason …"'],
    [{ action: 'resume', account: '*' }, '"paydrop account resume --all --reason …"'],
    [{ see: 'doubt', fileId: 'abc', batchNo: 2 }, '"paydrop resolve abc/2"'],
    [{ run: 'reconcile', account: 'main' }, '"paydrop account reconcile main --report PATH --reason …"'],
    [{ action: 'repoll' }, '"paydrop repoll BATCH"'],
  ])('writes %j as a command to paste', (part, command) => {
    expect(stepText(['See ', part, '.'])).toBe(`See ${command}.`);
  });
});

describe('withIds', () => {
  it('gives each part the ids that its command takes, and no other', () => {
    const ids = { fileId: 'abc', batchNo: null, account: 'main', schedule: 'nightly', day: '2026-06-15' };
    const step = ['Try ', { run: 'requeue' }, { action: 'pause' }, { action: 'run-now' }, { run: 'doctor' }] as const;
    expect(withIds([...step, { action: 'repoll' }, { action: 'acknowledge-run' }], ids)).toEqual([
      'Try ',
      { run: 'requeue', fileId: 'abc' },
      { action: 'pause', account: 'main' },
      { action: 'run-now', schedule: 'nightly' },
      { run: 'doctor' },
      { action: 'repoll', fileId: 'abc' },
      { action: 'acknowledge-run', schedule: 'nightly', day: '2026-06-15' },
    ]);
  });
});
