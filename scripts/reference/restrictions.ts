import { OPERATIONS } from '../../schemas/operations.ts';
import { CURRENCY_MOPS, RESTRICTION_MESSAGES, SERVER_MOPS } from '../../schemas/restrictions.ts';
import { codes, page, table } from './markdown.ts';

const ROWS = Object.entries(OPERATIONS);

export function renderRestrictions(): string {
  return page(
    '# Restrictions',
    'Which server offers what. paydrop checks this before it sends anything; a restricted call ends with one of two messages and is not made.',
    [
      `1. An operation that the server does not offer: "${RESTRICTION_MESSAGES.server}"`,
      `2. A method of payment that the server does not accept in this currency: "${RESTRICTION_MESSAGES.currency}" It is checked when both are given, and always for operations that require them.`,
    ].join('\n'),
    '## Operations for North America only',
    list(ROWS.filter(([, row]) => row.servers.length === 1)),
    '## Operations that require currency and method of payment',
    list(ROWS.filter(([, row]) => row.checksCurrency)),
    '## Methods of payment by server and currency',
    'Compared exactly, including case. The spec says that the service lists them and does not give the list; this one is known from public clients and is our assumption.',
    table(
      ['Server', 'Currency', 'Methods of payment'],
      Object.entries(CURRENCY_MOPS).flatMap(([server, currencies]) =>
        Object.entries(currencies).map(([currency, mops]) => [server, currency, codes(mops)]),
      ),
    ),
    '## Methods of payment in batch files',
    'The values of the column MOP. `MAESTRO`, `VISA DEBIT` and `MC DEBIT` are taken too, here and in calls, where the table above has them for the server and the currency. They are sent as `MAESTR`, `VISA` and `MC`: the spec has no values for debit cards, and no known client sends any.',
    table(
      ['Server', 'Methods of payment'],
      Object.entries(SERVER_MOPS).map(([server, mops]) => [server, codes(mops)]),
    ),
  );
}

function list(rows: typeof ROWS): string {
  return rows.map(([name]) => `- ${codes([name])}`).join('\n');
}
