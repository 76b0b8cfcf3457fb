import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type KeptSample, openKeptSamples } from '../../../../src/web/pages/profiles/kept-samples.ts';
import { upTo } from '../../../support/payment-rows.ts';

const sampleOf = (name: string) => ({ name, bytes: Buffer.from(name) }) as KeptSample;

describe('openKeptSamples', () => {
  it('keeps one sample for each session, and gives it to no other', () => {
    const samples = openKeptSamples();
    samples.keep('ann', sampleOf('may.csv'));
    samples.keep('ann', sampleOf('june.csv'));
    samples.keep('bob', sampleOf('july.csv'));
    expect(['ann', 'bob', 'eve'].map((session) => samples.find(session)?.name)).toEqual([
      'june.csv',
      'july.csv',
      undefined,
    ]);
    samples.forget('ann');
    expect(samples.find('ann')).toBeUndefined();
    samples.close();
    expect(samples.find('bob')).toBeUndefined();
  });

  it('forgets a sample that is not looked at for the time, and not one that is', async () => {
    const samples = openKeptSamples(80);
    samples.keep('ann', sampleOf('june.csv'));
    samples.keep('bob', sampleOf('july.csv'));
    for (let looks = 0; looks < 8; looks += 1) {
      await sleep(20);
      samples.find('ann');
    }
    await expect.poll(() => samples.find('bob')).toBeUndefined();
    samples.close();
  });

  it('drops what was unused for longest when it is full', () => {
    const samples = openKeptSamples();
    const sessions = upTo(7).map((n) => `person ${n}`);
    for (const session of sessions.slice(0, 6)) samples.keep(session, sampleOf(session));
    samples.find('person 1');
    samples.keep('person 7', sampleOf('person 7'));
    expect(sessions.filter((session) => !samples.find(session))).toEqual(['person 2']);
    samples.close();
  });
});
