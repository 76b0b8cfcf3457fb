import { FIELDS, type FieldName } from './fields.ts';
import { type OperationName, OPERATIONS, type Server } from './operations.ts';
import { REPORT_FIELDS, type ReportField, type ReportName, reportPurpose, REPORTS } from './reports.ts';

/**
 * Everything called over SOAP: the operations of the spec and the reports beyond it. All code that builds, describes,
 * sends or reads a request works from here, so the wire format is defined once.
 */
export type WireOperation = OperationName | ReportName;
export type WireField = FieldName | ReportField;

/** Values as sent in the request: text, `true` or `false`, base64. */
export type CallValues = Readonly<Partial<Record<WireField, string>>>;

export const WIRE_OPERATIONS = [...Object.keys(OPERATIONS), ...Object.keys(REPORTS)] as readonly WireOperation[];

type WireRow = {
  readonly service: 'ProcessLink' | 'CustomerLink' | 'ReportLink';
  readonly servers: readonly Server[];
  readonly effect: 'read' | 'write' | 'charge';
  readonly purpose: string;
  /** In order, after agentCode and password. */
  readonly elements: readonly WireField[];
};

export function wireRow(operation: WireOperation): WireRow {
  if (isReport(operation)) {
    const row = REPORTS[operation];
    const { servers, wire: elements } = row;
    return { service: 'ReportLink', servers, effect: 'read', purpose: reportPurpose(row), elements };
  }
  const { service, servers, effect, purpose, wire } = OPERATIONS[operation];
  return { service, servers, effect, purpose, elements: ['customerIPAddress', ...wire] };
}

export function isReport(operation: WireOperation): operation is ReportName {
  return Object.hasOwn(REPORTS, operation);
}

/** Returns how the value of an element is read and written. */
export function wireKind(field: WireField): (typeof FIELDS)[FieldName]['kind'] {
  return isField(field) ? FIELDS[field].kind : REPORT_FIELDS[field].kind;
}

/** Returns whether a value must never be shown, logged or stored in clear text. */
export function isSecret(field: WireField): boolean {
  return isField(field) && 'secret' in FIELDS[field];
}

function isField(field: WireField): field is FieldName {
  return Object.hasOwn(FIELDS, field);
}
