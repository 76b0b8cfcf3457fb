/** The public API, imported as `paydrop/gateway`. Anything not exported here may change at any time. */
export { type ClientWorld, createGatewayClient } from './create-gateway-client.ts';
export type { GatewayClient, GatewayClientSettings } from './create-gateway-client.ts';
export type { CallOptions } from './call-operation.ts';
export type {
  BatchResult,
  ClientAnswer,
  CustomerRecord,
  ParameterFault,
  PaymentResult,
  ResultOf,
  JournalLine,
  JournalOutcome,
  JournalReport,
  JournalTime,
  ReportAnswer,
} from './answers.ts';
export type { TranscriptEntry } from './exchange.ts';
export { createReportClient, type ReportClient } from './reports/create-report-client.ts';
export { FIELDS, type FieldName } from '../../schemas/fields.ts';
export { type OperationName, OPERATIONS, type Server } from '../../schemas/operations.ts';
export type { ParametersOf } from '../../schemas/parameters.ts';
export type { ReportParametersOf } from '../../schemas/reports.ts';
export { type Advice, REJECTIONS } from '../../schemas/rejections.ts';
export { type ReportName, REPORTS } from '../../schemas/reports.ts';
export type { Currency } from '../../schemas/restrictions.ts';
export { PipelineError } from '../kernel/errors.ts';
