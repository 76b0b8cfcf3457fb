# Makes calls with zeep, as a Python program of a merchant would. Input and output: foreign-clients.soak.test.ts.
import json, sys
from lxml import etree
from zeep import Client

job = json.load(sys.stdin)
clients = {}
answers = []


def fill(values):
    for name, value in values.items():
        if isinstance(value, dict):
            yield name, dict(answers[value["of"]])[value["field"]].strip()
        elif name == "batchFile":
            yield name, value.encode()
        else:
            yield name, value


for call in job["calls"]:
    service = call["service"]
    if service not in clients:
        clients[service] = Client(job["services"][service], port_name=service + job["port"])
    try:
        root = getattr(clients[service].service, call["operation"])(**dict(fill(call["values"])))
        answer = [(e.tag, e.text or "") for e in root.iter() if len(e) == 0]
        print(json.dumps({"answer": answer}))
    except Exception as error:
        answer = []
        print(json.dumps({"fault": type(error).__name__, "says": str(error)}))
    answers.append(answer)
