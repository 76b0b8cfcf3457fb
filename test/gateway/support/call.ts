import type { GatewaySettings } from '../../../src/gateway/create-gateway.ts';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import type { CallOptions } from '../../../src/gateway/call-operation.ts';
import type { AnyAnswer } from '../../../src/gateway/answers.ts';
import {
  type ClientWorld,
  createGatewayClient,
  type GatewayClientSettings,
} from '../../../src/gateway/create-gateway-client.ts';

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

export const SECURITY_CODE = '9173';

const SAMPLES: Readonly<Partial<Record<FieldName, unknown>>> = {
  customerIPAddress: '10.0.0.1',
  customerCode: 'A10000001',
  scheduleType: 'Weekly',
  scheduleDate: '7',
  amount: '5.00',
  mop: 'VISA',
  accountType: 'CHECKING',
  accountNum: CANARIES.account,
  creditCardNum: CANARIES.card,
  ccNum: CANARIES.card,
  cvv2: SECURITY_CODE,
  creditCardExpiry: '12/30',
  ccExp: '12/30',
  batchId: '1000001',
  batchFile: BODY,
};

/** Returns every parameter of an operation, valid on NA. Each name and number differs from all other text. */
export function sampleParameters(operation: OperationName): Record<string, unknown> {
  const { required, optional, unstated } = OPERATIONS[operation];
  const names: FieldName[] = [...required, ...optional, ...unstated];
  return Object.fromEntries(names.map((name) => [name, sampleOf(name, operation)]));
}

function sampleOf(name: FieldName, operation: OperationName): unknown {
  if (name === 'total') return operation.includes('Refund') ? '-5.00' : '5.00';
  if (name in SAMPLES) return SAMPLES[name];
  const { kind } = FIELDS[name];
  if (kind === 'boolean') return true;
  return kind === 'dateTime' ? '2026-06-15T10:00:00+02:00' : `${name}Canary`;
}

export const ALL_OPERATIONS = Object.keys(OPERATIONS) as OperationName[];

export type CallSetting = {
  settings?: Partial<GatewayClientSettings>;
  world?: ClientWorld;
  parameters?: unknown;
  options?: CallOptions;
};

/** Calls any operation with all its parameters, as a VISA payment in dollars, without waiting between attempts. */
export function callOn(baseUrl: string, operation: OperationName, setting: CallSetting = {}): Promise<AnyAnswer> {
  const { agentCode, password } = CANARIES;
  const client = createGatewayClient(
    { server: 'NA', agentCode, password, currency: 'USD', baseUrl, ...setting.settings },
    { wait: async () => {}, ...setting.world },
  );
  const method: (parameters: never, options?: CallOptions) => Promise<AnyAnswer> = client[operation];
  const parameters = setting.parameters ?? sampleParameters(operation);
  return method(parameters as never, setting.options ?? { mop: 'VISA' });
}
