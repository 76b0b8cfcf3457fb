// Makes calls with the classes that wsdl makes, as a .NET program of a merchant would. Input and output:
// foreign-clients.soak.test.ts.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Web.Script.Serialization;
using System.Xml;

class DotnetClient {
    static readonly List<List<string[]>> answers = new List<List<string[]>>();

    static void Main() {
        Console.InputEncoding = Console.OutputEncoding = new UTF8Encoding(false);
        var json = new JavaScriptSerializer();
        var job = (Dictionary<string, object>) json.DeserializeObject(Console.In.ReadToEnd());
        var clients = new Dictionary<string, object>();
        foreach (Dictionary<string, object> call in (object[]) job["calls"]) {
            var service = (string) call["service"];
            if (!clients.ContainsKey(service)) clients[service] = Activator.CreateInstance(Type.GetType("Stubs." + service));
            var method = clients[service].GetType().GetMethod((string) call["operation"]);
            var values = (Dictionary<string, object>) call["values"];
            var given = method.GetParameters().Select(each => Convert(each.ParameterType, values[each.Name])).ToArray();
            var leaves = new List<string[]>();
            try {
                var root = (XmlNode) method.Invoke(clients[service], given);
                foreach (XmlNode leaf in root.SelectNodes(".//*[not(*)]")) leaves.Add(new[] { leaf.Name, leaf.InnerText });
                Console.WriteLine(json.Serialize(new { answer = leaves }));
            } catch (TargetInvocationException error) {
                var cause = error.InnerException;
                Console.WriteLine(json.Serialize(new { fault = cause.GetType().Name, says = cause.Message }));
            }
            answers.Add(leaves);
        }
    }

    static object Convert(Type type, object value) {
        var from = value as Dictionary<string, object>;
        if (from != null) return answers[(int) from["of"]].First(leaf => leaf[0] == (string) from["field"])[1].Trim();
        if (type == typeof(byte[])) return Encoding.UTF8.GetBytes((string) value);
        if (type == typeof(DateTime)) return XmlConvert.ToDateTime((string) value, XmlDateTimeSerializationMode.Utc);
        return value;
    }
}
