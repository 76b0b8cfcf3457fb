import type { Account } from '../../config/config.ts';
import { findKeyEnds, type KeyEnd, openKeys } from '../../pgp/open-keys.ts';
import { bad, type Check, type Finding, ok, type Patient, warn } from './check.ts';
import { findingOf } from './finding-of.ts';

/** A new key has to reach every sender, who may be on vacation. */
const WARNING_DAYS = 30;
const DAY_MS = 86_400_000;

/** The accounts' OpenPGP keys must open, and must not be expired or revoked, or expire soon. */
export const openpgp: Check = {
  name: 'OpenPGP keys',
  needs: 'nothing',
  async look({ settings, clock }) {
    const findings: Finding[] = [];
    for (const account of settings.accounts.values()) findings.push(...(await lookAtAccount(account, clock)));
    return findings;
  },
};

async function lookAtAccount({ name, openpgp: config }: Account, clock: Patient['clock']): Promise<Finding[]> {
  if (!config) return [];
  try {
    const now = clock.now();
    const ends = await findKeyEnds(await openKeys(config, name), now);
    return ends.map((end) => judgeEnd(end, `account ${name}`, now));
  } catch (error) {
    return [findingOf(error, bad)];
  }
}

function judgeEnd({ whose, fingerprint, endsAt }: KeyEnd, where: string, now: Date): Finding {
  const key = `${where}: ${WHOSE[whose]} ${fingerprint}`;
  if (whose === 'former') return ok(`${key} opens what is still encrypted for it`);
  if (endsAt === 'ended') return bad(`${key} is expired or revoked`, MEND[whose]);
  if (endsAt === 'never') return ok(`${key} can be used and does not expire`);
  const says = `${key} expires at ${endsAt.toISOString()}`;
  return endsAt.getTime() - now.getTime() < WARNING_DAYS * DAY_MS ? warn(says, MEND[whose]) : ok(says);
}

const WHOSE = { own: 'our key', former: 'our former key', sender: "a sender's key" } as const;

const MEND = {
  own: 'Prolong it, or make a new one and put it before the old one; then send the public key to every sender.',
  sender: 'Ask the sender for the prolonged or the new public key and put it into "openpgp.senders" of the account.',
} as const;
