// The official openai-go package: a JSON line in, a JSON line out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

type request struct {
	Flow, Key, Model string
}

type result map[string]any

const model = "openai:fake-model"

var parameters = shared.FunctionParameters{
	"type":       "object",
	"properties": map[string]any{"city": map[string]any{"type": "string"}},
	"required":   []string{"city"},
}

func client(key string, more ...option.RequestOption) openai.Client {
	if key == "" {
		key = os.Getenv("API_KEY")
	}
	options := []option.RequestOption{
		option.WithBaseURL(os.Getenv("BASE_URL") + "/v1"), option.WithAPIKey(key), option.WithMaxRetries(0),
	}
	return openai.NewClient(append(options, more...)...)
}

func question() openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello?")},
	}
}

func stream(upto int) (result, error) {
	api := client("")
	chunks := api.Chat.Completions.NewStreaming(context.Background(), question())
	defer chunks.Close()
	text := ""
	for chunks.Next() {
		for _, choice := range chunks.Current().Choices {
			text += choice.Delta.Content
		}
		if upto > 0 && len(text) >= upto {
			break
		}
	}
	return result{"text": text, "left": true}, chunks.Err()
}

func tools() (result, error) {
	api := client("")
	asked := question()
	asked.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(
		shared.FunctionDefinitionParam{Name: "weather", Parameters: parameters},
	)}
	first, err := api.Chat.Completions.New(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	message := first.Choices[0].Message
	call := message.ToolCalls[0]
	asked.Messages = append(asked.Messages, message.ToParam(), openai.ToolMessage("rain", call.ID))
	second, err := api.Chat.Completions.New(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	var given any
	err = json.Unmarshal([]byte(call.Function.Arguments), &given)
	return result{"name": call.Function.Name, "arguments": given, "text": second.Choices[0].Message.Content}, err
}

func structured() (result, error) {
	api := client("")
	asked := question()
	asked.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
		OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "place", Schema: parameters, Strict: openai.Bool(true),
			},
		},
	}
	answer, err := api.Chat.Completions.New(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	var value any
	err = json.Unmarshal([]byte(answer.Choices[0].Message.Content), &value)
	return result{"value": value}, err
}

func fail(key, name string) (result, error) {
	api := client(key)
	asked := question()
	if name != "" {
		asked.Model = name
	}
	_, err := api.Chat.Completions.New(context.Background(), asked)
	return result{}, err
}

func timeout() (result, error) {
	api := client("", option.WithRequestTimeout(500*time.Millisecond))
	_, err := api.Chat.Completions.New(context.Background(), question())
	return result{}, err
}

// What was seen of a response, over all its streams.
type seen struct {
	id, text, last string
	numbers        []int64
}

func (so *seen) follow(events *ssestream.Stream[responses.ResponseStreamEventUnion], toFirstWord bool) error {
	defer events.Close()
	for events.Next() {
		event := events.Current()
		so.numbers, so.last = append(so.numbers, event.SequenceNumber), event.Type
		if event.Response.ID != "" {
			so.id = event.Response.ID
		}
		if event.Type == "response.output_text.delta" {
			so.text += event.Delta
			if toFirstWord {
				break
			}
		}
	}
	return events.Err()
}

func resume(say *json.Encoder) (result, error) {
	api := client("")
	var so seen
	asked := responses.ResponseNewParams{
		Model: model, Background: openai.Bool(true),
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("x")},
	}
	if err := so.follow(api.Responses.NewStreaming(context.Background(), asked), true); err != nil {
		return nil, err
	}
	_ = say.Encode(result{"cut": true})
	after := responses.ResponseGetParams{StartingAfter: openai.Int(so.numbers[len(so.numbers)-1])}
	err := so.follow(api.Responses.GetStreaming(context.Background(), so.id, after), false)
	return result{"text": so.text, "numbers": so.numbers, "last": so.last}, err
}

func told(err error) result {
	var failed *openai.Error
	if errors.As(err, &failed) {
		return result{"error": "openai.Error", "status_code": failed.StatusCode, "code": failed.Code, "message": failed.Message}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return result{"error": "context.DeadlineExceeded"}
	}
	return result{"error": fmt.Sprintf("%T", err), "message": err.Error()}
}

func carryOut(asked request, say *json.Encoder) (result, error) {
	switch asked.Flow {
	case "stream":
		return stream(0)
	case "leave":
		return stream(1)
	case "tools":
		return tools()
	case "structured":
		return structured()
	case "timeout":
		return timeout()
	case "resume":
		return resume(say)
	default:
		return fail(asked.Key, asked.Model)
	}
}

func main() {
	say := json.NewEncoder(os.Stdout)
	_ = say.Encode(result{"ready": true})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked request
		_ = json.Unmarshal(lines.Bytes(), &asked)
		answer, err := carryOut(asked, say)
		if err != nil {
			answer = told(err)
		}
		_ = say.Encode(answer)
	}
}
