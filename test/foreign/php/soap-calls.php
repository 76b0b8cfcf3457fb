<?php
// Makes calls with the SOAP client of PHP, as a PHP program of a merchant would, and prints what it sees of each answer.
//
// Input:  {"services": {name: address of its description}, "soapVersion": 1 or 2,
//          "calls": [{"service": name, "operation": name, "elements": {name: value}}]}
// Output: [{"status", "errors", "payload": name, "values": what is in it} or {"fault": code, "says": text}]

declare(strict_types=1);

$job = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
$versions = [1 => SOAP_1_1, 2 => SOAP_1_2];
$clients = [];
$answers = [];

foreach ($job['calls'] as ['service' => $service, 'operation' => $operation, 'elements' => $elements]) {
    // One client for all calls to a service, so its connection is kept and used again.
    $clients[$service] ??= new SoapClient($job['services'][$service], [
        'soap_version' => $versions[$job['soapVersion']],
        // A description from another run would name the address of a sandbox that is gone.
        'cache_wsdl' => WSDL_CACHE_NONE,
        'exceptions' => true,
    ]);
    try {
        $response = $clients[$service]->$operation($elements);
        $answers[] = read_result(current(get_object_vars($response)));
    } catch (SoapFault $fault) {
        $answers[] = ['fault' => $fault->faultcode, 'says' => $fault->getMessage()];
    }
}

echo json_encode($answers, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);

// Some old reports are a file and nothing else, which arrives decoded.
function read_result(object|string $result): array
{
    if (is_object($result)) {
        return read_answer($result->any);
    }
    return ['status' => 'Success', 'errors' => '', 'payload' => 'FILE', 'values' => base64_encode($result)];
}

// The any element arrives as one string of XML with IATSRESPONSE as its root.
function read_answer(string $any): array
{
    $response = simplexml_load_string($any);
    if ($response === false || $response->getName() !== 'IATSRESPONSE') {
        throw new RuntimeException('the answer is not an IATSRESPONSE');
    }
    [, , $payload] = iterator_to_array($response->children(), false);
    return [
        'status' => (string) $response->STATUS,
        'errors' => (string) $response->ERRORS,
        'payload' => $payload->getName(),
        'values' => $payload->count() === 0 ? (string) $payload : $payload,
    ];
}
