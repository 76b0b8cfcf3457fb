import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { findMountRefusal } from '../support/small-disk.ts';
import { sshdIsInstalled, sshdVerdict } from '../support/sshd.ts';
import { runUploads } from './run-uploads.ts';

testUploads({ uploads: 30, atOnce: 10, seed: 3, pauseMs: 200, breaks: 0.2 });

/** Where OpenSSH can cage its users: only for an administrator who may mount. */
const cage =
  userInfo().uid === 0 && findMountRefusal() === undefined ? `/run/paydrop-uploads-${process.pid}` : undefined;

function testUploads(plan: Omit<Parameters<typeof runUploads>[0], 'cage'>): void {
  const verdict = sshdVerdict();
  it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

  describe.runIf(sshdIsInstalled())('slow uploads through OpenSSH into the drop folders', () => {
    it(`are claimed once and whole${cage === undefined ? ', where the senders see the whole disk' : ', by senders in a cage'}`, async () => {
      const report = await runUploads({ ...plan, cage });
      expect(report.failures).toEqual([]);
      expect(report.cuts).toBeGreaterThan(0);
    }, 120_000);
  });
}
