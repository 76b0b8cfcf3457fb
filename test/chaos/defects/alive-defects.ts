import type { Defect } from './defects.ts';

const FOUND_BY = ['test/workers/upkeep/unattended.soak.test.ts'];

/** Defects of the signs of life: a role that no process has is not missed, or one is missed that nobody needs. */
export const ALIVE_DEFECTS: readonly Defect[] = [
  {
    name: 'a process that ran once counts as running',
    about: 'a role is never missed once a process had it',
    file: 'workers/upkeep/alarms/unattended.ts',
    find: 'if (here.some(({ living }) => living > 0)) return undefined;',
    replace: 'if (here.some(({ living }) => living >= 0)) return undefined;',
    caughtBy: FOUND_BY,
  },
  {
    name: 'a role that nobody started is not missed',
    about: 'batches wait for ever at an installation without the role submit',
    file: 'workers/upkeep/alarms/unattended.ts',
    find: 'const silentMs = last?.silentMs ?? begunMs;',
    replace: 'const silentMs = last?.silentMs ?? begunMs * 0;',
    caughtBy: FOUND_BY,
  },
  {
    name: 'a site stands for another',
    about: 'a process of one site counts for the folders of another',
    file: 'workers/upkeep/alarms/unattended.ts',
    find: '(site === null || one.site === site)',
    replace: '(site === null || one.site !== undefined)',
    caughtBy: FOUND_BY,
  },
  {
    name: 'a sign of life from the future',
    about: 'a dead process counts as running until the clock has caught up',
    file: 'src/ledger/process/read-presence.ts',
    find: "WHERE seen_at <= ${now} + interval '${SILENT_MS} ms'",
    replace: "WHERE seen_at <= ${now} + interval '99 years'",
    caughtBy: FOUND_BY,
  },
  {
    name: 'a paused account misses its sender',
    about: 'an alarm goes out although nothing may be sent',
    file: 'schemas/ledger/stage.sql',
    find: '    AND may_leave(waiting.account, next.file_id, next.body_sha256) AND NOT is_calling(waiting.account)',
    replace: '    AND NOT is_calling(waiting.account)',
    caughtBy: FOUND_BY,
  },
  {
    name: 'a process that just joined misses the others',
    about: 'after an outage each process that returns first raises alarms about those that follow',
    file: 'workers/upkeep/raise-alarms.ts',
    find: 'return joinedMs >= SILENT_MS;',
    replace: 'return joinedMs >= 0;',
    caughtBy: ['test/workers/upkeep/raise-alarms.test.ts'],
  },
  {
    name: 'only the process that does the work tells of it',
    about: 'nobody is told when the process that takes drops is dead',
    file: 'workers/upkeep/raise-alarms.ts',
    find: '...unattended.map((one) => causeOf(app, one)),',
    replace: '...unattended.slice(0, 0).map((one) => causeOf(app, one)),',
    caughtBy: ['test/workers/upkeep/raise-alarms.test.ts'],
  },
  {
    name: 'nothing to do, although no process does it',
    about: 'why says of a waiting file that a worker will take it up',
    file: 'src/explain/why/tell-why.ts',
    find: 'return [...missing, ...failures];',
    replace: 'return [...missing.slice(0, 0), ...failures];',
    caughtBy: ['test/explain/why/tell-why.test.ts'],
  },
];
