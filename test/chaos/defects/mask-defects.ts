import type { Defect } from './defects.ts';

/** Defects about what may be shown: numbers that leave, and texts of the service that are cut by our own masking. */
export const MASK_DEFECTS: readonly Defect[] = [
  {
    name: 'letters removed inside words',
    about: 'a short value of a call cuts the words of the service to pieces',
    file: 'src/gateway/remove-whole.ts',
    find: 'const isShown = !standsAlone(text, at, value) || isRejection',
    replace: 'const isShown = isRejection',
    caughtBy: ['test/gateway/remove-whole.test.ts'],
  },
  {
    name: 'words of the service removed',
    about: 'a payer named Error makes the errors of the service unreadable',
    file: 'src/gateway/remove-whole.ts',
    find: 'if (value.length < SHORTEST || isOfService(value)) return text;',
    replace: 'if (value.length < SHORTEST) return text;',
    caughtBy: ['test/gateway/remove-whole.test.ts'],
  },
  {
    name: 'numbers beside letters shown',
    about: 'an account number that follows a letter is shown whole',
    file: 'src/gateway/remove-whole.ts',
    find: 'const isNumber = value.length >= SHORTEST_NUMBER && /^\\d+$/.test(value);',
    replace: 'const isNumber = value.length > text.length;',
    caughtBy: ['test/gateway/remove-whole.test.ts'],
  },
];
