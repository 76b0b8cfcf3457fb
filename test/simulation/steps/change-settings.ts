import type { Account, Folder } from '../../../src/config/config.ts';
import type { Choose } from '../choose.ts';
import { isWide } from '../hosts/installation.ts';
import type { World } from '../world.ts';
import { configure, spreadSettings } from './configure.ts';
import { type Step, tell } from './step.ts';

/** Changes of paydrop.yaml that mean the same merchants: how files are checked and cut, and when they are sent. */
export const SETTING_STEPS: readonly Step[] = [
  {
    name: 'settings are changed',
    weight: 1,
    isPossible: () => true,
    take: async (world) => void tell(world, await changeSettings(world)),
  },
];

async function changeSettings(world: World): Promise<string> {
  const { choose, settings } = world;
  const accounts = new Map(
    [...settings.accounts].map(([name, account]) => [name, { ...account, ...ofAccount(choose) }]),
  );
  const folders = settings.folders.map((folder) =>
    choose.happens(0.7) ? { ...folder, ...ofFolder(folder, choose) } : folder,
  );
  const batch = { ...settings.batch, maxRows: choose.between(1, 6) };
  const words = `settings are changed: batches of ${batch.maxRows} rows, ${[...accounts.values()].map(sayWindow).join(', ')}`;
  // Processes that run go on with the settings with which they started.
  if (!isWide(world) && choose.happens(0.5)) {
    world.settings = { ...settings, accounts, folders, batch };
    spreadSettings(world);
    return `${words}, for processes that start from now on`;
  }
  return `${words}${await configure(world, { accounts, folders, batch })}`;
}

function ofAccount(choose: Choose): Partial<Account> {
  const days = choose.one([
    ['mon', 'tue', 'wed', 'thu', 'fri'],
    ['sat', 'sun'],
  ] as const);
  return {
    timeZone: choose.one(['UTC', 'America/Toronto', 'Asia/Tokyo']),
    window: choose.one([undefined, { from: '08:00', to: '18:00', days: [...days], holidays: [] }]),
    recheck: { afterMs: choose.one([[], [HOUR_MS], [HOUR_MS, 24 * HOUR_MS]]) },
    resolveWaitMs: choose.one([0, HOUR_MS]),
  };
}

function ofFolder({ complete }: Folder, choose: Choose): Partial<Folder> {
  return {
    complete: complete.by === 'quiet' ? { ...complete, probes: choose.between(1, 3) } : complete,
    finalNewline: choose.one(['warn', 'hold']),
    textCommas: choose.one(['replace', 'reject']),
    badRows: { policy: choose.one(['withhold', 'reject-file']), maxPercent: choose.one([10, 50, 100]) },
    duplicateRows: choose.one(['hold', 'reject', 'warn']),
    maxBytes: choose.happens(0.1) ? 700 : 1_000_000,
  };
}

function sayWindow({ name, window, timeZone }: Account): string {
  return `${name} sends ${window ? `from ${window.from} to ${window.to}, ${window.days[0]} to ${window.days.at(-1)}, in ${timeZone}` : 'always'}`;
}

const HOUR_MS = 3_600_000;
