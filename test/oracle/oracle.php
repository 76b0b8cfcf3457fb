<?php
// An oracle for the whole way of a payment file. It is written after docs/file-formats.md and the specification of the
// service, in another language, and shares no code with paydrop: it makes files of which it knows what must become, and
// judges what came out. JSON in, JSON out:
//   {"do": "make", "seed": 1}                       -> {"files": [{folder, name, content (base64), rows}]}
//   {"do": "judge", "files": ..., "books": ..., "outputs": {name: {result, rejects, summary}}} -> {"complaints": []}
declare(strict_types=1);

$input = json_decode(stream_get_contents(STDIN), true, 64, JSON_THROW_ON_ERROR);
$answer = $input['do'] === 'make' ? ['files' => makeFiles($input['seed'])] : ['complaints' => judge($input)];
echo json_encode($answer, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);

// ---------------------------------------------------------------------------------------------------------- making

function one(array $choices): mixed
{
    return $choices[mt_rand(0, count($choices) - 1)];
}

function happens(int $percent): bool
{
    return mt_rand(1, 100) <= $percent;
}

function makeFiles(int $seed): array
{
    mt_srand($seed);
    $files = [];
    foreach (['card', 'ach-charge', 'ach-refund', 'card', 'ach-charge'] as $number => $folder) {
        $hasCodes = happens(25);
        $count = mt_rand(20, 90);
        $mayBeBad = intdiv($count, 11); // More than a tenth would hold the file.
        $end = one(["\n", "\r\n"]);
        $habit = one(['plain', 'plain', 'quoted', 'spaced']);
        $text = happens(30) ? headerOf($folder, $hasCodes) . $end : '';
        $line = $text === '' ? 0 : 1;
        $rows = [];
        for ($n = 1; $n <= $count; $n += 1) {
            $fault = $mayBeBad > 0 && happens(12) ? one(faultsOf($folder, $hasCodes)) : null;
            $mayBeBad -= $fault === null ? 0 : 1;
            $row = makeRow($folder, $hasCodes, sprintf('O%d-%d-%04d', $seed, $number, $n), $fault);
            if (happens(3)) {
                $text .= $end; // An empty line is nobody's row.
                $line += 1;
            }
            $line += 1;
            $text .= implode(',', array_map(fn (string $cell) => writeCell($cell, $habit), $row['cells'])) . $end;
            unset($row['cells']);
            $rows[] = ['line' => $line] + $row;
        }
        // Without digits, of which paydrop hides many in a name.
        $name = 'oracle-' . strtr("$seed-$number", '0123456789', 'abcdefghij') . '.csv';
        $files[] = ['folder' => $folder, 'name' => $name, 'content' => base64_encode($text), 'rows' => $rows];
    }
    return $files;
}

function headerOf(string $folder, bool $hasCodes): string
{
    if ($hasCodes) return 'Invoice #,Customer Code,Amount,Comment';
    return $folder === 'card'
        ? 'Date,Invoice #,First Name,Last Name,Street,City,State,Zip Code,Amount,MOP,Credit Card #,Expiry'
        : 'Invoice #,First Name,Last Name,Account Type,Account #,Amount,Comment';
}

function faultsOf(string $folder, bool $hasCodes): array
{
    $common = ['amount-sign-of-money', 'amount-three-decimals', 'amount-thousands', 'amount-zero', 'amount-missing', 'text-too-long'];
    if ($hasCodes) return [...$common, 'code-missing', 'code-with-blank'];
    if ($folder === 'card') return [...$common, 'card-check-digit', 'card-brand', 'mop-unknown', 'expired', 'expiry-month', 'date-order'];
    return [...$common, 'account-letters', 'account-routing', 'account-type', 'number-in-comment'];
}

