import { type DashboardConfig, USUAL_DASHBOARD } from '../../schemas/config.ts';
import type { ConfigFault } from './config-faults.ts';
import { isLoopback } from '../kernel/is-loopback.ts';
import { readKeySource, readPublicText, readSecret, valueOrFault } from './config-secret.ts';

/** Where and how the dashboard listens, with its certificate and key read. */
export type DashboardSettings = {
  readonly listen: ListenAddress;
  /** Whether the dashboard was configured. If not, paydrop runs without it when another program has the address. */
  readonly isWanted: boolean;
  /** The address that users type, without a path; undefined for the address it listens on. */
  readonly url: string | undefined;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly openid: OpenIdSettings | undefined;
  readonly trustedProxies: readonly string[];
  /** Whether users may or must set up codes of an app. */
  readonly secondFactor: 'off' | 'optional' | 'required';
  readonly idleMs: number;
  readonly longestMs: number;
  /** How long a log-in is proof enough for an action that moves money. */
  readonly proofMs: number;
};

/** An OpenID provider where dashboard users may log in. */
export type OpenIdSettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly label: string;
};

type Surroundings = { root: string; env: NodeJS.ProcessEnv; faults: ConfigFault[] };

/**
 * Reads where the dashboard listens. It moves money, so an address that other machines can reach needs encryption: its
 * own, or that of a named proxy.
 */
export function readDashboard(
  dashboard: DashboardConfig | undefined,
  { root, env, faults }: Surroundings,
): DashboardSettings | undefined {
  const fromEnvironment = env['PAYDROP_DASHBOARD'];
  const text = fromEnvironment || dashboard?.listen || USUAL_DASHBOARD;
  if (text === 'off') return undefined;
  const path = fromEnvironment ? 'PAYDROP_DASHBOARD' : 'dashboard.listen';
  const listen = readListenAddress(text);
  if (!listen) {
    faults.push({ path, reason: `"${text}" is neither "off" nor host:port, such as ${USUAL_DASHBOARD}` });
    return undefined;
  }
  const trustedProxies = dashboard?.trustedProxies ?? [];
  if (!isLoopback(listen.host) && !dashboard?.tls && trustedProxies.length === 0) {
    const reason = `"${text}" is reachable from other hosts; set dashboard.tls, or dashboard.trustedProxies for a proxy that serves HTTPS`;
    faults.push({ path, reason });
  }
  return {
    listen,
    isWanted: fromEnvironment !== undefined || dashboard !== undefined,
    url: dashboard?.url && new URL(dashboard.url).origin,
    tls: dashboard?.tls && readTls(dashboard.tls, { root, env, faults }),
    openid: dashboard?.openid && readOpenId(dashboard.openid, { root, env, faults }),
    trustedProxies,
    secondFactor: dashboard?.secondFactor ?? 'optional',
    idleMs: (dashboard?.idleMinutes ?? 15) * 60_000,
    longestMs: (dashboard?.longestHours ?? 12) * 3_600_000,
    proofMs: (dashboard?.proofMinutes ?? 10) * 60_000,
  };
}

function readOpenId(
  { issuer, clientSecret, ...rest }: NonNullable<DashboardConfig['openid']>,
  { root, env, faults }: Surroundings,
): OpenIdSettings {
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    faults.push({ path: 'dashboard.openid.issuer', reason: 'its address must begin with https' });
  if (clientSecret === undefined) return { issuer, clientSecret: undefined, ...rest };
  const secret = readSecret(clientSecret, root, env);
  return { issuer, clientSecret: valueOrFault(secret, 'dashboard.openid.clientSecret', faults), ...rest };
}

function readTls({ cert, key }: NonNullable<DashboardConfig['tls']>, { root, env, faults }: Surroundings) {
  return {
    cert: valueOrFault(readPublicText(cert, root, env), 'dashboard.tls.cert', faults),
    key: valueOrFault(readKeySource(key, root, env), 'dashboard.tls.key', faults),
  };
}

/** The address a server listens on. */
export type ListenAddress = { readonly host: string; readonly port: number };

/**
 * Reads `host:port`, with IPv6 in brackets. The host is required: leaving it out would mean all addresses, which is
 * seldom intended. Port 0 means any free port.
 */
export function readListenAddress(text: string): ListenAddress | undefined {
  const [, six, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}
