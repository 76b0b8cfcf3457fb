import com.google.gson.*;
import java.io.*;
import java.lang.reflect.*;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.*;
import javax.jws.WebParam;
import javax.xml.datatype.*;
import org.w3c.dom.*;

/** Makes calls with stubs of JAX-WS, as a Java program of a merchant would. Input and output: foreign-clients.soak.test.ts. */
public class JaxwsClient {
    static final List<Map<String, String>> answers = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        JsonObject job = JsonParser.parseReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).getAsJsonObject();
        Map<String, Object> ports = new HashMap<>();
        for (JsonElement one : job.getAsJsonArray("calls")) {
            JsonObject call = one.getAsJsonObject();
            String service = call.get("service").getAsString();
            if (!ports.containsKey(service)) {
                URL wsdl = URI.create(job.getAsJsonObject("services").get(service).getAsString()).toURL();
                Object made = Class.forName(service.toLowerCase() + "." + service).getConstructor(URL.class).newInstance(wsdl);
                ports.put(service, made.getClass().getMethod("get" + service + "Soap").invoke(made));
            }
            String name = call.get("operation").getAsString();
            Class<?> type = Class.forName(service.toLowerCase() + "." + service + "Soap");
            Method method = Arrays.stream(type.getMethods()).filter(each -> each.getName().equalsIgnoreCase(name)).findFirst().orElseThrow();
            Object[] values = Arrays.stream(method.getParameters())
                .map(each -> convert(each.getType(), call.getAsJsonObject("values").get(each.getAnnotation(WebParam.class).name())))
                .toArray();
            List<String[]> leaves = new ArrayList<>();
            try {
                Object result = method.invoke(ports.get(service), values);
                List<?> content = (List<?>) result.getClass().getMethod("getContent").invoke(result);
                addLeaves((Element) content.get(0), leaves);
                out.println(new Gson().toJson(Map.of("answer", leaves)));
            } catch (InvocationTargetException error) {
                out.println(new Gson().toJson(Map.of("fault", error.getCause().getClass().getName(), "says", "" + error.getCause())));
            }
            Map<String, String> answer = new HashMap<>();
            for (String[] leaf : leaves) answer.putIfAbsent(leaf[0], leaf[1]);
            answers.add(answer);
        }
    }

    static Object convert(Class<?> type, JsonElement value) {
        if (value.isJsonObject()) {
            JsonObject from = value.getAsJsonObject();
            return answers.get(from.get("of").getAsInt()).get(from.get("field").getAsString()).trim();
        }
        if (type == boolean.class) return value.getAsBoolean();
        if (type == byte[].class) return value.getAsString().getBytes(StandardCharsets.UTF_8);
        if (type == String.class) return value.getAsString();
        try {
            return DatatypeFactory.newInstance().newXMLGregorianCalendar(value.getAsString());
        } catch (DatatypeConfigurationException error) {
            throw new IllegalStateException(error);
        }
    }

    static void addLeaves(Element element, List<String[]> leaves) {
        NodeList inside = element.getElementsByTagName("*");
        for (int i = 0; i < inside.getLength(); i++) {
            Element each = (Element) inside.item(i);
            if (each.getElementsByTagName("*").getLength() == 0) leaves.add(new String[] {each.getTagName(), each.getTextContent()});
        }
    }
}
