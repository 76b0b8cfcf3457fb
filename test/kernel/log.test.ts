import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { FIELDS } from '../../schemas/fields.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { countLines, LOG_LEVELS, openLog, silentLog } from '../../src/kernel/log.ts';
import { holdsCardNumber, maskText } from '../../src/kernel/mask.ts';

const CARD = '4222222222222220';

const SECRET_FIELDS = Object.entries(FIELDS).flatMap(([name, field]) => ('secret' in field ? [name] : []));
const OTHER_SECRETS = [
  'agentCode',
  'password',
  'masterKey',
  'databaseUrl',
  'redisUrl',
  'cardNumber',
  'accountNumber',
  'number',
  'canonical',
  'cells',
];

describe('openLog', () => {
  it('writes one line of JSON with time, level and text, and nothing about the machine', () => {
    const { log, lines } = collect();
    log.info({ fileId: 'abc', rows: 3 }, 'file checked');
    expect(lines()).toEqual([
      { level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), fileId: 'abc', rows: 3, msg: 'file checked' },
    ]);
  });

  it('knows the fields that the tables call secret', () => {
    expect(SECRET_FIELDS).toEqual(
      expect.arrayContaining(['accountNum', 'creditCardNum', 'ccNum', 'cvv2', 'batchFile']),
    );
  });

  it.each([...SECRET_FIELDS, ...OTHER_SECRETS])('hides %s at the top and one level down', (name) => {
    const { log, lines, text } = collect();
    log.info({ [name]: CARD, row: { [name]: CARD, line: 3 } }, 'careless');
    log.child({ [name]: CARD }).info('careless');
    expect(lines()).toMatchObject([
      { [name]: '[hidden]', row: { [name]: '[hidden]', line: 3 } },
      { [name]: '[hidden]' },
    ]);
    expect(text()).not.toContain(CARD);
  });

  it('leaves names that only resemble them', () => {
    const { log, lines } = collect();
    log.info({ batchNo: 1, account: 'main', invoiceNum: 'INV-7' }, 'fine');
    expect(lines()).toMatchObject([{ batchNo: 1, account: 'main', invoiceNum: 'INV-7' }]);
  });

  it('changes nothing in what it is given', () => {
    const { log } = collect();
    const subject = { password: CARD, row: { cells: [CARD] }, err: new Error(CARD) };
    log.error(subject, 'careless');
    expect(subject).toEqual({ password: CARD, row: { cells: [CARD] }, err: new Error(CARD) });
  });

  it.each([
    ['info', ['info', 'warn', 'error']],
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ] as const)('says at level %s: %j', (level, said) => {
    const { log, lines } = collect(level);
    for (const name of LOG_LEVELS) if (name !== 'silent') log[name](name);
    expect(lines().map((line) => line['msg'])).toEqual(said);
  });
});

describe('the log', () => {
  it('masks a card number in a text, in a value, and in an error', () => {
    const { log, text } = collect();
    log.info(`taken: ${CARD}`);
    log.warn({ name: CARD, deep: { list: [`day ${CARD}`] } }, `again ${CARD}`);
    log.error({ err: new PipelineError('USAGE', `read the day ${CARD}`) }, 'refused');
    expect(text()).not.toContain(CARD);
    expect(text()).toContain('************2220');
  });
});

