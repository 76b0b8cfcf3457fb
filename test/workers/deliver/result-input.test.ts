import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFileRow, readOutputs } from '../../../src/ledger/file/read-file.ts';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { planResubmission } from '../../../src/actions/resubmit.ts';
import { deliverFile } from '../../../workers/deliver/deliver.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { CARD } from '../../support/payment-rows.ts';
import { carryOut } from '../support/resolve-context.ts';
import { linesOf, openProfileFolder } from '../support/story.ts';
import { stepWorld } from '../support/step-world.ts';

const world = stepWorld({ accounts: 4 });

const PROFILE = `layout: card
read: { charset: utf-8, separator: comma }
head: { titles: [Day, Outcome, Payer, Old Card, Due, Brand, Card, Exp] }
columns:
  date: { from: Day, format: DD.MM.YYYY }
  invoice: { from: Outcome }
  firstName: { value: '' }
  lastName: { from: Payer }
  street: { value: '' }
  city: { value: '' }
  state: { value: '' }
  zipCode: { value: '' }
  amount: { from: Due, number: { decimal: ',', group: '.' }, sign: as-written }
  mop: { from: Brand, words: { Visa Card: VISA } }
  cardNumber: { from: Card, strip: [space] }
  expiry: { from: Exp, format: MM/YYYY }
ignore: [Old Card]
`;

const TITLES = 'Day,Outcome,Payer,Old Card,Due,Brand,Card,Exp';
const SPACED = CARD.replace(/(\d{4})(?=\d)/g, '$1 ');

function rowOf(invoice: string, amount: string): string {
  return `15.06.2026,${invoice},"Byron, Ada",was ${CARD},"${amount}",Visa Card,${SPACED},12/2035`;
}

/** Takes a file to its results. */
async function delivered(messageOf: (row: number) => string, ...rows: string[]) {
  const { app, seen } = await openProfileFolder(world, PROFILE);
  const claim = await seen(rows, TITLES);
  await takeClaim(app, claim);
  await intakeFile(app, claim);
  await approveFile(app.ledger, claim.fileId, { actor: 'operator:ada', reason: 'compared' });
  await carryOut(app, claim.fileId, messageOf);
  await deliverFile(app, claim);
  const outputs = await readOutputs(app.ledger, claim.fileId);
  const lines = async (kind: string) => {
    const found = outputs.find((output) => output.kind === kind);
    return found && linesOf(join(app.settings.paths.out, found.name));
  };
  return { app, lines, file: await readFileRow(app.ledger, claim.fileId) };
}

describe('the results of a file that a profile reads', () => {
  it('have the titles and cells of the sender, numbers masked, then the amount that was read, then ours', async () => {
    const { lines, file } = await delivered(() => 'OK: 678594:', rowOf('R-1', '1.234,50'), rowOf('R-2', '20,00'));
    expect(file.state).toBe('completed');
    const [head, first, second, ...more] = (await lines('result'))!;
    expect(more).toEqual([]);
    expect(head).toMatch(
      /^Line,Day,Outcome,Payer,Old Card,Due,Brand,Card,Exp,Amount \(paydrop\),Outcome \(paydrop\),Code,/,
    );
    expect(first).toMatch(
      /^2,15\.06\.2026,R-1,"Byron, Ada",[^,]*,"1\.234,50",Visa Card,[* ]+2220,12\/2035,1234\.50,APPROVED,/,
    );
    expect(second).toContain(',"20,00",Visa Card,');
    expect(second).toContain(',20.00,APPROVED,');
    const digits = [first, second].join().replace(/\d{2,}/g, (run) => (CARD.includes(run) ? run : ''));
    expect(digits).not.toMatch(/\d{5}/);
  });

  it('give rows back for correction under the titles of the sender and the version of the profile', async () => {
    const { lines } = await delivered(
      (row) => (row === 1 ? 'REJECT: 15' : 'OK: 1:'),
      rowOf('R-1', '5,00'),
      rowOf('R-2', '6,00'),
    );
    const all = [...((await lines('rejects')) ?? []), ...((await lines('retry')) ?? [])];
    expect(all[0]).toMatch(/^Day,Outcome,Payer,Old Card,Due,Brand,Card,Exp,Reason \(paydrop [0-9a-f]{8}\)$/);
    expect(all[1]).toMatch(/^15\.06\.2026,R-1,"Byron, Ada",/);
    expect(all).toHaveLength(2);
  });

  it('are not resubmitted, because the folder would refuse rows in the layout', async () => {
    const { app, file } = await delivered(() => 'REJECT: 15', rowOf('R-1', '5,00'));
    await expect(planResubmission(app, file)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});
