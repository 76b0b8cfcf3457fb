# Makes calls with soap4r, as a Ruby program of a merchant would. Input and output: foreign-clients.soak.test.ts.
require 'json'
require 'soap/wsdlDriver'

job = JSON.parse($stdin.read)
drivers = {}
answers = []
$stdout.sync = true

# An element that occurs several times is an array. Some old reports are a file and nothing else.
leaves = lambda do |element|
  element.__xmlele.flat_map do |name, value|
    [value].flatten.flat_map do |one|
      one.is_a?(SOAP::Mapping::Object) ? leaves.(one) : [[name.name.sub(/.*_V1Result\z/, 'FILE'), one.to_s]]
    end
  end
end

job['calls'].each do |call|
  driver = drivers[call['service']] ||= SOAP::WSDLDriverFactory.new(job['services'][call['service']]).create_rpc_driver
  values = call['values'].to_h do |name, value|
    [name, value.is_a?(Hash) ? answers[value['of']].assoc(value['field'])[1].strip : value.to_s]
  end
  begin
    method = call['operation'][0].downcase + call['operation'][1..]
    result = driver.send(method, values)
    answers << leaves.(result)
    puts JSON.generate(answer: answers.last)
  rescue StandardError => e
    answers << []
    puts JSON.generate(fault: e.class.name, says: e.message)
  end
end
