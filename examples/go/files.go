// Command files stores a file over Larder's own HTTP, reads a part of it, and uploads a large one in pieces.
//
//	go run files.go [http://127.0.0.1:7070]
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

// ask sends a request, fails unless it is done, and gives the answer's headers and body.
func ask(method, url string, body []byte, headers ...string) (http.Header, string) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		log.Fatalf("%s %s: %s %s %v", method, url, answer.Status, text, err)
	}
	return answer.Header, string(text)
}

func main() {
	server := append(os.Args, "http://127.0.0.1:7070")[1]
	// The answer comes when the file is on the disk.
	ask("PUT", server+"/files/examples/hello.txt", []byte("hello, larder"), "Content-Type", "text/plain")
	_, part := ask("GET", server+"/files/examples/hello.txt", nil, "Range", "bytes=7-12")
	fmt.Println("a part:", part)

	// A large file goes in pieces (the tus protocol): after an interruption, HEAD tells where to go on. The name is base64.
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	made, _ := ask("POST", server+"/uploads/examples", nil, "Tus-Resumable", "1.0.0",
		"Upload-Length", fmt.Sprint(len(large)), "Upload-Metadata", "filename bGFyZ2UuYmlu")
	upload := server + made.Get("Location")
	for sent := 0; sent < len(large); {
		at, _ := ask("HEAD", upload, nil, "Tus-Resumable", "1.0.0")
		fmt.Sscan(at.Get("Upload-Offset"), &sent)
		end := min(sent+300_000, len(large))
		ask("PATCH", upload, large[sent:end], "Tus-Resumable", "1.0.0", "Upload-Offset", fmt.Sprint(sent),
			"Content-Type", "application/offset+octet-stream")
		sent = end
	}
	_, whole := ask("GET", server+"/files/examples/large.bin", nil)
	fmt.Println("the large file came back:", whole == string(large), len(whole))
	ask("DELETE", server+"/files/examples/large.bin", nil)
}
