package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/elastic/go-elasticsearch/v8"
	"github.com/elastic/go-elasticsearch/v8/esutil"
	"github.com/elastic/go-elasticsearch/v8/typedapi/types"
	"github.com/elastic/go-elasticsearch/v8/typedapi/types/enums/sortorder"
)

type line struct {
	N       int    `json:"n"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

// The unmodified client of Elasticsearch 8, both of its forms.
func TestTheGoClientOfElasticsearchWritesInBulkAndSearches(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	config := elasticsearch.Config{Addresses: []string{"http://" + startServer(t, "elastic")}}
	client, err := elasticsearch.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	indexer, err := esutil.NewBulkIndexer(esutil.BulkIndexerConfig{Client: client, Index: "lines", NumWorkers: 2, FlushBytes: 50_000})
	if err != nil {
		t.Fatal(err)
	}
	var failed atomic.Int64
	for n := range 1500 {
		body, err := json.Marshal(line{N: n, Level: []string{"info", "warn", "error"}[n%3], Message: fmt.Sprintf("line %d", n%10)})
		if err != nil {
			t.Fatal(err)
		}
		item := esutil.BulkIndexerItem{Action: "create", DocumentID: fmt.Sprint(n), Body: bytes.NewReader(body)}
		item.OnFailure = func(context.Context, esutil.BulkIndexerItem, esutil.BulkIndexerResponseItem, error) { failed.Add(1) }
		if err := indexer.Add(ctx, item); err != nil {
			t.Fatal(err)
		}
	}
	if err := indexer.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if stats := indexer.Stats(); failed.Load() != 0 || stats.NumCreated != 1500 {
		t.Fatalf("%d failed, %+v", failed.Load(), stats)
	}
	// What was acknowledged is there for the next search.
	answer, err := client.Count(client.Count.WithIndex("lines"), client.Count.WithBody(strings.NewReader(`{"query": {"match": {"message": "7"}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text := answer.String(); !strings.Contains(text, `"count":150`) {
		t.Fatal(text)
	}

	typed, err := elasticsearch.NewTypedClient(config)
	if err != nil {
		t.Fatal(err)
	}
	size := 2
	query := &types.Query{Bool: &types.BoolQuery{Filter: []types.Query{{Term: map[string]types.TermQuery{"level.keyword": {Value: "warn"}}}}}}
	found, err := typed.Search().Index("lines").Query(query).Sort(types.SortOptions{
		SortOptions: map[string]types.FieldSort{"n": {Order: &sortorder.Desc}},
	}).Size(size).Aggregations(map[string]types.Aggregations{
		"levels": {Cardinality: &types.CardinalityAggregation{Field: some("level.keyword")}},
	}).Do(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if found.Hits.Total.Value != 500 || len(found.Hits.Hits) != 2 || *found.Hits.Hits[0].Id_ != "1498" {
		t.Errorf("%+v", found.Hits)
	}
	if levels := found.Aggregations["levels"].(*types.CardinalityAggregate); levels.Value != 1 {
		t.Errorf("%+v", levels)
	}
	if _, err := typed.Get("lines", "none").Do(ctx); err != nil {
		t.Errorf("a missing document is no error: %v", err)
	}
	_, err = typed.Search().Index("none").Do(ctx)
	if wrong, is := err.(*types.ElasticsearchError); !is || wrong.Status != 404 || wrong.ErrorCause.Type != "index_not_found_exception" {
		t.Errorf("a missing index: %v", err)
	}
}

func some[T any](value T) *T { return &value }
