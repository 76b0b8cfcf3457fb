import { testGatewaySecrets } from './support/gateway-secrets.ts';

/** See gateway-canary.test.ts. */
testGatewaySecrets(1);
