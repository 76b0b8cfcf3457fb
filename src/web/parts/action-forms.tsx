import { ACTIONS } from '../../../schemas/actions.ts';
import { maskReason } from '../../kernel/mask.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Ask, Fact, Facts as FactRows, Filled, HandledAction, Listing, Plan } from '../../actions/action.ts';
import type { RowPlace } from '../../ledger/row/read-payment.ts';
import { type Column, Facts, Section, Table } from './blocks.tsx';
import { ChoiceField, FaultSummary, FileField, LongTextField, TextField } from './form.tsx';
import { Token } from './page.tsx';
import { ProofField } from './proof-field.tsx';
import { Moment, Money, PaymentLink, said } from './words.tsx';

/** Shows what would happen, with everything that a person should compare. */
export function PlanView({ plan: { says, facts = [], listing } }: { plan: Plan }) {
  return (
    <Section title="What happens">
      {says.map((sentence) => (
        <p key={sentence}>{said(sentence)}</p>
      ))}
      {facts.length > 0 && <FactList facts={facts} />}
      {listing && <ListingTable listing={listing} />}
    </Section>
  );
}

/** Shows names and values; entries without a value are left out. */
export function FactList({ facts }: { facts: FactRows }) {
  return <Facts facts={facts.map(([name, fact]) => [name, fact === '' ? '' : <FactValue key={name} fact={fact} />])} />;
}

function FactValue({ fact }: { fact: Fact }) {
  if (typeof fact === 'string') return <>{said(fact)}</>;
  if ('cents' in fact) return <Money cents={fact.cents} currency={fact.currency} />;
  return <Moment at={fact.at} timeZone={fact.timeZone} />;
}

export function ListingTable({ listing: { label, titles, rows, payments } }: { listing: Listing }) {
  const columns = titles.map((title, index): Column<readonly string[]> => {
    const column = { title, cell: (row: readonly string[]) => row[index] };
    return index === 0 ? { ...column, place: 'name' } : column;
  });
  if (payments) {
    const places = new Map(rows.map((row, index) => [row, payments[index]]));
    columns.push({ title: 'Payment', cell: (row) => linkTo(places.get(row)) });
  }
  return <Table label={label} columns={columns} rows={rows} empty="There is none." />;
}

function linkTo(place: RowPlace | undefined) {
  return place && <PaymentLink {...place}>{`Line ${place.line}`}</PaymentLink>;
}

export type ActionFormProps = {
  readonly viewer: Viewer;
  readonly action: HandledAction;
  /** Where the form is sent: the address of the page itself, without a query. */
  readonly path: string;
  readonly asks: readonly Ask[];
  readonly filled: Filled;
  readonly fault?: string | undefined;
  /** Address of the list from which the user came. */
  readonly from?: string | undefined;
};

/** What the form asks for beside the reason, when the user's last log-in was a while ago. */
export type Proof = Parameters<typeof ProofField>[0];

type DoFormProps = ActionFormProps & {
  readonly plan: Plan;
  readonly bind: string;
  readonly picks: readonly Ask[];
  readonly reason?: string;
  readonly proof?: Proof | undefined;
};

/** Shows the form that does it, as the main thing on a page. */
export function DoForm(props: DoFormProps) {
  return (
    <Section title="Confirm">
      <BareForm {...props} />
    </Section>
  );
}

/**
 * Shows only the form. It sends the inputs and the mark of the plan along.
 * @param within tells its fields apart from those of other forms on the page
 * @param isMain whether its button is the filled one of the page
 */
export function BareForm({
  plan,
  bind,
  picks,
  reason = '',
  proof,
  within,
  isMain = true,
  ...form
}: DoFormProps & { within?: string; isMain?: boolean }) {
  const { viewer, action, path, asks, filled, fault, from } = form;
  const { label, destructive, reason: isReasonAsked } = ACTIONS[action];
  const files = picks.filter(({ kind }) => kind === 'file');
  const isReasonMissing = fault !== undefined && isReasonAsked === 'asked' && reason === '';
  return (
    <form method="post" action={path} enctype={enctypeOf(picks)}>
      <Token viewer={viewer} />
      <input type="hidden" name="bind" value={bind} />
      <input type="hidden" name="shown" value={plan.says.join('\n')} />
      {from && <input type="hidden" name="from" value={from} />}
      {picks
        .filter(({ kind }) => kind !== 'file')
        .map(({ name }) => (
          <input key={name} type="hidden" name={name} value={filled[name] ?? ''} />
        ))}
      {fault && <FaultSummary faults={[{ says: fault, field: isReasonMissing ? 'reason' : undefined }]} />}
      {files.map((ask) => (
        <AskField key={ask.name} ask={{ ...ask, hint: 'Choose the same file again.' }} value="" />
      ))}
      {asks.map((ask) => (
        <AskField key={ask.name} ask={ask} value={filled[ask.name] ?? ''} />
      ))}
      {isReasonAsked === 'asked' && (
        <TextField
          name="reason"
          within={within}
          label="Reason"
          hint="For the audit trail. No card or account numbers."
          value={reason}
          fault={isReasonMissing ? 'Enter a reason.' : undefined}
          isRequired
        />
      )}
      {proof && <ProofField {...proof} within={within} />}
      {proof?.proof.by !== 'openid' && (
        <button type="submit" class={destructive === 'irreversible' ? 'irreversible' : isMain ? 'main' : undefined}>
          {plan.button ?? label}
        </button>
      )}
    </form>
  );
}

/** Shows the form for the inputs of the plan. It only leads to the plan. */
export function PickForm({
  title,
  isMain = false,
  viewer,
  path,
  asks,
  filled,
  fault,
  from,
}: ActionFormProps & { title: string; isMain?: boolean }) {
  return (
    <Section title={title}>
      <form method="post" action={path} enctype={enctypeOf(asks)}>
        <Token viewer={viewer} />
        {from && <input type="hidden" name="from" value={from} />}
        {fault && <FaultSummary faults={[{ says: fault }]} />}
        {asks.map((ask) => (
          <AskField key={ask.name} ask={ask} value={filled[ask.name] ?? ''} />
        ))}
        <button type="submit" class={isMain ? 'main' : undefined}>
          Show what would happen
        </button>
      </form>
    </Section>
  );
}

function AskField({ ask, value }: { ask: Ask; value: string }) {
  const { name, label, hint, kind, choices = [], isRequired = false } = ask;
  const field = { name, label, ...(hint !== undefined && { hint }) };
  switch (kind) {
    case 'text':
      return <TextField {...field} value={value} isRequired={isRequired} autocomplete="off" />;
    case 'long':
      return <LongTextField {...field} value={maskReason(value)} isRequired={isRequired} />;
    case 'choice':
      return <ChoiceField {...field} choices={choices} value={value} />;
    case 'file':
      return <FileField {...field} isRequired={isRequired} />;
  }
}

function enctypeOf(asks: readonly Ask[]): 'multipart/form-data' | undefined {
  return asks.some(({ kind }) => kind === 'file') ? 'multipart/form-data' : undefined;
}
