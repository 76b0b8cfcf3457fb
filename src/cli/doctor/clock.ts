import { serviceAddress } from '../../gateway/service-address.ts';
import { askTime } from '../../gateway/transport/ask-time.ts';
import type { Account } from '../../kernel/config.ts';
import { inspectServer } from '../../ledger/inspect-server.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { readPresentSkew, readSkews } from '../../ledger/queries/in-doubt.ts';
import { bad, type Check, type Finding, ok, type Patient, warn } from './check.ts';

const LITTLE_MS = 2_000;
const MUCH_MS = 60_000;

/**
 * Leases are reckoned by the clock of the database, waits by that of the host, and reports are written by that of the
 * service.
 */
export const clock: Check = {
  name: 'Clock',
  needs: 'ledger',
  async look(patient) {
    const accounts = [...patient.settings.accounts.values()];
    const services = await Promise.all(accounts.map((account) => compareService(patient.ledger, account)));
    return [await compareHost(patient), ...services.flat(), ...(await judgeCalls(patient.ledger))];
  },
};

async function compareHost({ ledger, clock: host }: Patient): Promise<Finding> {
  const asked = host.now().getTime();
  const { now } = await inspectServer(ledger);
  const answered = host.now().getTime();
  const apartMs = Math.abs(now.getTime() - (asked + answered) / 2) - (answered - asked) / 2;
  const found = `this host and the database are ${secondsOf(apartMs)} s apart`;
  const remedy = 'Let both hosts keep time by NTP: timedatectl set-ntp true';
  if (apartMs > MUCH_MS) return bad(found, remedy);
  return apartMs > LITTLE_MS ? warn(found, remedy) : ok('this host and the database agree');
}

/** Another check says when the service cannot be reached. */
async function compareService(
  ledger: Ledger,
  { name, server, baseUrl, connectTimeoutMs }: Account,
): Promise<Finding[]> {
  const address = serviceAddress(server, baseUrl);
  const present = await readPresentSkew(ledger, () => askTime({ address, connectTimeoutMs, network: {} }));
  if (!present) return [];
  const { skewMs } = present;
  if (skewMs <= MUCH_MS) return [ok(`account ${name}: the service and the database agree on the time`)];
  return [bad(`account ${name}: the service and the database are ${secondsOf(skewMs)} s apart`, WRONG_CLOCK)];
}

async function judgeCalls(ledger: Ledger): Promise<Finding[]> {
  const wrong = (await readSkews(ledger)).filter(({ skewMs }) => skewMs > MUCH_MS);
  return wrong.map(({ account, skewMs }) =>
    warn(
      `account ${account}: at one of the last calls the service and the database were ${secondsOf(skewMs)} s apart`,
      WRONG_CLOCK,
    ),
  );
}

const WRONG_CLOCK =
  'Let the database keep time by NTP. Nothing is charged twice for it, but no report can show that a payment in doubt was not charged.';

function secondsOf(ms: number): number {
  return Math.round(Math.max(0, ms) / 1_000);
}
