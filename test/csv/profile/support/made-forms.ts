/** How an accounting system writes amounts. `writing` is its way to write 1234.56. */
export type NumberDialect = {
  readonly writing: string;
  readonly mayBeWhole: boolean;
  readonly isCents: boolean;
  readonly write: (cents: number) => string;
};

type Marks = {
  readonly decimal: string;
  readonly group: string;
  readonly symbol?: string;
  readonly brackets?: true;
  readonly trims?: true;
};

function dialect({ decimal, group, symbol = '', brackets, trims }: Marks): NumberDialect {
  return {
    writing: `1${group}234${decimal}56`,
    mayBeWhole: trims === true,
    isCents: false,
    write: (cents) => {
      const [whole, decimals] = [
        String(Math.trunc(Math.abs(cents) / 100)),
        String(Math.abs(cents) % 100).padStart(2, '0'),
      ];
      const digits = whole.replace(/\d(?=(?:\d{3})+$)/g, `$&${group}`);
      const number = trims && decimals === '00' ? digits : `${digits}${decimal}${decimals}`;
      const shown = symbol === '' ? number : symbol === '€' ? `${number} €` : `${symbol}${number}`;
      if (cents >= 0) return shown;
      return brackets ? `(${shown})` : `-${shown}`;
    },
  };
}

export const NUMBER_DIALECTS: readonly NumberDialect[] = [
  dialect({ decimal: '.', group: '' }),
  dialect({ decimal: '.', group: ',' }),
  dialect({ decimal: '.', group: ',', symbol: '$', brackets: true }),
  dialect({ decimal: ',', group: '.' }),
  dialect({ decimal: ',', group: '.', symbol: '€' }),
  dialect({ decimal: ',', group: '' }),
  dialect({ decimal: ',', group: ' ' }),
  dialect({ decimal: '.', group: "'" }),
  dialect({ decimal: '.', group: '', trims: true }),
  dialect({ decimal: ',', group: '.', trims: true }),
  {
    writing: '0000123456',
    mayBeWhole: false,
    isCents: true,
    write: (cents) => `${cents < 0 ? '-' : ''}${String(Math.abs(cents)).padStart(10, '0')}`,
  },
];

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Forms of dates. `form` is what a person says who knows it. */
export const DATE_FORMS: readonly { readonly form: string; readonly write: (date: string) => string }[] = [
  { form: 'YYYY-MM-DD', write: (date) => date },
  { form: 'MM/DD/YYYY', write: (date) => `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}` },
  { form: 'DD/MM/YYYY', write: (date) => `${date.slice(8)}/${date.slice(5, 7)}/${date.slice(0, 4)}` },
  { form: 'DD.MM.YYYY', write: (date) => `${date.slice(8)}.${date.slice(5, 7)}.${date.slice(0, 4)}` },
  { form: 'M/D/YYYY', write: (date) => `${Number(date.slice(5, 7))}/${Number(date.slice(8))}/${date.slice(0, 4)}` },
  { form: 'DD-MM-YY', write: (date) => `${date.slice(8)}-${date.slice(5, 7)}-${date.slice(2, 4)}` },
  {
    form: 'DD MMM YYYY en',
    write: (date) => `${date.slice(8)} ${MONTHS[Number(date.slice(5, 7)) - 1]} ${date.slice(0, 4)}`,
  },
  { form: 'MM/DD/YYYY and a time', write: (date) => `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)} 10:15` },
];

export const EXPIRY_FORMS: readonly { readonly form: string; readonly write: (expiry: string) => string }[] = [
  { form: 'MM/YY', write: (expiry) => `${expiry.slice(5)}/${expiry.slice(2, 4)}` },
  { form: 'MM/YYYY', write: (expiry) => `${expiry.slice(5)}/${expiry.slice(0, 4)}` },
  { form: 'MMYY', write: (expiry) => `${expiry.slice(5)}${expiry.slice(2, 4)}` },
  { form: 'YYMM', write: (expiry) => `${expiry.slice(2, 4)}${expiry.slice(5)}` },
  { form: 'YYYY-MM', write: (expiry) => expiry },
  { form: 'MMM-YY en', write: (expiry) => `${MONTHS[Number(expiry.slice(5)) - 1]}-${expiry.slice(2, 4)}` },
];

/** Two ways to write each word. The statuses are `payable` and `left out`. */
export const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  VISA: ['Visa', 'VISA'],
  MC: ['MasterCard', 'Mastercard'],
  AMX: ['American Express', 'Amex'],
  DSC: ['Discover', 'DISC'],
  MAESTR: ['Maestro', 'MAESTRO'],
  CHECKING: ['Checking', 'Chequing'],
  SAVING: ['Savings', 'SAV'],
  statusEn: ['Open', 'Paid'],
  statusDe: ['offen', 'bezahlt'],
  statusFr: ['à payer', 'réglé'],
};
