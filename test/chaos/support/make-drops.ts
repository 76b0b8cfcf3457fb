import { passesLuhn } from '../../../src/kernel/luhn.ts';
import { agentCodeOf } from '../../support/installation.ts';
import { achRow, cardRow, codeRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';

/** A row as it was dropped; books, ledger and outputs must agree with it. */
export type DroppedRow = { line: number; invoice: string; cents: number; isValid: boolean };

export type Drop = {
  account: string;
  folder: 'card' | 'ach-charge' | 'ach-refund';
  name: string;
  content: string;
  /** Its control file, dropped before it. */
  sidecar?: string;
  /**
   * The outcome that the file must have. One that comes `again` is refused because its payments are in an earlier one. One
   * that is `altered` since it was sent and forgotten is refused or accepted, as long as no payment is made twice.
   */
  verdict: 'accept' | 'refuse' | 'again' | 'altered';
  rows: DroppedRow[];
  /** Agent code of the merchant for whom it is; by default, the one that its account had at first. */
  payee?: string;
};

/** Returns the agent code of the merchant at whom a drop is charged. */
export function payeeOf({ account, payee }: Pick<Drop, 'account' | 'payee'>): string {
  return payee ?? agentCodeOf(account);
}

/** Returns the account at the same service with which an account may exchange its agent code. */
export function partnerOf(account: string): string {
  return besideOf(account, 'partner');
}

/** Returns another name with the number of an account, so that it has the same layouts. */
export function besideOf(account: string, word: string): string {
  return `${word}-${numberOf(account)}`;
}

function numberOf(account: string): string {
  return /\d+$/.exec(account)?.[0] ?? '0';
}

/** Returns the same bytes as a file that comes again, under another name or in a folder of another account. */
export function comingAgain(drop: Drop, { account = drop.account, mark = '' } = {}): Drop {
  const verdict = drop.verdict === 'accept' ? 'again' : 'refuse';
  return { ...drop, account, name: nameWith(drop.name, mark), verdict };
}

/** Returns the same payments with one row less or more at the end, as a sender corrects a file. */
export function altered(drop: Drop, how: 'less' | 'more', { account = drop.account, verdict }: Alteration): Drop {
  const { sidecar: _, ...plain } = drop;
  const about = { ...plain, account, verdict, name: nameWith(drop.name, `-${how}`) } as const;
  const lineEnd = drop.content.includes('\r\n') ? '\r\n' : '\n';
  const text = drop.content.split(lineEnd).slice(0, -1);
  if (how === 'less') return { ...about, content: lines(text.slice(0, -1), lineEnd), rows: drop.rows.slice(0, -1) };
  const last = drop.rows.at(-1)!;
  const more = { ...last, line: last.line + 1, invoice: last.invoice.replace(/\d+$/, 'Z') };
  const row = text.at(-1)!.replace(last.invoice, more.invoice);
  return { ...about, content: lines([...text, row], lineEnd), rows: [...drop.rows, more] };
}

type Alteration = { account?: string; verdict: 'again' | 'altered' };

function nameWith(name: string, mark: string): string {
  return name.replace('.csv', `${mark}.csv`);
}

/** Numbers that are searched for in every byte left behind. */
export type Canaries = { card: string; bank: string };

export function makeCanaries(random: () => number): Canaries {
  const digits = (count: number) =>
    upTo(count)
      .map(() => Math.floor(random() * 10))
      .join('');
  const start = `451234${digits(9)}`;
  const card = upTo(10)
    .map((n) => `${start}${n % 10}`)
    .find(passesLuhn)!;
  return { card, bank: `021000021${digits(15)}` };
}

export function canaryNumbers({ card, bank }: Canaries): string[] {
  return [card, bank, MAGIC_CARD];
}

/** Returns whether an account is Canadian; those have a card layout of their own. */
export function isCanadian(account: string): boolean {
  return Number(numberOf(account)) % 3 === 2;
}

/**
 * Makes the files of one act, all for one account. Cards have declined and withheld rows in two batches, and bank
 * charges have a control file. One act in four also has a file that must be refused. Layouts change from act to act.
 */
export function makeDrops(account: string, random: () => number, canaries: Canaries): Drop[] {
  const byCode = random() < 0.5;
  const drops = [cardDrop(account, random, canaries, random() < 0.25), bankDrop(account, random, canaries, byCode)];
  drops.push(refundDrop(account, random, canaries, !byCode));
  if (random() < 0.25) drops.push(badDrop(account, random));
  return drops;
}

/** Makes a file of one payment that the service declines, for a person to send again. */
export function declinedDrop(account: string): Drop {
  const invoice = `${account}-D1`;
  const row = isCanadian(account)
    ? `06/15/2026,${invoice},Ada Byron,2.00,VISA,${MAGIC_CARD},12/35`
    : cardRow(1, { invoice, amount: '2.00', card: MAGIC_CARD });
  const rows = [{ line: 1, invoice, cents: 200, isValid: true }];
  return { account, folder: 'card', name: `${account}-declined.csv`, content: lines([row]), verdict: 'accept', rows };
}

type Cells = { invoice: string; amount: string };

function cardDrop(account: string, random: () => number, { card }: Canaries, byCode: boolean): Drop {
  const cells = makeCells(`${account}-C`, 11, random, '');
  const text = cells.map((row, index) => {
    const n = index + 1;
    if (byCode) return codeRow(n, row);
    // Row 3 is declined for its amount; row 7 cannot be read and is withheld.
    const magic = n === 3 ? { amount: '2.00', card: MAGIC_CARD } : {};
    const broken = n === 7 ? { amount: 'twenty' } : {};
    const full = { card, ...row, ...magic, ...broken };
    return isCanadian(account)
      ? `06/15/2026,${full.invoice},Ada Byron,${full.amount},VISA,${full.card},12/35`
      : cardRow(n, full);
  });
  const rows = rowsOf(cells).map((row) => {
    if (byCode) return row;
    if (row.line === 3) return { ...row, cents: 200 };
    return row.line === 7 ? { ...row, isValid: false } : row;
  });
  return { account, folder: 'card', name: `${account}-card.csv`, content: lines(text), verdict: 'accept', rows };
}

function bankDrop(account: string, random: () => number, { bank }: Canaries, byCode: boolean): Drop {
  const cells = makeCells(`${account}-A`, 4, random, '');
  const text = cells.map((row, index) =>
    byCode ? codeRow(index + 1, row) : achRow(index + 1, { account: bank, ...row }),
  );
  const rows = rowsOf(cells);
  const total = (rows.reduce((sum, row) => sum + row.cents, 0) / 100).toFixed(2);
  return {
    account,
    folder: 'ach-charge',
    name: `${account}-ach.csv`,
    content: lines(text, '\r\n'),
    sidecar: `rows=${rows.length}\ntotal=${total}\n`,
    verdict: 'accept',
    rows,
  };
}

function refundDrop(account: string, random: () => number, { bank }: Canaries, byCode: boolean): Drop {
  const cells = makeCells(`${account}-R`, 3, random, '-');
  const text = cells.map((row, index) =>
    byCode ? codeRow(index + 1, row) : achRow(index + 1, { account: bank, ...row }),
  );
  const name = `${account}-back.csv`;
  return { account, folder: 'ach-refund', name, content: lines(text), verdict: 'accept', rows: rowsOf(cells) };
}

/** Makes a file to be refused: its control file describes another file, or its rows fit no layout. */
function badDrop(account: string, random: () => number): Drop {
  const cells = makeCells(`${account}-X`, 3, random, '');
  const about = { account, folder: 'ach-charge', verdict: 'refuse' } as const;
  if (random() < 0.5) {
    const content = lines(cells.map((row, index) => codeRow(index + 1, row)));
    return { ...about, name: `${account}-other.csv`, content, sidecar: 'rows=99\n', rows: rowsOf(cells) };
  }
  const content = lines(cells.map((row) => `${row.invoice},${row.amount}`));
  return { ...about, name: `${account}-odd.csv`, content, rows: rowsOf(cells) };
}

function makeCells(prefix: string, count: number, random: () => number, sign: '' | '-'): Cells[] {
  return upTo(count).map((n) => ({
    invoice: `${prefix}${n}`,
    amount: `${sign}${20 + Math.floor(random() * 80)}.${String(Math.floor(random() * 100)).padStart(2, '0')}`,
  }));
}

function rowsOf(cells: readonly Cells[]): DroppedRow[] {
  return cells.map(({ invoice, amount }, index) => ({
    line: index + 1,
    invoice,
    cents: Math.round(Number(amount) * 100),
    isValid: true,
  }));
}
