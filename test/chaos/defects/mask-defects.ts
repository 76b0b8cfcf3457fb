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
  {
    name: 'commands echo a typed number',
    about: 'a card number that is typed in the wrong place stands in the message about it',
    file: 'src/cli/print/say.ts',
    find: 'console.error(hideCards(line));',
    replace: 'console.error(line);',
    caughtBy: ['test/cli/hide-typed-numbers.test.ts'],
  },
  {
    name: 'data echoes a typed number',
    about: 'a card number that is typed in the wrong place stands in what the command prints',
    file: 'src/cli/print/say.ts',
    find: 'console.log(hideCards(line));',
    replace: 'console.log(line);',
    caughtBy: ['test/cli/hide-typed-numbers.test.ts'],
  },
  {
    name: 'the log quotes a number',
    about: 'a card number in a value of a log line is written as it is',
    file: 'src/kernel/log.ts',
    find: "if (typeof value === 'string') return hideCards(value);",
    replace: "if (typeof value === 'string') return value;",
    caughtBy: ['test/kernel/log.test.ts'],
  },
];
