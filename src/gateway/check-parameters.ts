import { FIELDS, type FieldName, type ServiceLimits } from '../../schemas/fields.ts';
import { type OperationName, OPERATIONS, type Server } from '../../schemas/operations.ts';
import { parametersOf, type WireValues } from '../../schemas/parameters.ts';
import type { ParameterFault } from './answers.ts';

export type CheckedParameters =
  | { kind: 'valid'; values: WireValues }
  | { kind: 'invalid'; faults: readonly ParameterFault[] };

/**
 * Checks the parameters of a call and fills in what the wire requires but the spec lets callers omit. A missing boolean
 * becomes false and a missing date-time becomes now. A quarterly or annual schedule without a day gets an empty one.
 */
export function checkParameters(call: {
  operation: OperationName;
  server: Server;
  limits?: ServiceLimits | undefined;
  parameters: unknown;
  now: Date;
}): CheckedParameters {
  const parsed = parametersOf(call.operation, call.server, call.limits).safeParse(call.parameters);
  if (parsed.success) return { kind: 'valid', values: fillIn(call.operation, parsed.data, call.now) };
  return { kind: 'invalid', faults: faultsOf(parsed.error) };
}

/** Describes each fault of a failed check without quoting any value. */
export function faultsOf(error: SchemaError): ParameterFault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ field: safeName(key), message: 'is not a parameter of this operation' }))
      : [{ field: issue.path.join('.') || 'parameters', message: issue.message }],
  );
}

type SchemaError = NonNullable<ReturnType<ReturnType<typeof parametersOf>['safeParse']>['error']>;

function fillIn(operation: OperationName, values: WireValues, now: Date): WireValues {
  const wire: readonly FieldName[] = OPERATIONS[operation].wire;
  const defaults = wire.flatMap((name): [FieldName, string][] => {
    const { kind } = FIELDS[name];
    if (kind === 'boolean') return [[name, 'false']];
    return kind === 'dateTime' ? [[name, now.toISOString()]] : [];
  });
  // If it were left out, an update would keep the old day with the new schedule type.
  if (values.scheduleType === 'Quarterly' || values.scheduleType === 'Annually') defaults.push(['scheduleDate', '']);
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...defaults, ...given]);
}

/** Hides a key that does not look like a name; it may be a misplaced value. */
function safeName(key: string): string {
  return /^[A-Za-z][A-Za-z0-9]{0,24}$/.test(key) ? key : '(not a name)';
}
