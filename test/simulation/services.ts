import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SANDBOX_HEADER } from '../../schemas/sandbox/sandbox-header.ts';
import type { Account } from '../../src/config/config.ts';
import type { PlannedFault } from '../../src/sandbox/faults/plan-faults.ts';
import type { BookRow } from '../../src/sandbox/books/book-row.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';

/** A payment service with books of its own, and where it is reached at the moment. */
export type Service = {
  readonly name: ServiceName;
  readonly sandbox: Sandbox;
  /** Whether its answers say that it is a sandbox. */
  readonly saysSandbox: boolean;
  /** The address for accounts that are set up from now on. Older addresses go on to work. */
  address: string;
};

export type ServiceName = 'trial' | 'live';

type SandboxOptions = NonNullable<Parameters<typeof startSandbox>[0]>;

/** The services of a world. The second one is started when an account goes live. */
export type Services = {
  readonly all: readonly Service[];
  /** Returns a service, started on first use. */
  open(name: ServiceName): Promise<Service>;
  /** Requests with a batch that arrived anywhere. */
  posts(): number;
  close(): Promise<void>;
};

/** @param saysSandbox whether the live service says that it is a sandbox, too, so that paydrop has to ask */
export async function startServices(options: SandboxOptions, saysSandbox: boolean): Promise<Services> {
  const all: Service[] = [];
  const heard = hearServers(all);
  const open = async (name: ServiceName): Promise<Service> => {
    const known = all.find((service) => service.name === name);
    if (known) return known;
    const sandbox = await startSandbox(options);
    const service = { name, sandbox, saysSandbox: name === 'trial' || saysSandbox, address: sandbox.url };
    all.push(service);
    return service;
  };
  await open('trial');
  return {
    all,
    open,
    posts: heard.posts,
    close: async () => {
      heard.stop();
      for (const { sandbox } of all) await sandbox.close();
    },
  };
}

/** Moves a service to another address, with its books. Callers of the former address still reach it. */
export function moveService(service: Service): void {
  const url = new URL(service.address);
  url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  service.address = url.origin;
}

/** Returns the service at an address. */
export function serviceAt({ all }: Pick<Services, 'all'>, address: string): Service {
  const { port } = new URL(address);
  const found = all.find(({ sandbox }) => String(sandbox.port) === port);
  if (!found) throw new Error(`no service is at ${address}`);
  return found;
}

export function serviceOf(services: Pick<Services, 'all'>, { baseUrl }: Pick<Account, 'baseUrl'>): Service {
  return serviceAt(services, baseUrl!);
}

/** Whom an account charges: an agent code in the books of a service, wherever that service is reached. */
export function payeeOfAccount(services: Pick<Services, 'all'>, account: Account): string {
  return payeeAt(serviceOf(services, account), account.agentCode);
}

/** Returns what all services have taken. `account` is the payee. */
export function bookRows({ all }: Pick<Services, 'all'>): BookRow[] {
  return all.flatMap((service) =>
    service.sandbox.books().map((row) => ({ ...row, account: payeeAt(service, row.account) })),
  );
}

function payeeAt({ name }: Service, agentCode: string): string {
  return `${name}:${agentCode}`;
}

export function plannedFaults({ all }: Pick<Services, 'all'>): PlannedFault[] {
  return all.flatMap(({ sandbox }) => sandbox.faults.list());
}

/**
 * Counts the requests with a batch that reach a server, whatever client and server make of them, and takes the sandbox
 * header out of the answers of a service that does not say what it is. It listens to Node's own announcement of each
 * request, so it shares no code with either side.
 */
function hearServers(services: readonly Service[]): { posts(): number; stop(): void } {
  let count = 0;
  const hear = (message: unknown) => {
    const { request, response, server } = message as {
      request: IncomingMessage;
      response: ServerResponse;
      server: Server;
    };
    const port = (server.address() as AddressInfo | null)?.port;
    const service = services.find(({ sandbox }) => sandbox.port === port);
    if (!service) return;
    if (/process\w+Batch/i.test(`${request.headers['content-type']} ${String(request.headers['soapaction'])}`))
      count += 1;
    if (!service.saysSandbox) hideHeader(response);
  };
  subscribe('http.server.request.start', hear);
  return { posts: () => count, stop: () => void unsubscribe('http.server.request.start', hear) };
}

function hideHeader(response: ServerResponse): void {
  const write = response.writeHead.bind(response) as (status: number, headers: object) => ServerResponse;
  response.writeHead = ((status: number, headers: Record<string, unknown>) => {
    const { [SANDBOX_HEADER]: _hidden, ...rest } = headers;
    return write(status, rest);
  }) as ServerResponse['writeHead'];
}
