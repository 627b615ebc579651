package clients

import (
	"os/exec"
	"testing"
)

func TestTheExampleInGoStoresFiles(t *testing.T) {
	address := startServer(t, "http")
	output, err := exec.Command("go", "run", "../../../examples/go/files.go", "http://"+address).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	expected := "a part: larder\nthe large file came back: true 1048576\n"
	if string(output) != expected {
		t.Fatalf("it said %q", output)
	}
}
