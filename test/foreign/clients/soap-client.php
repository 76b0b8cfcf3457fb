<?php
// Makes calls with the SOAP client of PHP, as a PHP program of a merchant would. Input and output:
// foreign-clients.soak.test.ts.

declare(strict_types=1);

$job = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
$version = $job['port'] === 'Soap12' ? SOAP_1_2 : SOAP_1_1;
$clients = [];
$answers = [];

foreach ($job['calls'] as ['service' => $service, 'operation' => $operation, 'values' => $values]) {
    $clients[$service] ??= new SoapClient($job['services'][$service], [
        'soap_version' => $version,
        // A description from another run would name the address of a sandbox that is gone.
        'cache_wsdl' => WSDL_CACHE_NONE,
    ]);
    foreach ($values as $name => $value) {
        if (is_array($value)) {
            $values[$name] = trim(array_column($answers[$value['of']], 1, 0)[$value['field']]);
        }
    }
    $leaves = [];
    try {
        $result = current(get_object_vars($clients[$service]->$operation($values)));
        foreach (simplexml_load_string($result->any)->xpath('//*[not(*)]') as $leaf) {
            $leaves[] = [$leaf->getName(), (string) $leaf];
        }
        echo json_encode(['answer' => $leaves], JSON_THROW_ON_ERROR), "\n";
    } catch (SoapFault $fault) {
        echo json_encode(['fault' => $fault->faultcode, 'says' => $fault->getMessage()], JSON_THROW_ON_ERROR), "\n";
    }
    $answers[] = $leaves;
}
