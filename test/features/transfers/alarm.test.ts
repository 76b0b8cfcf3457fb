import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { transferAlarm } from '../../../src/features/transfers/alarm.ts';
import { noteTransfer, transferHealth } from '../../../src/features/transfers/transfer-health.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { startHealth } from '../../../src/kernel/health.ts';
import { SILENT_INTERVALS } from '../../../workers/upkeep/alarms/unattended.ts';

const START = '2026-06-15T10:00:00Z';
const FAULT = { account: 'main', everyMs: 30_000 };

function atStart() {
  const clock = handClock(START);
  const settings = { folders: [{ id: 'drop/card', pull: { remote: 'bank', path: '/in' } }], push: [] };
  const app = { clock, health: startHealth(clock), settings, ledger: { instance: { host: 'here' } } };
  return { clock, app: app as unknown as App };
}

describe('noteTransfer', () => {
  it('knows since when each transfer fails, until it succeeds', () => {
    const { app, clock } = atStart();
    noteTransfer(app, 'pull:drop/a', FAULT);
    clock.advance(1_000);
    noteTransfer(app, 'pull:drop/a', FAULT);
    noteTransfer(app, 'push:bank:/out', { ...FAULT, account: null });
    noteTransfer(app, 'push:bank:/out');
    expect([...transferHealth(app).broken]).toEqual([['pull:drop/a', { ...FAULT, since: new Date(START) }]]);
  });
});

describe('transferAlarm', () => {
  it('finds a server that fails for three tries, and not before', () => {
    const { app, clock } = atStart();
    for (const name of ['pull:drop/card', 'push:bank:/results']) noteTransfer(app, name, FAULT);
    clock.advance(SILENT_INTERVALS * 30_000 - 1);
    noteTransfer(app, 'pull:drop/card', FAULT);
    noteTransfer(app, 'push:bank:/results');
    expect(transferAlarm.find(app)).toEqual([]);
    clock.advance(1);
    expect(transferAlarm.find(app)).toEqual([
      { kind: 'transfer', subject: 'pull:drop/card@here', account: 'main', figures: { minutes: 2 } },
    ]);
    noteTransfer(app, 'pull:drop/card');
    expect(transferAlarm.find(app)).toEqual([]);
  });

  it('leaves to the process that transfers, what goes wrong on the same host', () => {
    const { app } = atStart();
    expect(transferAlarm.isOver(app, 'pull:drop/card')).toBe(false);
    noteTransfer(app, 'pull:drop/card');
    expect(transferAlarm.isOver(app, 'pull:drop/card')).toBe(true);
    noteTransfer(app, 'pull:drop/card', FAULT);
    expect(transferAlarm.isOver(app, 'pull:drop/card')).toBe(false);
  });

  it('takes what left the configuration for over', () => {
    expect(transferAlarm.isOver(atStart().app, 'push:bank:/results')).toBe(true);
  });

  it.each([
    ['pull:drop/card', /^Nothing was transferred for 4 minutes from the SFTP server into folder drop\/card\./],
    ['push:bank:/results', /^No output was transferred for 4 minutes to bank:\/results\. .*; the outputs stay here\.$/],
  ])('tells what is fetched from what is uploaded: %s', (subject, text) => {
    expect(transferAlarm.describe(subject, { minutes: 4 })).toMatch(text);
  });
});
