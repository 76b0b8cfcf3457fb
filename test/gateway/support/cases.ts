import type { GatewaySettings } from '../../../src/gateway/create-gateway.ts';

/** Each would stand out in any log. Card and account are test numbers. */
export const CANARIES = {
  agentCode: 'AGENTCANARY',
  password: 'p&ss<CANARY>"word',
  name: 'Canarybird',
  card: '4222222222222220',
  account: '02100002100000000000000001',
};

export const ROWS = [
  `06/15/2026,INV-9001,${CANARIES.name},Byron,1 Some Road,Troy,NY,12180,5.00,VISA,${CANARIES.card},1230`,
  `INV-9002,${CANARIES.name},Byron,CHECKING,${CANARIES.account},5.00,Gift`,
];

export const BODY = Buffer.from(ROWS.join('\n'));

export function settingsFor(baseUrl: string, more: Partial<GatewaySettings> = {}): GatewaySettings {
  return { server: 'NA', agentCode: CANARIES.agentCode, password: CANARIES.password, baseUrl, ...more };
}

/** Everything that must never appear outside the gateway's folder. */
export const SECRETS: readonly string[] = [
  CANARIES.agentCode,
  CANARIES.password,
  CANARIES.password.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  CANARIES.name,
  CANARIES.card,
  CANARIES.account,
  ...ROWS,
  ...[CANARIES.agentCode, CANARIES.password].map((secret) => Buffer.from(secret).toString('base64').replace(/=+$/, '')),
  ...(BODY.toString('base64').match(/.{20}/g) ?? []),
];
