# Makes calls with SOAP::Lite, as a Perl program of a merchant would. Input and output: foreign-clients.soak.test.ts.
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;
use SOAP::Lite;

my $namespace = 'https://www.iatspayments.com/NetGate/';
my $json = JSON::PP->new->utf8->canonical;
my $job = $json->decode(do { local $/; <STDIN> });
my (%clients, @answers);
$| = 1;

for my $call (@{ $job->{calls} }) {
    my ($service, $element, $values) = @{$call}{qw(service element values)};
    # Its stubs of a WSDL know nothing of document/literal, so programs name address, action and element themselves.
    my $soap = $clients{$service} //= SOAP::Lite->proxy($job->{services}{$service} =~ s/\?WSDL$//r)->autotype(0);
    $soap->on_action(sub { qq("$namespace$call->{action}") });
    my @fields = map { SOAP::Data->name($_)->type(string => fill($_, $values->{$_})) } keys %$values;
    my $som = eval { $soap->call(SOAP::Data->name($element)->attr({ xmlns => $namespace }), @fields) };
    if (!$som || $som->fault) {
        push @answers, [];
        print $json->encode({ fault => $som ? $som->faultcode : 'transport', says => $som ? $som->faultstring : "$@" }), "\n";
        next;
    }
    # Some old reports are a file and nothing else.
    my @leaves = map { [$_->name, $_->value // ''] } grep { !ref $_->value } $som->dataof('//IATSRESPONSE//*');
    push @answers, @leaves ? \@leaves : [['FILE', $som->result]];
    print $json->encode({ answer => $answers[-1] }), "\n";
}

sub fill {
    my ($name, $value) = @_;
    return $value ? 'true' : 'false' if JSON::PP::is_bool($value);
    return encode_base64($value, '') if $name eq 'batchFile';
    return $value unless ref $value;
    my ($found) = grep { $_->[0] eq $value->{field} } @{ $answers[ $value->{of} ] };
    return $found->[1] =~ s/^\s+|\s+$//gr;
}
