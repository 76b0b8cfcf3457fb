import { userInfo } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openedForTests } from '../support/opened-for-tests.ts';
import { longRun, tryProperty } from '../support/random.ts';
import { findMountRefusal } from '../support/small-disk.ts';
import { sshdIsInstalled, sshdVerdict } from '../features/transfers/support/sshd.ts';
import { openUploadWorld, UPLOADS, UPLOADS_AT_ONCE } from './slow-uploads.ts';

/** Slow uploads, cut anywhere; PAYDROP_TEST_RUNS says how often some are sent at once. */

const verdict = sshdVerdict();
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

/** Where OpenSSH can cage its users: only for an administrator who may mount. */
const cage =
  userInfo().uid === 0 && findMountRefusal() === undefined ? `/run/paydrop-uploads-${process.pid}` : undefined;

describe.runIf(sshdIsInstalled())('slow uploads through OpenSSH into the drop folders', () => {
  const world = openedForTests(() => openUploadWorld(cage));
  const { runs, limitMs } = longRun(6);

  it(
    `are claimed once and whole, up to ${UPLOADS_AT_ONCE} at once${cage === undefined ? ', where the senders see the whole disk' : ', by senders in a cage'}`,
    async () => {
      let cuts = 0;
      const property = fc.asyncProperty(UPLOADS, async (uploads) => {
        const sent = await world.send(uploads);
        cuts += sent.cuts;
        expect(sent.failures).toEqual([]);
      });
      await tryProperty(property, runs, limitMs);
      expect(cuts).toBeGreaterThan(0);
    },
    limitMs,
  );
});
