// Package clients runs the unmodified Go driver against a real server.
package clients

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

var listening = regexp.MustCompile(`listening.*protocol="?(\w+)"? address=(\S+)`)

// startServer runs `larder serve` on free ports until the test ends and gives the address of a protocol.
func startServer(t *testing.T, protocol string) string {
	t.Helper()
	command := exec.Command(os.Getenv("LARDER_BINARY"), "serve", "--data", t.TempDir(), "--memory", "64m",
		"--mongo-listen", "127.0.0.1:0", "--couch-listen", "off", "--elastic-listen", "127.0.0.1:0",
		"--riak-listen", "off", "--riak-pb-listen", "off", "--http-listen", "127.0.0.1:0")
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		if err := command.Wait(); err != nil {
			t.Errorf("the server did not end in order: %v", err)
		}
	})
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(log)
		for lines.Scan() {
			if found := listening.FindStringSubmatch(lines.Text()); found != nil && found[1] == protocol {
				address <- found[2]
			}
		}
	}()
	select {
	case found := <-address:
		return found
	case <-time.After(time.Minute):
		t.Fatal("the server did not say where it listens")
		return ""
	}
}

func TestTheGoDriverWritesFindsAndRetries(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + startServer(t, "mongo") + "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(ctx) }()
	things := client.Database("go").Collection("things")

	documents := make([]any, 1000)
	for i := range documents {
		documents[i] = bson.D{{Key: "_id", Value: i}, {Key: "x", Value: i % 10}}
	}
	if _, err := things.InsertMany(ctx, documents); err != nil {
		t.Fatal(err)
	}
	if _, err := things.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "x", Value: 1}}}); err != nil {
		t.Fatal(err)
	}
	cursor, err := things.Find(ctx, bson.D{{Key: "x", Value: 3}}, options.Find().SetSort(bson.D{{Key: "_id", Value: -1}}).SetBatchSize(7))
	if err != nil {
		t.Fatal(err)
	}
	var found []struct {
		ID int `bson:"_id"`
	}
	if err := cursor.All(ctx, &found); err != nil {
		t.Fatal(err)
	}
	if len(found) != 100 || found[0].ID != 993 || found[99].ID != 3 {
		t.Fatalf("found %d documents, from %d", len(found), found[0].ID)
	}
	_, err = things.InsertOne(ctx, bson.D{{Key: "_id", Value: 1}})
	if !mongo.IsDuplicateKeyError(err) {
		t.Fatalf("a taken id gave %v", err)
	}
	updated, err := things.UpdateMany(ctx, bson.D{{Key: "x", Value: 3}}, bson.D{{Key: "$set", Value: bson.D{{Key: "y", Value: true}}}})
	if err != nil || updated.ModifiedCount != 100 {
		t.Fatalf("updated %v, %v", updated, err)
	}
}
