import { serviceAddress } from '../../gateway/service-address.ts';
import { askTime } from '../../gateway/transport/ask-time.ts';
import type { Account } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { inspectServer, type Ledger } from '../../ledger/engine/open-ledger.ts';
import { readPresentSkew, readSkews } from '../../ledger/doubt/in-doubt.ts';
import { describeWait } from '../../explain/attempt-words.ts';
import { bad, type Check, type Finding, ok, type Patient, warn } from './check.ts';

const LITTLE_MS = 2_000;
const MUCH_MS = 60_000;

/** Leases use the clock of the database, waits the clock of the host, and reports the clock of the service. */
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
  const aheadMs = (asked + answered) / 2 - now.getTime();
  const apartMs = Math.abs(aheadMs) - (answered - asked) / 2;
  const found = `the clock of this host is ${timeOf(apartMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the database`;
  const remedy = `${COMPARE} Set the wrong host's clock by NTP: timedatectl set-ntp true`;
  if (apartMs > MUCH_MS) return bad(found, remedy);
  return apartMs > LITTLE_MS ? warn(found, remedy) : ok('this host and the database agree on the time');
}

/** Returns nothing when the service cannot be reached; another check reports that. */
async function compareService(
  ledger: Ledger,
  { name, server, baseUrl, connectTimeoutMs }: Account,
): Promise<Finding[]> {
  const address = serviceAddress(server, baseUrl);
  const present = await readPresentSkew(ledger, () => askTime({ address, connectTimeoutMs, network: {} }));
  if (!present) return [];
  const { skewMs, isAhead } = present;
  if (skewMs <= MUCH_MS) return [ok(`account ${name}: the service and the database agree on the time`)];
  const found = `account ${name}: the clock of the service is ${timeOf(skewMs)} ${isAhead ? 'ahead of' : 'behind'} that of the database`;
  return [bad(found, WRONG_NOW)];
}

async function judgeCalls(ledger: Ledger): Promise<Finding[]> {
  const wrong = (await readSkews(ledger)).filter(({ skewMs }) => skewMs > MUCH_MS);
  return wrong.map(({ account, skewMs }) =>
    warn(
      `account ${account}: at one of the last calls the clocks of the service and the database were ${timeOf(skewMs)} apart`,
      WRONG_THEN,
    ),
  );
}

const COMPARE = 'Compare both with a third clock.';

const WRONG_NOW = `${COMPARE} If the database is wrong, set its host's clock by NTP: timedatectl set-ntp true. If the service is wrong, tell its support. Nothing is charged twice because of it. From 5 minutes on no report can prove that a payment in doubt was not charged.`;

const WRONG_THEN =
  'If the clocks agree now, no action is needed. From 5 minutes on no report can prove that a payment in doubt, sent in that call or before it, was not charged.';

function timeOf(ms: number): string {
  if (ms < 120_000) return counted(Math.round(ms / 1_000), 'second');
  return describeWait(Math.round(ms / 60_000) * 60_000);
}