function makeRow(string $folder, bool $hasCodes, string $invoice, ?string $fault): array
{
    $cents = $folder === 'card' && !$hasCodes ? one([100, 200, 1600, 2500, 199999, 200001, mt_rand(1, 150000)]) : mt_rand(1, 900000);
    $sign = $folder === 'ach-refund' ? '-' : '';
    $amount = $sign . match ($fault) {
        'amount-sign-of-money' => '$' . amountText($cents),
        'amount-three-decimals' => sprintf('%d.%03d', intdiv($cents, 100), 125),
        'amount-thousands' => '1,' . sprintf('%03d.%02d', mt_rand(0, 999), $cents % 100),
        'amount-zero' => '0.00',
        'amount-missing' => '',
        default => amountText($cents),
    };
    $names = [one(['Ada', 'Zoë', 'Grace', "Jo'Ann", 'Ada Maria']), one(['Byron', 'Núñez', 'Hopper', 'O"Neil', 'Smith, Jr.'])];
    $comment = one(['June dues', '', 'Hall, small', 'for "Ada"', 'Räume 1-3']);
    $number = '';
    if ($fault === 'text-too-long') $comment = $names[0] = str_repeat('x', 101);
    if ($hasCodes) {
        $code = match ($fault) {
            'code-missing' => '',
            'code-with-blank' => 'A 1001',
            default => 'A' . mt_rand(10000000, 99999999),
        };
        $cells = [$invoice, $code, $amount, $comment];
    } elseif ($folder === 'card') {
        [$mop, $number] = one([['VISA', '4222222222222220'], ['VISA', '4111111111111111'], ['MC', '5454545454545454'], ['AMX', '378282246310005']]);
        if ($fault === 'card-check-digit') $number = substr($number, 0, -1) . ((int) substr($number, -1) + 1) % 10;
        if ($fault === 'card-brand') $mop = $mop === 'MC' ? 'VISA' : 'MC';
        if ($fault === 'mop-unknown') $mop = 'CASH';
        $expiry = $fault === 'expired' ? '01/20' : ($fault === 'expiry-month' ? '13/35' : one(['12/35', '1235']));
        $day = mt_rand(1, 28);
        $date = $fault === 'date-order' ? date('Y-m-d') : one([sprintf('%02d/%02d/%s', 6, $day, date('Y')), sprintf('6/%d/%s', $day, date('Y'))]);
        $cells = [$date, $invoice, ...$names, '1 Mill Lane', 'Troy', 'NY', one(['12180', '']), $amount, $mop, $number, $expiry];
    } else {
        $number = '021000021' . str_pad((string) mt_rand(1, 999999999), 17, '0', STR_PAD_LEFT);
        if ($fault === 'account-letters') $number = substr($number, 0, 20) . 'x' . substr($number, 21);
        if ($fault === 'account-routing') $number = '021000022' . substr($number, 9);
        if ($fault === 'number-in-comment') $comment = 'card 4222222222222220';
        $type = $fault === 'account-type' ? 'CHEQUE' : one(['CHECKING', 'SAVING']);
        $cells = [$invoice, ...$names, $type, $number, $amount, $comment];
    }
    // Without a payer's record to charge, the service declines none of the codes: its books say what it knows.
    return [
        'cells' => $cells,
        'fault' => $fault,
        'invoice' => $invoice,
        'amount' => $amount,
        'cents' => $sign === '-' ? -$cents : $cents,
        'lastFour' => $number === '' ? '' : substr($number, -4),
        'declined' => $folder === 'card' && !$hasCodes ? isDeclined($number, $cents) : null,
    ];
}

// 25, 25.5 and 25.50 are the same amount.
function amountText(int $cents): string
{
    $whole = sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
    if ($cents % 100 === 0 && happens(30)) return (string) intdiv($cents, 100);
    return $cents % 10 === 0 && happens(20) ? substr($whole, 0, -1) : $whole;
}

// What the test account of the service answers.
function isDeclined(string $card, int $cents): bool
{
    if ($cents > 200000) return true;
    return $card === '4111111111111111' && !in_array($cents, [100, 600, 700, 800, 900, 1000, 19200], true);
}

function writeCell(string $cell, string $habit): string
{
    if (strpbrk($cell, ',"') !== false || ($habit === 'quoted' && happens(80))) return '"' . str_replace('"', '""', $cell) . '"';
    return $habit === 'spaced' && happens(30) ? " $cell " : $cell;
}

// --------------------------------------------------------------------------------------------------------- judging

function judge(array $input): array
{
    $complaints = [];
    $say = function (string $file, string $what) use (&$complaints): void {
        $complaints[] = "$file: $what";
    };
    $booked = [];
    foreach ($input['books'] as $row) $booked[$row['invoice']][] = $row;
    foreach ($input['files'] as $file) {
        $outputs = $input['outputs'][$file['name']] ?? null;
        if ($outputs === null) $say($file['name'], 'has no outputs');
        else judgeFile($file, $outputs, $booked, fn (string $what) => $say($file['name'], $what));
        foreach ($file['rows'] as $row) unset($booked[$row['invoice']]);
    }
    foreach (array_keys($booked) as $invoice) $say('books', "hold $invoice, which nobody dropped");
    return $complaints;
}

