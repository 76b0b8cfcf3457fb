import { parseArgs } from 'node:util';

type Options = Record<string, { type: 'string'; default?: string } | { type: 'boolean'; default: false }>;

/**
 * Reads the options of `npm run <program>`. Ends the process after help, and with status 2 when it does not understand.
 * Numeric options take whole numbers, and 0 only where `mayBeZero` names them: a run of nothing would look fine.
 */
export function readOptions<const Named extends Options>(
  program: string,
  options: Named,
  mayBeZero: readonly (keyof Named)[] = [],
) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', default: false } } });
    if ((values as { help?: boolean }).help) {
      process.stdout.write(`${usageOf(program, options)}\n`);
      process.exit(0);
    }
    for (const [name, option] of Object.entries(options)) {
      const value = (values as Record<string, unknown>)[name];
      if (!isNumber(option.default)) continue;
      const least = mayBeZero.includes(name) ? 0 : 1;
      if (!isNumber(value) || Number(value) < least)
        throw new Error(`--${name} takes a whole number from ${least}, not "${String(value)}"`);
    }
    return values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usageOf(program, options)}\n`);
    process.exit(2);
  }
}

function usageOf(program: string, options: Options): string {
  const words = Object.entries(options).map(([name, { type, default: usual }]) =>
    type === 'boolean' ? `[--${name}]` : `[--${name} ${usual ?? '…'}]`,
  );
  return `npm run ${program} -- ${words.join(' ')}`;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'string' && /^\d+$/.test(value) && Number.isSafeInteger(Number(value));
}
