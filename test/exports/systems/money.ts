import type { ColumnRule } from '../../../schemas/profiles.ts';

/** How a system writes money: the rule of the profile, and the writing itself. */
export type Money = {
  readonly number: NonNullable<ColumnRule['number']>;
  readonly write: (cents: number) => string;
};

type Marks = {
  readonly decimal: '.' | ',';
  readonly group?: ',' | '.' | 'space' | 'apostrophe';
  readonly symbol?: '$' | '€' | 'CHF';
  readonly negative?: 'minus' | 'trailing-minus' | 'parentheses';
  /** 25.00 is written 25, and 25.50 is written 25.5. */
  readonly trims?: true;
};

const GROUPS = { ',': ',', '.': '.', space: ' ', apostrophe: "'", none: '' } as const;

function money({ decimal, group, symbol, negative = 'minus', trims }: Marks): Money {
  const mark = GROUPS[group ?? 'none'];
  const number = {
    decimal,
    group: group ?? 'none',
    places: trims ? '1..2' : 2,
    whole: trims ? 'allow' : 'refuse',
    negative: [negative],
    unit: 'money',
    ...(symbol && { symbol }),
  } as const satisfies Money['number'];
  const shown = (digits: string) => {
    if (symbol === undefined) return digits;
    return symbol === '€' ? `${digits} €` : `${symbol}${symbol === '$' ? '' : ' '}${digits}`;
  };
  const write = (cents: number) => {
    const all = String(Math.abs(cents)).padStart(3, '0');
    const whole = all.slice(0, -2).replace(/\d(?=(?:\d{3})+$)/g, `$&${mark}`);
    const decimals = trims ? all.slice(-2).replace(/0+$/, '') : all.slice(-2);
    const text = shown(decimals === '' ? whole : `${whole}${decimal}${decimals}`);
    return cents < 0 ? SIGNED[negative](text) : text;
  };
  return { number: { ...number, negative: [...number.negative] }, write };
}

const SIGNED = {
  minus: (text: string) => `-${text}`,
  'trailing-minus': (text: string) => `${text}-`,
  parentheses: (text: string) => `(${text})`,
};

/** The ways to write 1234.56. */
export const MONEY = {
  plain: money({ decimal: '.' }),
  us: money({ decimal: '.', group: ',' }),
  dollar: money({ decimal: '.', group: ',', symbol: '$', negative: 'parentheses' }),
  german: money({ decimal: ',', group: '.', negative: 'trailing-minus' }),
  euro: money({ decimal: ',', group: '.', symbol: '€' }),
  french: money({ decimal: ',', group: 'space' }),
  comma: money({ decimal: ',' }),
  swiss: money({ decimal: '.', group: 'apostrophe', symbol: 'CHF' }),
  trimmed: money({ decimal: '.', trims: true }),
  trimmedGerman: money({ decimal: ',', group: '.', trims: true }),
  cents: {
    number: { group: 'none', places: 2, whole: 'refuse', negative: ['minus'], unit: 'cents', digits: 10 },
    write: (cents: number) => `${cents < 0 ? '-' : ''}${String(Math.abs(cents)).padStart(10, '0')}`,
  },
} satisfies Readonly<Record<string, Money>>;
