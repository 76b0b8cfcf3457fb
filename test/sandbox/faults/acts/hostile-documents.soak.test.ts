import { describe, expect, it } from 'vitest';
import * as acts from '../../../../src/sandbox/faults/acts/hostile-documents.ts';
import type { Reply } from '../../../../src/sandbox/reply.ts';
import { faultReply } from '../../../../src/sandbox/soap/write-envelope.ts';
import { bodyOf, CHARGE, outcomeOf } from '../support/sample-answers.ts';

const WHOLE = String(CHARGE.body);
const INSIDE = /(?=<\/IATSRESPONSE>)/;

describe('hostile documents', () => {
  it.each<[string, (reply: Reply) => Parameters<typeof bodyOf>[0], string]>([
    ['sendHtmlEntity', acts.sendHtmlEntity, '<NOTE>&nbsp;</NOTE>'],
    ['sendComment', acts.sendComment, '<!-- <STATUS>Failure</STATUS> -->'],
    ['sendCdata', acts.sendCdata, '<NOTE><![CDATA[<STATUS>Failure</STATUS>]]></NOTE>'],
    ['referWithin', acts.referWithin, '<NOTE href="#n1" /><NOTE id="n1">Failure</NOTE>'],
  ])('%s adds to the end of the answer', (_name, act, added) => {
    expect(bodyOf(act(CHARGE))).toBe(WHOLE.replace(INSIDE, added));
  });

  it('sendBomb declares entities of entities and uses the largest', () => {
    const body = bodyOf(acts.sendBomb(CHARGE));
    expect(body).toMatch(/^<\?xml [^>]*\?><!DOCTYPE bomb \[.*<!ENTITY x9 "(?:&x8;){10}">\]><soap:Envelope/);
    expect(body).toContain('<BOMB>&x9;</BOMB></IATSRESPONSE>');
    expect(body.length).toBeLessThan(3000);
  });

  it('referToFile declares an entity elsewhere', () => {
    const body = bodyOf(acts.referToFile(CHARGE));
    expect(body).toMatch(/<!DOCTYPE far \[<!ENTITY far SYSTEM "http:\/\/127\.0\.0\.1:9\/far\.txt">\]>/);
    expect(body).toContain('<FAR>&far;</FAR></IATSRESPONSE>');
  });

  it('nestDeeply opens and closes as often', () => {
    const body = bodyOf(acts.nestDeeply(CHARGE));
    expect(body.match(/<N>/g)).toHaveLength(100_000);
    expect(body.match(/<\/N>/g)).toHaveLength(100_000);
  });

  it('sendTwoDocuments and markByteOrder change what is around the document', () => {
    expect(bodyOf(acts.sendTwoDocuments(CHARGE))).toBe(WHOLE + WHOLE);
    expect(bodyOf(acts.markByteOrder(CHARGE))).toBe(`\uFEFF${WHOLE}`);
  });

  it('padHugely announces and sends 64 MB more', () => {
    const { text, bytes, end } = outcomeOf(acts.padHugely(CHARGE));
    const announced = Number(/Content-Length: (\d+)/.exec(text.slice(0, 500))?.[1]);
    expect(announced).toBe(Buffer.byteLength(WHOLE) + 64 * 1024 * 1024);
    expect(bytes.length - bytes.indexOf('\r\n\r\n') - 4).toBe(announced);
    expect(end).toBe('finish');
  });

  it('breakCharacter is no UTF-8, and encodeUtf16 is UTF-16', () => {
    const broken = outcomeOf(acts.breakCharacter(CHARGE)).bytes;
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(broken)).toThrow();
    const { text, bytes } = outcomeOf(acts.encodeUtf16(CHARGE));
    expect(text).toContain('charset=utf-16\r\n');
    const document = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
    expect(new TextDecoder('utf-16le').decode(document)).toBe(WHOLE.replace('utf-8', 'utf-16'));
  });

  it('goes into a fault as well, which has no such end', () => {
    const fault = faultReply({ version: '1.2', blame: 'server', fault: 'x' });
    expect(bodyOf(acts.sendComment(fault))).toContain('--></soap:Body>');
  });
});
