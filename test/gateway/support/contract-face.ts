import type { LookupFunction } from 'node:net';
import type { Server } from '../../../schemas/operations.ts';
import type { Currency } from '../../../schemas/restrictions.ts';
import { createGatewayClient, type GatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';

/** One regional face of the service, according to its specification. */
type Face = {
  readonly server: Server;
  readonly currency: Currency;
  /** What the face accepts, as `currency method`. */
  readonly accepted: readonly string[];
};

export const FACES: readonly Face[] = [
  {
    server: 'NA',
    currency: 'USD',
    accepted: ['USD VISA', 'USD MC', 'USD AMX', 'USD DSC', 'CAD VISA', 'CAD MC', 'CAD AMX'],
  },
  {
    server: 'UK',
    currency: 'GBP',
    accepted: ['GBP VISA', 'GBP MC', 'GBP AMX', 'GBP MAESTR', 'EUR VISA', 'EUR MC', 'EUR AMX'],
  },
];

export type OpenFace = {
  readonly client: GatewayClient;
  readonly sandbox: Sandbox;
  /** Connections that the client has started, including failed ones. */
  connections(): number;
};

/** Starts a sandbox whose only account is on that server, and a client for it. It begins on June 15, 2026. */
export async function openFace({ server, currency }: Pick<Face, 'server' | 'currency'>): Promise<OpenFace> {
  const login = { agentCode: 'TEST88', password: 'TEST88' };
  const sandbox = await startSandbox({ now: '2026-06-15T10:00:00Z', accounts: [{ ...login, server }] });
  let count = 0;
  // Each connection looks up its host anew, so lookups count them.
  const lookup: LookupFunction = (_host, options, done) => {
    count += 1;
    if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
    else done(null, '127.0.0.1', 4);
  };
  const baseUrl = `http://localhost:${sandbox.port}`;
  const client = createGatewayClient({ server, currency, ...login, baseUrl }, { lookup });
  return { client, sandbox, connections: () => count };
}

/** Payments and records of the contract suite, and how it takes ids out of answers. */

export const CARD = '4222222222222220';
export const MAGIC_CARD = '4111111111111111';
export const PERSON = {
  firstName: 'Ada',
  lastName: "O'Byron & Söhne",
  address: '1 <Mill> Lane',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
};
export const PAYMENT = { ...PERSON, creditCardNum: CARD, creditCardExpiry: '12/35', cvv2: '000', mop: 'VISA' } as const;
export const BANK = { accountNum: '02100002100000000000000001', accountType: 'CHECKING' } as const;
export const RECORD = {
  ...PERSON,
  companyName: 'Engine Co.',
  phone: '555-555-1234',
  fax: '555-555-4321',
  alternatePhone: '555-555-5555',
  email: 'ada@example.com',
  comment: 'note; "quoted", too',
  country: 'US',
  title: 'Dr.',
  item1: 'one',
  item2: 'two',
  item3: 'three',
  item4: 'four',
  item5: 'five',
  item6: '123456789012',
};
export const SCHEDULE = {
  recurring: true,
  amount: '5.00',
  beginDate: new Date('2026-07-01T00:00:00Z'),
  endDate: new Date('2031-06-30T00:00:00Z'),
  scheduleType: 'Monthly',
  scheduleDate: '28',
} as const;
export const NEW_CARD = {
  ...RECORD,
  ...SCHEDULE,
  customerIPAddress: '10.0.0.1',
  creditCardCustomerName: 'Ada Byron',
  creditCardNum: CARD,
  creditCardExpiry: '12/35',
  mop: 'VISA',
} as const;
export const DAY = { customerCode: '', fromDate: '2026-06-15T00:00:00Z', toDate: '2026-06-16T00:00:00Z' };
type WithResult = { kind: string; result?: { transactionId?: string | null; customerCode?: string | null } };

export function idOf(answer: WithResult): string {
  return answer.result?.transactionId ?? 'none';
}

export function codeOf(answer: WithResult): string {
  return answer.result?.customerCode ?? 'none';
}
