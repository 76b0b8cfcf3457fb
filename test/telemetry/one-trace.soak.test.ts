import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { findCanaries } from '../support/canaries.ts';
import { CARD, cardRow, lines } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { receivedSpans } from './support/received-spans.ts';
import { traceIdsOf } from '../../src/telemetry/send-spans.ts';

let world: PipelineWorld;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  world = await openPipelineWorld();
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

describe('the trace of a file', () => {
  it('is one from the claim to the output, over every stage and the queue, and holds no number', async () => {
    await world.app.close();
    const settings = { ...world.settings, otlpUrl: receiver.url };
    world.app = await openApp(settings, { log: silentLog(), env: {} });
    await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2)]));
    await world.finish();
    const { rows } = await world.app.ledger.pool.query<{ file_id: string; state: string }>('SELECT * FROM file');
    expect(rows).toMatchObject([{ state: 'completed' }]);
    await world.app.close();

    const { traceId } = traceIdsOf(rows[0]!.file_id);
    const own = receivedSpans(receiver).filter((span) => JSON.stringify(span).includes(rows[0]!.file_id));
    expect(new Set(own.map((span) => span.traceId))).toEqual(new Set([traceId]));
    const names = new Set(own.map(({ name }) => name));
    for (const stage of ['claim', 'intake', 'submit', 'poll', 'deliver']) expect(names).toContain(stage);
    expect(own.filter(({ name }) => name.startsWith('add ')).length).toBeGreaterThan(0);
    for (const name of ['intake', 'submit', 'poll', 'deliver'])
      expect(own.find((span) => span.name === name)!.attributes['paydrop.account']).toBe('main');

    const folder = await mkdtemp(join(tmpdir(), 'paydrop-spans-'));
    for (const [index, { body }] of receiver.received.entries()) await writeFile(join(folder, `${index}.json`), body);
    expect(await findCanaries([folder], [CARD])).toEqual([]);
    expect(receiver.received.map(({ body }) => body.toString()).join()).not.toContain('monday.csv');
    await rm(folder, { recursive: true });
  });
});
