// Makes calls with the npm package soap, as a program for Node would. Input and output: foreign-clients.soak.test.ts.
import { text } from 'node:stream/consumers';
import { createClientAsync } from 'soap';

const job = JSON.parse(await text(process.stdin));
const clients = {};
const answers = [];

for (const { service, operation, values } of job.calls) {
  clients[service] ??= await createClientAsync(job.services[service], { forceSoap12Headers: job.port === 'Soap12' });
  const filled = Object.entries(values).map(([name, value]) => [name, fill(name, value)]);
  try {
    const [result] = await clients[service][`${operation}Async`](Object.fromEntries(filled));
    answers.push(leaves(Object.values(result)[0].IATSRESPONSE));
    print({ answer: answers.at(-1) });
  } catch (error) {
    answers.push([]);
    print({ fault: error.name, says: error.message });
  }
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function fill(name, value) {
  if (typeof value === 'object') return new Map(answers[value.of]).get(value.field).trim();
  return name === 'batchFile' ? Buffer.from(value).toString('base64') : value;
}

// An element that occurs several times is an array, an empty one null.
function leaves(element) {
  return Object.entries(element)
    .filter(([name]) => name !== 'attributes')
    .flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
    .flatMap(([name, value]) => (value !== null && typeof value === 'object' ? leaves(value) : [[name, value ?? '']]));
}
