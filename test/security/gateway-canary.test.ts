import { testGatewaySecrets } from './support/gateway-secrets.ts';

/** gateway-canary.soak.test.ts strikes every operation with every fault. */
testGatewaySecrets(8);
