import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handClock } from '../../../../src/kernel/clock.ts';
import { startHealth } from '../../../../src/kernel/health.ts';
import { findLocalCauses, findTrouble, isLocalSubject, isOverHere, localSubject, SILENT_INTERVALS } from '../../../../workers/upkeep/raise-alarms.ts';
import { openPipelineWorld, type PipelineWorld } from '../../../support/pipeline-world.ts';

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld({ settings: { rescanMs: 60_000, sweepMs: 20_000 } });
});
afterAll(() => world.close());

function atStart() {
  const clock = handClock('2026-06-15T10:00:00.000Z');
  const health = startHealth(clock);
  health.noteWatch(world.settings.folders.map(({ id }) => id));
  return { app: { ...world.app, clock, health }, clock };
}

describe('findLocalCauses', () => {
  it('leaves folders alone that this process does not watch', () => {
    const { app, clock } = atStart();
    clock.advance(SILENT_INTERVALS * 60_000);
    expect(findLocalCauses({ ...app, health: startHealth(app.clock) })).toEqual([]);
    expect(findLocalCauses(app)).toHaveLength(world.settings.folders.length);
  });

  it('finds a folder that was not listed for three intervals, and not before', () => {
    const { app, clock } = atStart();
    clock.advance(SILENT_INTERVALS * 60_000 - 1);
    expect(findLocalCauses(app)).toEqual([]);
    for (const { id } of world.settings.folders.slice(1)) app.health.noteListing(id);
    clock.advance(1);
    expect(findLocalCauses(app)).toEqual([
      { kind: 'silence', subject: localSubject(app, 'drop/card'), account: 'main', figures: { minutes: 3 } },
    ]);
    app.health.noteListing('drop/card');
    expect(findLocalCauses(app)).toEqual([]);
  });

  it('finds an SFTP server that fails for three tries, and not before', () => {
    const { app, clock } = atStart();
    const fault = { account: 'main', everyMs: 30_000 };
    for (const name of ['pull:drop/card', 'push:bank:/results']) app.health.noteTransfer(name, fault);
    clock.advance(SILENT_INTERVALS * 30_000 - 1);
    app.health.noteTransfer('pull:drop/card', fault);
    app.health.noteTransfer('push:bank:/results');
    expect(findLocalCauses(app)).toEqual([]);
    clock.advance(1);
    expect(findLocalCauses(app)).toEqual([
      { kind: 'transfer', subject: localSubject(app, 'pull:drop/card'), account: 'main', figures: { minutes: 2 } },
    ]);
    app.health.noteTransfer('pull:drop/card');
    expect(findLocalCauses(app)).toEqual([]);
  });

  it('finds a queue that does not answer for three sweeps', () => {
    const { app, clock } = atStart();
    app.health.noteTrouble('QUEUE_UNREACHABLE');
    expect(findLocalCauses(app)).toEqual([]);
    clock.advance(60_000);
    expect(findLocalCauses(app)).toEqual([
      { kind: 'trouble', subject: localSubject(app, 'queue'), account: null, figures: { minutes: 1 } },
    ]);
    app.health.noteSweep();
    expect(findLocalCauses(app)).toEqual([]);
  });
});

describe('findTrouble', () => {
  it('tells ledger from queue', () => {
    const { app, clock } = atStart();
    app.health.noteTrouble('LEDGER_UNREACHABLE');
    clock.advance(60_000);
    expect(findTrouble(app, 'LEDGER_UNREACHABLE', 'ledger', app.health.trouble)).toHaveLength(1);
    expect(findTrouble(app, 'QUEUE_UNREACHABLE', 'queue', app.health.trouble)).toEqual([]);
  });
});

describe('isLocalSubject', () => {
  it('tells what a host has seen from what stands in the ledger', () => {
    expect(isLocalSubject(localSubject(world.app, 'drop/card'))).toBe(true);
    expect(isLocalSubject('batch:3-1')).toBe(false);
    expect(localSubject(world.app, 'x')).not.toContain(String(process.pid));
  });
});

describe('isOverHere', () => {
  const here = (thing: string) => localSubject(world.app, thing);

  it('leaves alone what is of another host', () => {
    const { app } = atStart();
    app.health.noteListing('drop/card');
    expect(isOverHere(app, 'silence', 'drop/card@elsewhere')).toBe(false);
    expect(isOverHere(app, 'silence', here('drop/card'))).toBe(true);
  });

  it('leaves to the process that does the work, what goes wrong on the same host', () => {
    const { app } = atStart();
    const pull = { ...world.settings.folders[0]!, pull: { remote: 'bank', path: '/in', everyMs: 1_000 } };
    const settings = { ...app.settings, folders: [pull as (typeof world.settings.folders)[number]] };
    const pulling = { ...app, settings };
    expect(isOverHere(pulling, 'silence', here('drop/card'))).toBe(false);
    expect(isOverHere(pulling, 'transfer', here('pull:drop/card'))).toBe(false);
    app.health.noteTransfer('pull:drop/card');
    expect(isOverHere(pulling, 'transfer', here('pull:drop/card'))).toBe(true);
    app.health.noteTransfer('pull:drop/card', { account: 'main', everyMs: 1_000 });
    expect(isOverHere(pulling, 'transfer', here('pull:drop/card'))).toBe(false);
  });

  it('takes what left the configuration for over', () => {
    const { app } = atStart();
    expect(isOverHere(app, 'silence', here('drop/gone'))).toBe(true);
    expect(isOverHere(app, 'transfer', here('push:bank:/results'))).toBe(true);
  });

  it('waits for a sweep that succeeded', () => {
    const { app } = atStart();
    expect(isOverHere(app, 'trouble', here('queue'))).toBe(false);
    app.health.noteSweep();
    expect(isOverHere(app, 'trouble', here('queue'))).toBe(true);
    app.health.noteTrouble('QUEUE_UNREACHABLE');
    expect(isOverHere(app, 'trouble', here('queue'))).toBe(false);
  });
});
