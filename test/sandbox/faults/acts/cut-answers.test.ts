import { describe, expect, it } from 'vitest';
import {
  announceTooLittle,
  announceTooMuch,
  breakChunk,
  cutAndClose,
  cutAndReset,
  cutChunks,
  cutDocument,
  cutWithoutLength,
  delay,
  drip,
  finish,
  hang,
  reset,
  sendHeadOnly,
  sendWhole,
} from '../../../../src/sandbox/faults/acts/cut-answers.ts';
import type { Step } from '../../../../src/sandbox/faults/steps.ts';
import type { Reply } from '../../../../src/sandbox/reply.ts';
import { bodyOf, CALL, outcomeOf } from '../support/sample-answers.ts';

const REPLY: Reply = { status: 200, contentType: 'text/xml', body: '<a>café</a>' };
const LENGTH = Buffer.byteLength('<a>café</a>');

describe('acts on whole answers', () => {
  it.each<[string, readonly Step[], string, string, Step['do']]>([
    ['sendWhole', sendWhole(REPLY), `Content-Length: ${LENGTH}\r\n`, '<a>café</a>', 'finish'],
    ['sendHeadOnly', sendHeadOnly(REPLY), `Content-Length: ${LENGTH}\r\n`, '', 'hang'],
    ['cutAndClose', cutAndClose(REPLY), `Content-Length: ${LENGTH}\r\n`, '<a>caf', 'finish'],
    ['cutAndReset', cutAndReset(REPLY), `Content-Length: ${LENGTH}\r\n`, '<a>caf', 'reset'],
    ['cutWithoutLength', cutWithoutLength(REPLY), 'Connection: close\r\n\r\n', '<a>caf', 'finish'],
    ['cutDocument', cutDocument(REPLY), 'Content-Length: 6\r\n', '<a>caf', 'finish'],
    ['announceTooMuch', announceTooMuch(REPLY), `Content-Length: ${LENGTH + 100}\r\n`, '<a>café</a>', 'finish'],
    ['announceTooLittle', announceTooLittle(REPLY), 'Content-Length: 0\r\n', '<a>café</a>', 'finish'],
    ['cutChunks', cutChunks(REPLY), 'Transfer-Encoding: chunked\r\n', 'c\r\n<a>café</a>\r\n', 'finish'],
    [
      'breakChunk',
      breakChunk(REPLY),
      'Transfer-Encoding: chunked\r\n',
      'c\r\n<a>café</a>\r\nnot a length\r\nmore\r\n',
      'finish',
    ],
    ['drip', drip(REPLY, CALL), `Content-Length: ${LENGTH}\r\n`, '<a>café</a>', 'finish'],
    ['delay', delay(REPLY, CALL), `Content-Length: ${LENGTH}\r\n`, '<a>café</a>', 'finish'],
  ])('%s', (_name, steps, headers, body, end) => {
    expect(outcomeOf(steps).text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(outcomeOf(steps).text).toContain(headers);
    expect(bodyOf(steps)).toBe(body);
    expect(outcomeOf(steps).end).toBe(end);
  });

  it('says no length where it cuts without one or sends chunks', () => {
    for (const steps of [cutWithoutLength(REPLY), cutChunks(REPLY), breakChunk(REPLY)]) {
      expect(outcomeOf(steps).text).not.toContain('Content-Length');
    }
  });

  it('waits as long as the call says', () => {
    expect(delay(REPLY, CALL)[0]).toEqual({ do: 'wait', ms: 7 });
    expect(drip(REPLY, CALL)[0]).toMatchObject({ do: 'drip', everyMs: 7 });
  });

  it('ends without a word', () => {
    expect([finish(), reset(), hang()]).toEqual([[{ do: 'finish' }], [{ do: 'reset' }], [{ do: 'hang' }]]);
  });
});
