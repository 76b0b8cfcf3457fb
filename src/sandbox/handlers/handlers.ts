import { OPERATIONS, type OperationName } from '../../../schemas/operations.ts';
import type { ServiceName } from '../../kernel/wsdl.ts';
import { batchResult } from './batch-result.ts';
import { batchSubmission } from './batch-submission.ts';
import type { Handler } from './handler.ts';

/** The operations that the sandbox serves. */
export const HANDLERS: Readonly<Partial<Record<OperationName, Handler>>> = {
  processCreditCardBatch: batchSubmission('card'),
  processACHEFTChargeBatch: batchSubmission('ach-charge'),
  processACHEFTRefundBatch: batchSubmission('ach-refund'),
  getBatchProcessResultFile: batchResult,
};

/** The operations of one service that are served; none means that the service itself is not. */
export function servedOperations(service: ServiceName): OperationName[] {
  const served = Object.keys(HANDLERS) as OperationName[];
  return served.filter((operation) => OPERATIONS[operation].service === service);
}