describe('errors in the log', () => {
  const ours = new PipelineError('DISK_FULL', 'write "a"', undefined, { cause: foreign() });
  const described = { type: 'PipelineError', code: 'DISK_FULL', message: ours.message };

  it('are told by type, code and message when they are our own', () => {
    const { log, lines, text } = collect();
    log.error(ours);
    log.error({ err: ours, fileId: 'abc' });
    log.error({ err: ours }, 'it went wrong');
    expect(lines()).toEqual([
      expect.objectContaining({ err: described, msg: ours.message }),
      expect.objectContaining({ err: described, msg: ours.message, fileId: 'abc' }),
      expect.objectContaining({ err: described, msg: 'it went wrong' }),
    ]);
    expect(text()).not.toContain(CARD);
  });

  it.each<[string, (log: ReturnType<typeof openLog>) => void]>([
    ['alone', (log) => log.error(foreign())],
    ['with a text', (log) => log.error(foreign(), 'it went wrong')],
    ['as err', (log) => log.error({ err: foreign() })],
    ['as err with a text', (log) => log.error({ err: foreign() }, 'it went wrong')],
    ['under any name', (log) => log.error({ reason: foreign() }, 'it went wrong')],
    ['deeper', (log) => log.error({ about: { tries: [foreign()] } }, 'it went wrong')],
    ['as a binding', (log) => log.child({ err: foreign() }).error('it went wrong')],
    ['to be printed behind an object', (log) => log.error({ rows: 1 }, 'it went wrong %o', foreign())],
    ['to be printed', (log) => log.error('it went wrong %o', foreign())],
  ])('show nothing of a foreign error given %s', (_, write) => {
    const { log, text, lines } = collect();
    write(log);
    expect(lines()).toHaveLength(1);
    expect(text()).not.toContain(CARD);
    expect(text()).not.toContain('hunter2');
  });

  it.each([
    [foreign(), { type: 'TypeError' }],
    [Object.assign(new Error(CARD), { code: 'ECONNRESET' }), { type: 'Error', code: 'ECONNRESET' }],
    [Object.assign(new Error(CARD), { code: CARD }), { type: 'Error' }],
    [Object.assign(new Error(CARD), { code: `E ${CARD}` }), { type: 'Error' }],
    [new AggregateError([foreign()], CARD), { type: 'AggregateError' }],
  ])('keep of a foreign error type and system code only (case %#)', (error, kept) => {
    const { log, lines } = collect();
    log.error({ err: error }, 'it went wrong');
    expect(lines()[0]?.['err']).toEqual(kept);
  });

  it('bear an object that contains itself', () => {
    const { log, lines } = collect();
    const loop: Record<string, unknown> = { name: 'loop' };
    loop['self'] = loop;
    log.info(loop, 'round');
    expect(lines()).toMatchObject([{ name: 'loop', msg: 'round' }]);
  });
});

it('each line says what its process is, and the instance once it is known', () => {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  const log = openLog({ about: { role: 'submit,poll', version: '0.1.0' }, destination });
  log.warn('before');
  log.setBindings({ instance: 'host-a-1-ab' });
  log.warn('after');
  const [before, after] = written.map((line) => JSON.parse(line));
  expect(before).toMatchObject({ level: 'warn', role: 'submit,poll', version: '0.1.0' });
  expect(after).toMatchObject({ role: 'submit,poll', version: '0.1.0', instance: 'host-a-1-ab' });
});

it('countLines hears of errors only, and of none that is not written', () => {
  const { log } = collect();
  const heard: string[] = [];
  countLines(log, ({ level }) => heard.push(level));
  log.info('fine');
  log.warn('odd');
  log.error('broken');
  log.fatal('over');
  log.level = 'silent';
  log.error('not written');
  expect(heard).toEqual(['error', 'fatal']);
});

it('silentLog says nothing at any level', () => {
  const log = silentLog();
  expect(LOG_LEVELS.filter((level) => level !== 'silent' && log.isLevelEnabled(level))).toEqual([]);
  expect(log.isLevelEnabled('fatal')).toBe(false);
});

/** Returns an error as HTTP clients throw it: with the request in a property and in the message. */
function foreign(): Error {
  const error = new TypeError(`cannot post ${CARD}`, { cause: new Error(CARD) });
  return Object.assign(error, { config: { body: CARD }, lastRequest: `<password>hunter2</password>` });
}

function collect(level = 'info') {
  const written: string[] = [];
  const log = openLog({ level, destination: { write: (line: string) => written.push(line) } });
  return {
    log,
    text: () => written.join(''),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

describe('a card number in a text', () => {
  /** A card number cut into groups, with text between them, in the digits of several scripts. */
  const written = fc
    .tuple(
      fc.constantFrom('4222222222222220', '4111111111111111', '378282246310005', '4012888888881881'),
      fc.constantFrom<number[]>([4, 8, 12], [4, 10], [8], [12], [6], [5, 9]),
      fc.array(fc.string({ unit: fc.constantFrom(...' -./_,:;()#+\u00a0\u2011\u200c|'), minLength: 1, maxLength: 3 }), {
        minLength: 3,
        maxLength: 3,
      }),
      fc.constantFrom(0x30, 0xff10, 0x660, 0x966),
      fc.constantFrom('', 'x ', 'card: ', '(', 'in June, '),
    )
    .map(([number, cuts, gaps, zero, before]) => {
      const digits = [...number].map((digit) => String.fromCodePoint(zero + Number(digit)));
      return (
        before +
        digits.map((digit, place) => (cuts.includes(place) ? gaps[cuts.indexOf(place)]! + digit : digit)).join('')
      );
    });

  it('is found and hidden, whatever stands between its groups and in whatever digits it is written', () => {
    fc.assert(
      fc.property(written, (text) => {
        expect(holdsCardNumber(text)).toBe(true);
        const shown =
          maskText(text)
            .replace('06/15/2026', '')
            .match(/\p{Nd}/gu) ?? [];
        expect(shown.length).toBeLessThanOrEqual(4);
        expect(holdsCardNumber(maskText(text))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
