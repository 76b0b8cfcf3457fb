import { type WireOperation, wireRow } from '../../schemas/wire.ts';
import { formatCents } from '../kernel/money.ts';
import { type ServiceName, wireName } from '../../schemas/wsdl.ts';
import { LARGEST_TEST_CENTS, MAGIC_CARDS, type MagicCard } from './batch/magic-cards.ts';
import type { Account } from './handlers/handler.ts';
import { servedOperations } from './handlers/handlers.ts';
import { escapeHtml, htmlReply, type Reply } from './reply.ts';

const VERSIONS = ['', 'v2', 'v3', 'v4'] as const;
const SERVICES: readonly ServiceName[] = ['ProcessLink', 'CustomerLink', 'ReportLink'];

/** Returns the front page: descriptions, accounts, cards and books. Passwords are not shown. */
export function frontPage(baseUrl: string, accounts: readonly Account[]): Reply {
  const served = SERVICES.filter((service) => servedOperations(service).length > 0);
  const addresses = served.flatMap((service) =>
    VERSIONS.map((version) => `${baseUrl}/NetGate/${service}${version}.asmx?WSDL`),
  );
  return htmlReply(
    200,
    'Payment service sandbox',
    [
      '<p>A stand-in for the payment service, for trying and testing. No money moves here.</p>',
      `<h2>Descriptions</h2>${listOf(addresses.map((address) => linkTo(address, address)))}`,
      `<h2>Accounts</h2>${listOf(accounts.map(describeAccount))}`,
      `<h2>Cards</h2>${listOf([...MAGIC_CARDS.map(describeCard), ...OTHER_CARDS])}`,
      `<h2>Books</h2><p>${linkTo('/sandbox/books', 'Every row that was taken, one JSON object a line')}</p>`,
    ].join(''),
  );
}

/** Returns the page of a service: its operations and their elements. */
export function helpPage(service: ServiceName, address: string, operations: readonly WireOperation[]): Reply {
  const items = operations.map((operation) => {
    const { purpose, elements } = wireRow(operation);
    return `${wireName(operation)}: ${purpose} (${['agentCode', 'password', ...elements].join(', ')})`;
  });
  const description = linkTo(`${address}?WSDL`, 'service description');
  return htmlReply(200, service, `<p>The ${description} is the formal definition.</p>${listOf(items.map(escapeHtml))}`);
}

const OTHER_CARDS = [
  `Any card above ${formatCents(LARGEST_TEST_CENTS)}: REJECT: 39`,
  'A card whose check digit is wrong: REJECT: 40',
  'Any other card: OK: 678594:',
  'A refund: as its card says above, but REJECT: 15 for 4111111111111111, and of other cards when it exceeds the charge',
  'In a batch, a customer code that is empty, begins with X, or pays another way: REJECT: 3; a stored card as above',
  'In a single charge, a customer code without a record, or one that pays another way: REJECT: 3',
  'A bank account: Received in a batch, OK: 555555: in a single charge',
];

function describeAccount({ agentCode, server }: Account): string {
  return `${escapeHtml(agentCode)} (${server ?? 'NA and UK'})`;
}

function describeCard({ number, amounts, otherwise }: MagicCard): string {
  const single = amounts.map(
    ({ cents, message, onBadAddress, onCode }) =>
      `${cents.map(formatCents).join(', ')}: ${message}${onBadAddress ? ` (bad IP address: ${onBadAddress})` : ''}` +
      (onCode ? ` (security code ${onCode.code}: ${onCode.message})` : ''),
  );
  return escapeHtml(
    `${number}: ${[...single, `${single.length > 0 ? 'other' : 'all'} amounts: ${otherwise}`].join('; ')}`,
  );
}

function linkTo(address: string, text: string): string {
  return `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
}

function listOf(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}
