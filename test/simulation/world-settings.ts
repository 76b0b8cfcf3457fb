import { Config } from '../../schemas/config.ts';
import { resolveSettings, type Settings } from '../../src/config/config.ts';
import type { Choose } from './choose.ts';

export const AGENT_PASSWORD = 'TEST88';

/** Returns the service's name for an account. */
export function agentCodeOf(account: string): string {
  return `AGENT-${account.toUpperCase()}`;
}

/** Chooses one to three accounts, with a folder per operation. Batches are so small that a few rows fill several. */
export function chooseSettings(choose: Choose, root: string, baseUrl: string): Settings {
  const chosen = choose.shuffle(ACCOUNTS).slice(0, choose.one([1, 1, 2, 3]));
  const accounts = chosen.map(({ name, ...merchant }) => [
    name,
    {
      ...merchant,
      agentCode: agentCodeOf(name),
      password: AGENT_PASSWORD,
      baseUrl,
      recheck: { afterMs: choose.one([[], [HOUR_MS], [HOUR_MS, 24 * HOUR_MS]]) },
      resolveWaitMs: choose.one([0, HOUR_MS]),
      secondPerson: { resolutions: choose.happens(0.2) },
      timeZone: choose.one(['UTC', 'America/Toronto', 'Asia/Tokyo']),
    },
  ]);
  const folders = chosen.flatMap(({ name, server }) =>
    OPERATIONS[server].map((operation) => ({
      path: `drop/${name}/${operation}`,
      account: name,
      operation,
      complete: choose.happens(0.2) ? { by: 'marker' } : { by: 'quiet', quietMs: 20_000, probes: choose.between(1, 3) },
      finalNewline: choose.one(['warn', 'warn', 'hold']),
      textCommas: choose.one(['replace', 'replace', 'reject']),
      badRows: {
        policy: choose.one(['withhold', 'withhold', 'withhold', 'reject-file']),
        maxPercent: choose.one([10, 50, 100]),
      },
      duplicateRows: choose.one(['hold', 'reject', 'warn']),
      maxBytes: choose.happens(0.1) ? 700 : 1_000_000,
    })),
  );
  const batch = { maxRows: choose.between(2, 5) };
  return resolveSettings(Config.parse({ accounts: Object.fromEntries(accounts), folders, batch }), root, {});
}

const HOUR_MS = 3_600_000;

const ACCOUNTS = [
  { name: 'us', server: 'NA', country: 'US', currency: 'USD' },
  { name: 'ca', server: 'NA', country: 'CA', currency: 'CAD' },
  { name: 'uk', server: 'UK', country: 'UK', currency: 'GBP' },
] as const;

/** Only North America has bank operations. */
const OPERATIONS = { NA: ['card', 'ach-charge', 'ach-refund'], UK: ['card'] } as const;
