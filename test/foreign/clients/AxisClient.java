import com.google.gson.*;
import java.io.*;
import java.lang.reflect.*;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.*;
import org.apache.axis.encoding.AnyContentType;
import org.w3c.dom.*;

/** Makes calls with stubs of Axis 1, as a Java program of a merchant would. Input and output: foreign-clients.soak.test.ts. */
public class AxisClient {
    static final List<Map<String, String>> answers = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        JsonObject job = JsonParser.parseReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).getAsJsonObject();
        Map<String, Object> stubs = new HashMap<>();
        for (JsonElement one : job.getAsJsonArray("calls")) {
            JsonObject call = one.getAsJsonObject();
            String service = call.get("service").getAsString();
            if (!stubs.containsKey(service)) {
                Object locator = Class.forName(service.toLowerCase() + "." + service + "Locator").getConstructor().newInstance();
                stubs.put(service, locator.getClass().getMethod("get" + service + "Soap").invoke(locator));
            }
            List<String[]> leaves = new ArrayList<>();
            try {
                Class<?> type = Class.forName(service.toLowerCase() + "." + call.get("element").getAsString());
                Object request = type.getConstructor().newInstance();
                for (var value : call.getAsJsonObject("values").entrySet()) {
                    Method setter = find(type, "set" + value.getKey());
                    setter.invoke(request, convert(setter.getParameterTypes()[0], value.getValue()));
                }
                String name = call.get("operation").getAsString();
                name = name.substring(0, 1).toLowerCase() + name.substring(1);
                Object response = stubs.get(service).getClass().getMethod(name, type).invoke(stubs.get(service), request);
                Object result = find(response.getClass(), "get" + type.getSimpleName() + "Result").invoke(response);
                if (result instanceof byte[] file) leaves.add(new String[] {"FILE", Base64.getEncoder().encodeToString(file)});
                else addLeaves(((AnyContentType) result).get_any()[0].getAsDOM(), leaves);
                out.println(new Gson().toJson(Map.of("answer", leaves)));
            } catch (InvocationTargetException error) {
                out.println(new Gson().toJson(Map.of("fault", error.getCause().getClass().getName(), "says", "" + error.getCause())));
            }
            Map<String, String> answer = new HashMap<>();
            for (String[] leaf : leaves) answer.putIfAbsent(leaf[0], leaf[1]);
            answers.add(answer);
        }
    }

    static Method find(Class<?> type, String name) {
        return Arrays.stream(type.getMethods()).filter(method -> method.getName().equalsIgnoreCase(name)).findFirst().orElseThrow();
    }

    static Object convert(Class<?> type, JsonElement value) {
        if (value.isJsonObject()) {
            JsonObject from = value.getAsJsonObject();
            return answers.get(from.get("of").getAsInt()).get(from.get("field").getAsString()).trim();
        }
        if (type == boolean.class) return value.getAsBoolean();
        if (type == byte[].class) return value.getAsString().getBytes(StandardCharsets.UTF_8);
        if (type != Calendar.class) return value.getAsString();
        Calendar moment = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
        moment.setTimeInMillis(Instant.parse(value.getAsString()).toEpochMilli());
        return moment;
    }

    static void addLeaves(Element element, List<String[]> leaves) {
        NodeList inside = element.getElementsByTagName("*");
        for (int i = 0; i < inside.getLength(); i++) {
            Element each = (Element) inside.item(i);
            if (each.getElementsByTagName("*").getLength() == 0) leaves.add(new String[] {each.getTagName(), each.getTextContent()});
        }
    }
}
