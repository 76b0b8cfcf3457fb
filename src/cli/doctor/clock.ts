import { inspectServer } from '../../ledger/inspect-server.ts';
import { bad, type Check, ok, warn } from './check.ts';

const LITTLE_MS = 2_000;
const MUCH_MS = 60_000;

/** Leases are reckoned by the clock of the database, waits by that of the host. */
export const clock: Check = {
  name: 'Clock',
  needs: 'ledger',
  async look({ ledger, clock: host }) {
    const asked = host.now().getTime();
    const { now } = await inspectServer(ledger);
    const answered = host.now().getTime();
    const apartMs = Math.abs(now.getTime() - (asked + answered) / 2) - (answered - asked) / 2;
    const seconds = Math.round(Math.max(0, apartMs) / 1_000);
    const found = `this host and the database are ${seconds} s apart`;
    const mend = 'Let both hosts keep time by NTP: timedatectl set-ntp true';
    if (apartMs > MUCH_MS) return [bad(found, mend)];
    return [apartMs > LITTLE_MS ? warn(found, mend) : ok('this host and the database agree')];
  },
};