function judgeFile(array $file, array $outputs, array $booked, callable $say): void
{
    $lines = readCsv($outputs['result']);
    if (count($lines) !== count($file['rows'])) {
        $say(sprintf('%d rows dropped, %d in the result', count($file['rows']), count($lines)));
        return;
    }
    $totals = [];
    foreach ($file['rows'] as $at => $row) {
        // Line, the columns as they were written, then Outcome and eleven more.
        $cells = array_map('trim', $lines[$at]);
        $outcome = $cells[count($cells) - 12];
        $charged = $cells[count($cells) - 4];
        $who = "line {$row['line']} ({$row['invoice']}, " . ($row['fault'] ?? 'sound') . ')';
        if ($charged !== ($outcome === 'APPROVED' ? decimal($row['cents']) : '')) $say("$who is charged '$charged'");
        if ((int) $cells[0] !== $row['line']) $say("$who stands as line $cells[0]");
        if (!in_array($row['invoice'], $cells, true)) $say("$who has lost its invoice");
        $entries = $booked[$row['invoice']] ?? [];
        $totals[$outcome] = ['rows' => ($totals[$outcome]['rows'] ?? 0) + 1, 'cents' => ($totals[$outcome]['cents'] ?? 0) + $row['cents']];
        if ($row['fault'] !== null) {
            if ($entries !== []) $say("$who was sent");
            if ($outcome !== 'INVALID') $say("$who is $outcome");
            continue;
        }
        if (count($entries) !== 1) {
            $say("$who was sent " . count($entries) . ' times');
            continue;
        }
        [$entry] = $entries;
        if ($entry['amountCents'] !== $row['cents']) $say("$who: {$row['cents']} cents dropped, {$entry['amountCents']} sent");
        if ($entry['lastFour'] !== $row['lastFour']) $say("$who: the service got another number");
        if ($row['declined'] !== null && $row['declined'] === $entry['charged']) $say("$who: the service decided otherwise");
        if ($outcome !== strtoupper($entry['outcome'])) $say("$who is $outcome, the books say {$entry['outcome']}");
        if (!in_array($row['amount'], $cells, true)) $say("$who does not show {$row['amount']}");
    }
    foreach ($lines as $cells) {
        foreach ($cells as $cell) if (preg_match('/\d{12}/', $cell)) $say('a number can be read in the result');
    }
    compareTotals($totals, $outputs['summary'], $say);
    $invalid = array_filter($file['rows'], fn (array $row) => $row['fault'] !== null);
    $text = $outputs['rejects'];
    foreach ($invalid as $row) if (!str_contains($text, $row['invoice'])) $say("{$row['invoice']} is missing in the rejects");
    foreach ($file['rows'] as $row) {
        $isCharged = $row['fault'] === null && ($booked[$row['invoice']][0]['charged'] ?? true);
        if ($isCharged && str_contains($text, $row['invoice'])) $say("{$row['invoice']} was charged and stands in the rejects");
    }
}

function compareTotals(array $totals, array $summary, callable $say): void
{
    foreach ($summary['outcomes'] as $outcome => $said) {
        $counted = $totals[$outcome] ?? ['rows' => 0, 'cents' => 0];
        if ($said['rows'] !== $counted['rows']) $say("$outcome: {$counted['rows']} rows, the summary says {$said['rows']}");
        // Of amounts that cannot be read nobody knows the total.
        if ($outcome !== 'INVALID' && $said['total'] !== decimal($counted['cents'])) $say("$outcome: " . decimal($counted['cents']) . ", the summary says {$said['total']}");
        unset($totals[$outcome]);
    }
    foreach (array_keys($totals) as $outcome) $say("the summary says nothing of $outcome");
}

function decimal(int $cents): string
{
    return ($cents < 0 ? '-' : '') . sprintf('%d.%02d', intdiv(abs($cents), 100), abs($cents) % 100);
}

function readCsv(string $text): array
{
    $lines = array_filter(preg_split('/\r\n|\n/', preg_replace('/^\xEF\xBB\xBF/', '', $text)), fn (string $line) => $line !== '');
    $rows = array_map(fn (string $line) => str_getcsv($line, ',', '"', ''), array_values($lines));
    return ($rows[0][0] ?? '') === 'Line' ? array_slice($rows, 1) : $rows;
}
