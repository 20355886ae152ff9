// The official openai-java package: a JSON line in, a JSON line out.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.ObjectMappers;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.ResponseFormatJsonSchema;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseRetrieveParams;
import com.openai.models.responses.ResponseStreamEvent;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

public final class Client {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MODEL = "openai:fake-model";
  private static final Map<String, Object> CITY = Map.of("city", Map.of("type", "string"));

  private static OpenAIClient client(String key, Duration timeout) {
    return OpenAIOkHttpClient.builder()
        .baseUrl(System.getenv("BASE_URL") + "/v1")
        .apiKey(key == null ? System.getenv("API_KEY") : key)
        .timeout(timeout)
        .maxRetries(0)
        .build();
  }

  private static OpenAIClient client() {
    return client(null, Duration.ofSeconds(30));
  }

  private static ChatCompletionCreateParams.Builder question() {
    return ChatCompletionCreateParams.builder().model(MODEL).addUserMessage("Hello?");
  }

  private static Map<String, Object> stream(boolean leave) {
    var text = new StringBuilder();
    try (StreamResponse<ChatCompletionChunk> answer =
        client().chat().completions().createStreaming(question().build())) {
      var chunks = answer.stream().iterator();
      while (chunks.hasNext() && !(leave && text.length() > 0)) {
        for (var choice : chunks.next().choices()) choice.delta().content().ifPresent(text::append);
      }
    }
    return Map.of("text", text.toString(), "left", leave);
  }

  private static Map<String, Object> tools() throws Exception {
    var parameters = FunctionParameters.builder()
        .putAdditionalProperty("type", JsonValue.from("object"))
        .putAdditionalProperty("properties", JsonValue.from(CITY))
        .build();
    var weather = FunctionDefinition.builder().name("weather").parameters(parameters).build();
    var asked = question().addTool(ChatCompletionFunctionTool.builder().function(weather).build());
    var message = client().chat().completions().create(asked.build()).choices().get(0).message();
    var call = message.toolCalls().orElseThrow().get(0).asFunction();
    var result = ChatCompletionToolMessageParam.builder().toolCallId(call.id()).content("rain").build();
    var answer = client().chat().completions().create(asked.addMessage(message).addMessage(result).build());
    return Map.of(
        "name", call.function().name(),
        "arguments", JSON.readTree(call.function().arguments()),
        "text", answer.choices().get(0).message().content().orElse(""));
  }

  private static Map<String, Object> structured() throws Exception {
    var schema = ResponseFormatJsonSchema.JsonSchema.Schema.builder()
        .putAdditionalProperty("type", JsonValue.from("object"))
        .putAdditionalProperty("properties", JsonValue.from(CITY))
        .build();
    var named = ResponseFormatJsonSchema.JsonSchema.builder().name("place").schema(schema).strict(true).build();
    var asked = question().responseFormat(ResponseFormatJsonSchema.builder().jsonSchema(named).build());
    var answer = client().chat().completions().create(asked.build());
    return Map.of("value", JSON.readTree(answer.choices().get(0).message().content().orElse("")));
  }

  private static Map<String, Object> fail(JsonNode request) {
    var key = request.path("key").asText(null);
    var asked = question().model(request.path("model").asText(MODEL)).build();
    client(key, Duration.ofSeconds(30)).chat().completions().create(asked);
    return Map.of();
  }

  private static Map<String, Object> timeout() {
    client(null, Duration.ofMillis(500)).chat().completions().create(question().build());
    return Map.of();
  }

  /** Notes the events of a stream, to the first word or to its end. */
  private static void follow(StreamResponse<ResponseStreamEvent> answer, List<JsonNode> seen, boolean toFirstWord) {
    try (answer) {
      var events = answer.stream().iterator();
      while (events.hasNext()) {
        JsonNode event = ObjectMappers.jsonMapper().valueToTree(events.next());
        seen.add(event);
        if (toFirstWord && isWord(event)) return;
      }
    }
  }

  private static boolean isWord(JsonNode event) {
    return event.path("type").asText().equals("response.output_text.delta");
  }

  private static Map<String, Object> resume(PrintStream answers) {
    var seen = new ArrayList<JsonNode>();
    var asked = ResponseCreateParams.builder().model(MODEL).input("x").background(true).build();
    follow(client().responses().createStreaming(asked), seen, true);
    answers.println("{\"cut\":true}");
    var after = ResponseRetrieveParams.builder()
        .responseId(seen.get(0).path("response").path("id").asText())
        .startingAfter(seen.get(seen.size() - 1).path("sequence_number").asLong())
        .build();
    follow(client().responses().retrieveStreaming(after), seen, false);
    var text = new StringBuilder();
    for (var event : seen) if (isWord(event)) text.append(event.path("delta").asText());
    return Map.of(
        "text", text.toString(),
        "numbers", seen.stream().map(event -> event.path("sequence_number").asLong()).toList(),
        "last", seen.get(seen.size() - 1).path("type").asText());
  }

  private static Map<String, Object> failure(Exception error) {
    List<String> bases = new ArrayList<>();
    for (Class<?> at = error.getClass(); at != null; at = at.getSuperclass()) bases.add(at.getSimpleName());
    var status = error instanceof OpenAIServiceException answered ? answered.statusCode() : 0;
    return Map.of(
        "error", bases.get(0), "bases", bases, "message", String.valueOf(error.getMessage()), "status_code", status);
  }

  private static Map<String, Object> carryOut(JsonNode request, PrintStream answers) {
    try {
      return switch (request.path("flow").asText()) {
        case "stream" -> stream(false);
        case "leave" -> stream(true);
        case "tools" -> tools();
        case "structured" -> structured();
        case "timeout" -> timeout();
        case "resume" -> resume(answers);
        default -> fail(request);
      };
    } catch (Exception error) {
      return failure(error);
    }
  }

  public static void main(String[] arguments) throws Exception {
    // What libraries print is not for whoever reads the answers.
    var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    answers.println("{\"ready\":true}");
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = lines.readLine(); line != null; line = lines.readLine())
      answers.println(JSON.writeValueAsString(carryOut(JSON.readTree(line), answers)));
    System.exit(0);
  }
}
