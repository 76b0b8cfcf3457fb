import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import type { CallOptions } from '../../../src/gateway/call-operation.ts';
import type { AnyAnswer } from '../../../src/gateway/client-answers.ts';
import {
  type ClientWorld,
  createGatewayClient,
  type GatewayClientSettings,
} from '../../../src/gateway/create-gateway-client.ts';
import { CANARIES } from './cases.ts';
import { sampleParameters } from './sample-parameters.ts';

export const ALL_OPERATIONS = Object.keys(OPERATIONS) as OperationName[];

export type CallSetting = {
  settings?: Partial<GatewayClientSettings>;
  world?: ClientWorld;
  parameters?: unknown;
  options?: CallOptions;
};

/** Calls any operation with all its parameters, as a VISA payment in dollars, without waiting between attempts. */
export function callOn(baseUrl: string, operation: OperationName, setting: CallSetting = {}): Promise<AnyAnswer> {
  const { agentCode, password } = CANARIES;
  const client = createGatewayClient(
    { server: 'NA', agentCode, password, currency: 'USD', baseUrl, ...setting.settings },
    { wait: async () => {}, ...setting.world },
  );
  const method: (parameters: never, options?: CallOptions) => Promise<AnyAnswer> = client[operation];
  const parameters = setting.parameters ?? sampleParameters(operation);
  return method(parameters as never, setting.options ?? { mop: 'VISA' });
}
